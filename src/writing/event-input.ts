/**
 * What a request says of an event (docs/wire.md 1.8, 1.9), checked field by field and not yet in any zone.
 * Absent is `undefined`; `null` removes what is there.
 */
import type { Attendee } from '../calendars/event.ts';
import type { EventChange } from '../calendars/event-writing.ts';
import {
  asObject,
  type Fields,
  flag,
  list,
  type Members,
  object,
  oneOf,
  type Parse,
  problemOfText,
  SENTENCES,
  text,
  textRead,
} from '../http/request-fields.ts';
import { ianaZone } from '../lib/recurrence/zone.ts';
import { instantOfInput, parseTimeInput, type TimeInput, type TimesInput } from './event-times.ts';
import { recurrenceInput } from './recurrence-input.ts';
import type { RuleInput } from './series-rules.ts';

export type EventInput = TimesInput & {
  readonly recurrence: RuleInput | undefined;
  readonly details: EventDetailsInput;
};

/** The fields that have nothing to do with time. */
export type EventDetailsInput = Omit<EventChange, 'start' | 'end' | 'recurrence'>;

/** Enough to create an event. */
export type NewEventInput = EventInput & {
  readonly start: TimeInput;
  readonly end: TimeInput;
  readonly details: EventDetailsInput & { readonly title: string };
};

const LONGEST = {
  title: 1_000,
  description: 100_000,
  location: 1_000,
  color: 50,
  url: 2_000,
  custom: 32_000,
  email: 320,
  name: 500,
};
const MOST_ATTENDEES = 1_000;
const EXAMPLE_TIME = '2026-11-01T09:00:00Z';

/** For a new event: title, start and end must be there. */
export function newEventInput(fields: Fields): NewEventInput {
  const title = fields.required('title', filledTitle);
  const start = fields.required('start', time);
  const end = fields.required('end', time);
  const { details, ...rest } = restInput(fields);
  checkOrder(start, end, fields);
  return { ...rest, start, end, details: { title, ...details } };
}

/** For an event that exists. */
export function changeInput(fields: Fields): EventInput {
  const title = fields.optional('title', filledTitle);
  const start = fields.optional('start', timeUnlessUnset);
  const end = fields.optional('end', timeUnlessUnset);
  const { details, ...rest } = restInput(fields);
  checkOrder(start, end, fields);
  return { ...rest, start, end, details: present({ title, ...details }) };
}

/** Equal times are checked later, when the zone is known and whether the event is all-day. */
function checkOrder(start: TimeInput | undefined, end: TimeInput | undefined, fields: Fields): void {
  if (start !== undefined && end !== undefined && instantOfInput(end) < instantOfInput(start))
    fields.mistake('end', SENTENCES.reversed);
}

/** .NET clients cannot leave a title out: they send an empty one (docs/wire.md 1.9). */
const filledTitle: Parse<string> = (value) => {
  const title = text(LONGEST.title)(value);
  return typeof title === 'string' && title.trim() === '' ? undefined : title;
};

const time: Parse<TimeInput> = (value) => {
  const parsed = text(100)(value);
  if (typeof parsed !== 'string') return parsed;
  return parsed.trim() === '' ? undefined : textRead(parseTimeInput, SENTENCES.noTime(EXAMPLE_TIME))(parsed);
};

/** .NET clients send year 1 for a date that is not set (docs/wire.md 1.9). */
const timeUnlessUnset: Parse<TimeInput> = (value) => {
  const parsed = text(100)(value);
  return typeof parsed === 'string' && /^\s*0001-/.test(parsed) ? undefined : time(value);
};

/** `timeZone`, also as `timezone`: an IANA name. */
export function zoneInput(fields: Fields): string | undefined {
  const name = fields.raw('timeZone') === undefined ? 'timezone' : 'timeZone';
  const zone = fields.optional(name, text(100))?.trim();
  if (zone === undefined || zone === '') return undefined;
  return ianaZone(zone) ?? fields.mistake(name, SENTENCES.noZone('Europe/Paris'));
}

function restInput(fields: Fields): Omit<EventInput, 'start' | 'end'> {
  return {
    allDay: fields.optional('allDay', flag),
    timeZone: zoneInput(fields),
    recurrence: recurrenceInput(fields),
    details: detailsInput(fields),
  };
}

function detailsInput(fields: Fields): EventDetailsInput {
  const { conference, autoConference } = conferenceInput(fields);
  const orNull = <T>(value: T | '' | undefined) => (value === '' ? null : value);
  return present({
    description: orNull(fields.optional('description', text(LONGEST.description))),
    location: orNull(fields.optional('location', text(LONGEST.location))),
    color: orNull(fields.optional('color', text(LONGEST.color))?.trim()),
    conference: autoConference ? undefined : orNull(conference),
    custom: customInput(fields),
    attendees: attendeesInput(fields),
    availability: fields.optional('availability', oneOf(['busy', 'free'])),
    privacy: fields.optional('privacy', oneOf(['public', 'private', 'confidential'])),
    status: fields.optional('status', oneOf(['confirmed', 'tentative', 'cancelled'])),
    autoConference: autoConference || undefined,
  });
}

/** A URL, or the object that documentation shows; `autoGenerate` wins over a URL (docs/wire.md 1.8). */
function conferenceInput(fields: Fields): { conference: string | undefined; autoConference: boolean } {
  const raw = fields.raw('conference');
  const conference = typeof raw === 'string' ? { url: raw } : fields.optional('conference', object);
  const conferenceData = fields.optional('conferenceData', object);
  const flags = Object.entries({ conference, conferenceData }).map(([name, members]) => {
    const flag = members?.autoGenerate ?? undefined;
    if (flag === undefined || typeof flag === 'boolean') return flag;
    return fields.mistake(name, 'has an autoGenerate that is not true or false');
  });
  const url = conference?.url ?? undefined;
  if (url === undefined) return { conference: undefined, autoConference: flags.includes(true) };
  if (typeof url !== 'string' || (url.trim() !== '' && !isWebAddress(url.trim()))) {
    fields.mistake('conference', 'must be an address that begins with https:// or http://');
    return { conference: undefined, autoConference: false };
  }
  return { conference: url.trim(), autoConference: flags.includes(true) };
}

function isWebAddress(address: string): boolean {
  if (problemOfText(address, LONGEST.url) !== undefined || /\s/.test(address)) return false;
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '');
}

/** An empty object removes what is there. */
function customInput(fields: Fields): EventDetailsInput['custom'] {
  const custom = fields.optional('custom', object);
  if (custom === undefined) return undefined;
  if (Object.keys(custom).length === 0) return null;
  let keepable = true;
  const json = JSON.stringify(custom, (name, value: unknown) => {
    const texts = typeof value === 'string' ? [name, value] : [name];
    keepable &&= texts.every((one) => problemOfText(one, LONGEST.custom) === undefined);
    return value;
  });
  if (json.length > LONGEST.custom)
    return fields.mistake('custom', `${SENTENCES.tooLong(LONGEST.custom)} as JSON`);
  return keepable ? custom : fields.mistake('custom', SENTENCES.controls);
}

const STATUSES = ['accepted', 'declined', 'tentative', 'none'] as const;
/** Keeps out what is no address. Whether it reaches anybody only the provider knows. */
const EMAIL = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/u;

/** The first entry of each address. */
function attendeesInput(fields: Fields): readonly Attendee[] | undefined {
  const values = fields.optional('attendees', list);
  if (values === undefined) return undefined;
  if (values.length > MOST_ATTENDEES) {
    return fields.mistake('attendees', `must not be more than ${MOST_ATTENDEES.toLocaleString('en')}`);
  }
  const attendees = new Map<string, Attendee>();
  for (const [at, value] of values.entries()) {
    const attendee = attendeeOf(value);
    if (typeof attendee === 'string') fields.mistake('attendees', `[${at}] ${attendee}`);
    else if (!attendees.has(attendee.email.toLowerCase()))
      attendees.set(attendee.email.toLowerCase(), attendee);
  }
  return [...attendees.values()];
}

/** An e-mail address, or an object with one (docs/wire.md 1.8). A text says what is wrong. */
function attendeeOf(value: unknown): Attendee | string {
  const members = typeof value === 'string' ? { email: value } : asObject(value);
  const { email, name, status, organizer }: Members = members ?? {};
  const address = typeof email === 'string' ? email.trim().replace(/^mailto:/i, '') : '';
  if (!EMAIL.test(address) || problemOfText(address, LONGEST.email) !== undefined) {
    return 'must be an e-mail address, or an object with one as email';
  }
  const isName = typeof name === 'string' && problemOfText(name, LONGEST.name) === undefined;
  if (name !== undefined && name !== null && !isName) return 'has a name that is no text to keep';
  const parsedStatus = STATUSES.find((one) => one === status);
  if (status !== undefined && status !== null && status !== '' && parsedStatus === undefined) {
    return `has a status that is none of ${STATUSES.join(', ')}`;
  }
  return {
    email: address,
    ...(isName && name !== '' ? { name } : {}),
    status: parsedStatus ?? 'none',
    ...(organizer === true ? { organizer } : {}),
  };
}

/** Those members that are there. */
export function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  // The entries are T's own, without those that are undefined.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
