/** A new calendar object resource of an event that was drafted (RFC 4791 §4.1). */
import { createHash } from 'node:crypto';

import type { EventChange, EventDraft } from '../../../calendars/event-writing.ts';
import { parseContentLine } from '../../../lib/icalendar/content-line.ts';
import { writeComponent } from '../../../lib/icalendar/write-lines.ts';
import { recurrenceLines, timeLine, utcText } from '../../../lib/icalendar/write-time.ts';
import type { OwnAddresses } from '../dav/account-addresses.ts';
import { withAttendees } from './attendee-lines.ts';
import { withTimezones } from './calendar-object.ts';
import { withWords } from './event-fields.ts';

/**
 * The UID that a key has in a calendar: of the form Apple gives its own, and another one in another calendar, since many
 * servers take a UID only once. By the path alone: iCloud moves calendars from host to host.
 */
export function uidOf(key: string, collection: URL): string {
  const hash = createHash('sha256').update(`${key}\n${collection.pathname}`).digest('hex').toUpperCase();
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    hash.slice(12, 16),
    hash.slice(16, 20),
    hash.slice(20, 32),
  ].join('-');
}

export type NewEvent = {
  readonly uid: string;
  readonly own: OwnAddresses;
  /** Epoch milliseconds. */
  readonly now: number;
};

/** The text to put. */
export function newObject(draft: EventDraft, { uid, own, now }: NewEvent): string {
  const { start, end, recurrence, attendees } = draft;
  const dtstart = timeLine('DTSTART', start, unnamed);
  const property = parseContentLine(dtstart);
  const lines = [
    `UID:${uid}`,
    `DTSTAMP:${utcText(now)}`,
    `CREATED:${utcText(now)}`,
    `LAST-MODIFIED:${utcText(now)}`,
    'SEQUENCE:0',
    dtstart,
    // An end of its own even where nothing lasts: iCloud takes no start alone.
    timeLine('DTEND', end, unnamed),
    ...(recurrence === undefined || property === undefined
      ? []
      : recurrenceLines(recurrence, property, start)),
  ];
  const worded = withWords(lines, wordsOf(draft));
  const event = {
    name: 'VEVENT',
    lines: attendees === undefined ? worded : withAttendees(worded, attendees, own),
    components: [],
  };
  const calendar = {
    name: 'VCALENDAR',
    lines: ['VERSION:2.0', 'PRODID:-//Kalends//Kalends//EN', 'CALSCALE:GREGORIAN'],
    components: [event],
  };
  return writeComponent(withTimezones(calendar, now));
}

const unnamed = (): undefined => undefined;

/** What a draft says, as a change from nothing. */
function wordsOf({
  title,
  description,
  location,
  color,
  conference,
  custom,
  ...draft
}: EventDraft): EventChange {
  const { status, availability, privacy } = draft;
  return {
    title,
    ...(description !== undefined && { description }),
    ...(location !== undefined && { location }),
    ...(color !== undefined && { color }),
    ...(conference !== undefined && { conference }),
    ...(custom !== undefined && { custom }),
    ...(status !== undefined && { status }),
    ...(availability !== undefined && { availability }),
    ...(privacy !== undefined && { privacy }),
  };
}
