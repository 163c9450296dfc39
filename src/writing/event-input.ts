/**
 * What a request says of an event (wire 1.8, 1.9), checked field by field and not yet in any zone. Absent is
 * `undefined`; `null` takes away what is there.
 */
import type { Attendee, CalendarEvent } from '../calendars/event.ts';
import { ianaZone } from '../lib/recurrence/zone.ts';
import { attendeesInput } from './attendees-input.ts';
import { type Fields, problemOfText } from './fields.ts';
import { type RuleInput, recurrenceInput } from './recurrence-input.ts';
import { instantOfWritten, isUnset, parseWrittenTime, type WrittenTime } from './written-time.ts';

export type EventInput = {
  readonly title: string | undefined;
  readonly start: WrittenTime | undefined;
  readonly end: WrittenTime | undefined;
  readonly allDay: boolean | undefined;
  /** An IANA zone. */
  readonly timeZone: string | undefined;
  readonly recurrence: RuleInput | undefined;
  readonly words: WordsInput;
};

/** The fields that have nothing to do with time. */
export type WordsInput = {
  readonly description?: string | null;
  readonly location?: string | null;
  readonly color?: string | null;
  readonly conference?: string | null;
  readonly custom?: Readonly<Record<string, unknown>> | null;
  readonly attendees?: readonly Attendee[];
  readonly availability?: CalendarEvent['availability'];
  readonly privacy?: CalendarEvent['privacy'];
  readonly status?: CalendarEvent['status'];
  readonly autoConference?: true;
};

const LONGEST = {
  title: 1_000,
  description: 100_000,
  location: 1_000,
  color: 50,
  url: 2_000,
  custom: 32_000,
};

/** `whole`: title, start and end must be there, and nothing can be taken away. */
export function eventInput(fields: Fields, { whole }: { readonly whole: boolean }): EventInput {
  const title = titleInput(fields, whole);
  const start = timeInput(fields, 'start', whole);
  const end = timeInput(fields, 'end', whole);
  const input = {
    title,
    start,
    end,
    allDay: fields.flag('allDay'),
    timeZone: zoneInput(fields),
    recurrence: recurrenceInput(fields),
    words: wordsInput(fields, whole),
  };
  // Equal is left to whoever knows whether it is all-day, and what zone is meant.
  if (start !== undefined && end !== undefined && instantOfWritten(end) < instantOfWritten(start)) {
    fields.mistake('end', 'must not be before start');
  }
  return input;
}

/** .NET cannot leave a title out and sends an empty one (wire 1.9). */
function titleInput(fields: Fields, whole: boolean): string | undefined {
  const title = fields.text('title', LONGEST.title);
  if (title !== undefined && title.trim() !== '') return title;
  if (whole && !fields.failed('title')) fields.mistake('title', 'is missing');
  return undefined;
}

function timeInput(fields: Fields, name: 'start' | 'end', whole: boolean): WrittenTime | undefined {
  const text = fields.text(name, 100);
  if (text === undefined || text.trim() === '' || (!whole && isUnset(text))) {
    if (whole && !fields.failed(name)) fields.mistake(name, 'is missing');
    return undefined;
  }
  const written = isUnset(text) ? undefined : parseWrittenTime(text);
  return written ?? fields.mistake(name, 'must be a date and time such as 2026-11-01T09:00:00Z');
}

/** `timeZone`, also as `timezone`: an IANA name. */
export function zoneInput(fields: Fields): string | undefined {
  const name = fields.raw('timeZone') === undefined ? 'timezone' : 'timeZone';
  const text = fields.text(name, 100)?.trim();
  if (text === undefined || text === '') return undefined;
  return ianaZone(text) ?? fields.mistake(name, 'must be an IANA time zone such as Europe/Paris');
}

function wordsInput(fields: Fields, whole: boolean): WordsInput {
  const { conference, autoConference } = conferenceInput(fields);
  // An empty text on update takes away what is there; on creation there is nothing to take away.
  const orNone = <T>(value: T | '' | undefined) => (value === '' ? (whole ? undefined : null) : value);
  return present({
    description: orNone(fields.text('description', LONGEST.description)),
    location: orNone(fields.text('location', LONGEST.location)),
    color: orNone(fields.text('color', LONGEST.color)?.trim()),
    conference: autoConference ? undefined : orNone(conference),
    custom: customInput(fields, whole),
    attendees: attendeesInput(fields),
    availability: fields.oneOf('availability', ['busy', 'free']),
    privacy: fields.oneOf('privacy', ['public', 'private', 'confidential']),
    status: fields.oneOf('status', ['confirmed', 'tentative', 'cancelled']),
    autoConference: autoConference || undefined,
  });
}

/** A URL, or the object that documentation shows; `autoGenerate` wins over a URL (wire 1.8). */
function conferenceInput(fields: Fields): { conference: string | undefined; autoConference: boolean } {
  const raw = fields.raw('conference');
  const object = typeof raw === 'string' ? undefined : fields.object('conference');
  const data = fields.object('conferenceData');
  const flags = [object, data].map((one, at) => {
    const flag = one?.autoGenerate ?? undefined;
    if (flag === undefined || typeof flag === 'boolean') return flag;
    return fields.mistake(
      at === 0 ? 'conference' : 'conferenceData',
      'has an autoGenerate that is not true or false',
    );
  });
  const url = typeof raw === 'string' ? raw : (object?.url ?? undefined);
  if (url === undefined) return { conference: undefined, autoConference: flags.includes(true) };
  if (typeof url !== 'string' || (url.trim() !== '' && !isWebAddress(url.trim()))) {
    fields.mistake('conference', 'must be an address that begins with https:// or http://');
    return { conference: undefined, autoConference: false };
  }
  return { conference: url.trim(), autoConference: flags.includes(true) };
}

function isWebAddress(text: string): boolean {
  if (problemOfText(text, LONGEST.url) !== undefined || /\s/.test(text)) return false;
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

function customInput(fields: Fields, whole: boolean): Readonly<Record<string, unknown>> | null | undefined {
  const custom = fields.object('custom');
  if (custom === undefined) return undefined;
  if (Object.keys(custom).length === 0) return whole ? undefined : null;
  let keepable = true;
  const text = JSON.stringify(custom, (name, value: unknown) => {
    const texts = typeof value === 'string' ? [name, value] : [name];
    keepable &&= texts.every((one) => problemOfText(one, LONGEST.custom) === undefined);
    return value;
  });
  if (text.length > LONGEST.custom) {
    const longest = LONGEST.custom.toLocaleString('en');
    return fields.mistake('custom', `must not be longer than ${longest} characters as JSON`);
  }
  return keepable ? custom : fields.mistake('custom', 'must not contain control characters');
}

/** Those members that are there. */
export function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  // The entries are T's own, without those that are undefined.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
