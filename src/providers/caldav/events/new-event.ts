/** Creates the calendar object resource (RFC 4791 §4.1) of a new event. */
import { createHash } from 'node:crypto';

import type { EventDraft } from '../../../calendars/event-writing.ts';
import type { Component } from '../../../lib/icalendar/component.ts';
import { parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { writeComponent } from '../../../lib/icalendar/write-lines.ts';
import { endLine, recurrenceLines, timeLine, utcText } from '../../../lib/icalendar/write-time.ts';
import { withAttendees } from './attendee-lines.ts';
import { withDetails } from './event-details.ts';
import type { Editor } from './mark-changed.ts';
import { withTimezones, zoneNamesIn } from './timezones.ts';

/**
 * Returns a UID in Apple's form. It differs between calendars, since many servers accept a UID only once, but not
 * between hosts: iCloud moves calendars between them.
 */
export function deriveUid(key: string, collection: URL): string {
  const hash = createHash('sha256').update(`${key}\n${collection.pathname}`).digest('hex').toUpperCase();
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function newObject(draft: EventDraft, uid: string, { user, now }: Editor): string {
  const { start, end, recurrence, attendees } = draft;
  const zones = zoneNamesIn(EMPTY, () => undefined);
  const dtstart = timeLine('DTSTART', start, zones.tzidOf);
  const property = parseContentLine(dtstart);
  const lines = [
    `UID:${uid}`,
    `DTSTAMP:${utcText(now)}`,
    `CREATED:${utcText(now)}`,
    `LAST-MODIFIED:${utcText(now)}`,
    'SEQUENCE:0',
    dtstart,
    endLine({ start, end }, zones.tzidOf),
    ...(recurrence === undefined || property === undefined
      ? []
      : recurrenceLines(recurrence, property, start)),
  ];
  const filled = withDetails(lines, draft);
  const event = {
    name: 'VEVENT',
    lines: attendees === undefined ? filled : withAttendees(filled, attendees, user),
    components: [],
  };
  return writeComponent(withTimezones({ ...EMPTY, components: [event] }, zones, now));
}

const EMPTY: Component = {
  name: 'VCALENDAR',
  lines: ['VERSION:2.0', 'PRODID:-//Kalends//Kalends//EN', 'CALSCALE:GREGORIAN'],
  components: [],
};
