/** Reading iCalendar, RFC 5545, as servers and programs really write it. */
import type { Zone } from '../recurrence/event-time.ts';
import { type Component, parseComponents, propertiesOf } from './component.ts';
import { textOf } from './content-line.ts';
import { ICalendarError } from './icalendar-error.ts';
import type { ZoneOf } from './time-value.ts';
import { dateCount, readVEvent, type VEvent } from './v-event.ts';
import { readVTimezone, type VTimezone } from './vtimezone.ts';
import { resolveZone } from './zone-resolver.ts';

/** Time zones that times of one calendar are in. */
const MOST_ZONES = 200;

/**
 * The events of a text, in its order: masters, overrides and single events. An event without a readable start is
 * left out and costs the others nothing. Throws ICalendarError, and nothing else, for text that is no calendar or is
 * larger than 10 MB, 200,000 lines, 20,000 components, 100,000 recurrence dates or 200 time zones.
 */
export const parseICalendar = (text: string): VEvent[] => readICalendar(text).map(({ event }) => event);

/** An event with the component that states it: to edit what was read. */
export type ReadEvent = { readonly component: Component; readonly event: VEvent };

/** As parseICalendar does, each event with its component. */
export function readICalendar(text: string): ReadEvent[] {
  const dates = dateCount();
  return parseComponents(text).flatMap((calendar) => readEvents(calendar, zonesOf(calendar), dates));
}

/** The events of one VCALENDAR, under the rules and limits of parseICalendar. */
export function readEvents(calendar: Component, zoneOf: ZoneOf, dates = dateCount()): ReadEvent[] {
  return calendar.components.flatMap((component) => {
    const event = component.name === 'VEVENT' ? readVEvent(component, zoneOf, dates) : undefined;
    return event === undefined ? [] : { component, event };
  });
}

/** Looks every TZID up once. Floating times are in X-WR-TIMEZONE where the calendar says so. */
export function zonesOf(calendar: Component): ZoneOf {
  const vtimezones = new Map<string, VTimezone>();
  for (const component of calendar.components) {
    const timezone = component.name === 'VTIMEZONE' ? readVTimezone(component) : undefined;
    if (timezone !== undefined) vtimezones.set(timezone.tzid, timezone);
  }
  const [calendarZone] = propertiesOf(calendar).get('X-WR-TIMEZONE') ?? [];
  const floating = calendarZone && resolveZone(textOf(calendarZone), vtimezones.get(textOf(calendarZone)));
  const zonesByTzid = new Map<string, Zone | undefined>();
  return (tzid) => {
    if (tzid === undefined) return floating;
    if (zonesByTzid.has(tzid)) return zonesByTzid.get(tzid);
    if (zonesByTzid.size >= MOST_ZONES)
      throw new ICalendarError('The calendar uses more than 200 time zones');
    const zone = resolveZone(tzid, vtimezones.get(tzid.trim())) ?? floating;
    zonesByTzid.set(tzid, zone);
    return zone;
  };
}
