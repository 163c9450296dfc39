/** The zone of a calendar, as its calendar-timezone property (RFC 4791 §5.2.2) has it. */

import { buildVtimezone } from '../../src/lib/icalendar/vtimezone-writer.ts';
import { writeComponent } from '../../src/lib/icalendar/write-lines.ts';
import { parseTimeZone } from '../../src/providers/caldav/dav/calendar-time-zone.ts';
import type { CalendarCollection } from './collection.ts';
import { TIME_ZONE } from './live-properties.ts';

/** The property's text for an IANA zone. `now` is epoch milliseconds. */
export function zoneText(timeZone: string, now: number): string {
  const lines = ['VERSION:2.0', 'PRODID:-//Kalends//Sandbox//EN'];
  return writeComponent({ name: 'VCALENDAR', lines, components: [buildVtimezone(timeZone, now)] });
}

/** An IANA zone; UTC where the calendar has none. */
export function calendarZone({ properties }: CalendarCollection): string {
  return parseTimeZone(plainText(properties.get(TIME_ZONE) ?? '')) ?? 'UTC';
}

/** Undoes what xmlText does. */
const plainText = (xml: string): string =>
  xml.replaceAll('&#13;', '\r').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
