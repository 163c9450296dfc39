/** A draft as the lines of a VEVENT (RFC 5545 §3.6.1). */
import { parseLocal } from '../../src/lib/recurrence/civil.ts';
import { toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { ianaZone } from '../../src/lib/recurrence/zone.ts';
import { ruleOfDraft } from '../core/draft-rule.ts';
import type { DraftTime, EventDraft } from '../core/provider-sandbox.ts';
import { escapedText, quoted, timeLine, utcText } from './icalendar-writer.ts';

export type Writing = {
  readonly uid: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly sequence: number;
  /** The author of the event: its organizer, if there are guests. */
  readonly organizer: { readonly email: string; readonly name: string };
};

/** Throws an Error if a time is invalid. */
export function eventLines(draft: EventDraft, { uid, now, sequence, organizer }: Writing): string[] {
  checkTimes(draft);
  const { description, location, availability, privacy, conference, attendees = [] } = draft;
  return [
    `UID:${uid}`,
    `DTSTAMP:${utcText(now)}`,
    `LAST-MODIFIED:${utcText(now)}`,
    `SEQUENCE:${sequence}`,
    `SUMMARY:${escapedText(draft.title)}`,
    timeLine('DTSTART', draft.start),
    timeLine('DTEND', draft.end),
    ...(draft.recurrence === undefined
      ? []
      : [`RRULE:${ruleOfDraft(draft.recurrence, eventTimeOf(draft.start))}`]),
    ...(description === undefined ? [] : [`DESCRIPTION:${escapedText(description)}`]),
    ...(location === undefined ? [] : [`LOCATION:${escapedText(location)}`]),
    ...(availability === undefined ? [] : [`TRANSP:${availability === 'free' ? 'TRANSPARENT' : 'OPAQUE'}`]),
    ...(privacy === undefined ? [] : [`CLASS:${privacy.toUpperCase()}`]),
    ...(conference === undefined ? [] : [`CONFERENCE;VALUE=URI;FEATURE=VIDEO:${conference}`]),
    ...(attendees.length === 0 ? [] : [`ORGANIZER;CN=${quoted(organizer.name)}:mailto:${organizer.email}`]),
    ...attendees.map(({ email, name }) => {
      const nameParameter = name === undefined ? '' : `;CN=${quoted(name)}`;
      return `ATTENDEE${nameParameter};PARTSTAT=NEEDS-ACTION;ROLE=REQ-PARTICIPANT:mailto:${email}`;
    }),
  ];
}

function checkTimes({ title, start, end }: EventDraft): void {
  if ('date' in start !== 'date' in end)
    throw new Error(`"${title}" starts with a date and ends with a time, or the other way`);
  if (toInstant(eventTimeOf(end), 'UTC') < toInstant(eventTimeOf(start), 'UTC'))
    throw new Error(`"${title}" ends before it starts`);
}

/** Throws an Error for an invalid date, time or zone. */
export function eventTimeOf(time: DraftTime): EventTime {
  const text = 'date' in time ? time.date : time.dateTime;
  if (parseLocal(text) === undefined || text.includes('T') === 'date' in time)
    throw new Error(`${text} is no ${'date' in time ? 'date' : 'local time'}`);
  if ('date' in time) return { type: 'date', date: time.date };
  const zone = ianaZone(time.timeZone);
  if (zone === undefined) throw new Error(`${time.timeZone} is no IANA zone`);
  return { type: 'zoned', local: time.dateTime, zone };
}
