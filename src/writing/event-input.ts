/** The event fields of a request (docs/wire.md 1.8, 1.9), before zones apply. `undefined` is absent; `null` removes. */
import type { Attendee } from '../calendars/event.ts';
import type { EventChange } from '../calendars/event-writing.ts';
import {
  anyObject,
  asObject,
  BLANK,
  converted,
  type Field,
  flag,
  type Input,
  type Members,
  object,
  oneOf,
  parsedText,
  problemOfText,
  type Report,
  required,
  SENTENCES,
  type TextAbout,
  text,
  thousands,
} from '../http/fields.ts';
import { ianaZone } from '../lib/recurrence/zone.ts';
import { LOOSE_TIME } from '../lib/time-text.ts';
import { parseTimeInput, type TimesInput } from './event-times.ts';
import { RECURRENCE, RECURRENCE_CHANGE, type RecurrenceChange } from './recurrence-input.ts';

export type EventInput = TimesInput & {
  readonly recurrence: RecurrenceChange | undefined;
  readonly details: EventDetailsInput;
};

export type EventDetailsInput = Omit<EventChange, 'start' | 'end' | 'recurrence'>;

const MAX_ATTENDEES = 1_000;
const MAX_CUSTOM = 32_000;
const MAX_URL = 2_000;
const MAX_EMAIL = 320;
const STATUSES = ['accepted', 'declined', 'tentative', 'none'] as const;
/** Excludes text that cannot be an address. Only the provider knows whether it exists. */
const EMAIL = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/u;

/** Defines a field for an IANA time zone. */
export const zone = (about: TextAbout) =>
  parsedText((name) => ianaZone(name.trim()), {
    max: 100,
    absent: BLANK,
    ...about,
    schema: { format: 'time-zone' },
    problem: 'must be an IANA time zone such as Europe/Paris',
  });

const time = (about: TextAbout) =>
  parsedText(parseTimeInput, {
    max: 100,
    absent: BLANK,
    schema: {
      pattern: '^\\d{4}-\\d\\d-\\d\\d(T\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,9})?)?(Z|[+-]\\d\\d:\\d\\d)?)?$',
    },
    also: { type: 'string', pattern: LOOSE_TIME },
    ...about,
    problem: SENTENCES.noTime('2026-11-01T09:00:00Z'),
  });

/** .NET clients send an empty title for an absent one (docs/wire.md 1.9). */
const title = text({ max: 1_000, absent: BLANK, example: 'Planning' });
const start = {
  doc: 'A date and time. Without an offset it is in `timeZone`, or in UTC if there is no `timeZone`.',
};
const end = { doc: 'The end, exclusive.' };
/** .NET clients send year 1 for an unset date (docs/wire.md 1.9). */
const UNSET = /^\s*(0001-|$)/;

/** Defines a text field whose empty value removes the present one. */
const removable = (max: number) =>
  converted(text({ max, absent: 'never', doc: 'An empty value removes it.' }), (value) => value || null);

const email = parsedText(parseEmail, {
  doc: 'An email address.',
  example: 'grace@example.com',
  schema: { format: 'email', maxLength: MAX_EMAIL },
  also: { type: 'string', pattern: `^\\s*(mailto:)?${EMAIL.source.slice(1, -1)}\\s*$`, maxLength: MAX_EMAIL },
  problem: 'must be an email address',
});

const ATTENDEE = object({
  email: required(email),
  name: text({ max: 500 }),
  status: oneOf(STATUSES),
  organizer: {
    schema: { type: 'boolean' },
    also: {},
    isRequired: false,
    read: (value: unknown) => value === true || undefined,
  },
});

const CONFERENCE_URL = { type: 'string', maxLength: MAX_URL, pattern: '^(https?://\\S+)?$' };
const TOLERATED_CONFERENCE = {
  url: { type: ['string', 'null'], pattern: '^\\s*(https?://\\S+)?\\s*$' },
  autoGenerate: { type: ['boolean', 'null'] },
};

const DETAILS = {
  allDay: flag({ doc: 'True: only the dates of `start` and `end` count, as written. `end` is exclusive.' }),
  timeZone: zone({
    alias: 'timezone',
    doc: 'The IANA time zone in which a series keeps its time of day. Default: the calendar’s time zone.',
  }),
  recurrence: RECURRENCE,
  conference: {
    doc: 'The URL to join at. An empty value removes it.',
    schema: CONFERENCE_URL,
    also: {
      anyOf: [
        { type: 'object', properties: TOLERATED_CONFERENCE },
        { type: 'array', maxItems: 0 },
        { type: 'string', pattern: BLANK.source },
      ],
    },
    read: readConference,
    isRequired: false,
  } satisfies Field<Conference>,
  conferenceData: converted(
    anyObject({
      schema: {
        type: 'object',
        properties: {
          provider: { description: 'Ignored.' },
          autoGenerate: { type: 'boolean', description: 'True: the provider creates a meeting.' },
          url: { ...CONFERENCE_URL, description: 'The URL to join at, if there is no `conference`.' },
        },
      },
      also: {
        anyOf: [
          { type: 'array', maxItems: 0 },
          { type: 'object', properties: TOLERATED_CONFERENCE },
        ],
      },
    }),
    (members, report) => readConference(members, report),
  ),
  description: removable(100_000),
  location: removable(1_000),
  color: converted(removable(50), (color) => color && (color.trim() || null)),
  custom: converted(
    anyObject({
      doc: `Your own values, stored with the event: at most ${thousands(MAX_CUSTOM)} characters of JSON. An empty object removes them.`,
    }),
    readCustom,
  ),
  attendees: {
    doc: 'Replaces the whole list. An empty list removes all attendees.',
    schema: {
      type: 'array',
      maxItems: MAX_ATTENDEES,
      items: { anyOf: [{ ...email.schema, description: 'An email address.' }, ATTENDEE.schema] },
    },
    also: { type: 'array', maxItems: MAX_ATTENDEES, items: email.also },
    fields: ATTENDEE.fields,
    read: readAttendees,
    isRequired: false,
  } satisfies Field<readonly Attendee[]>,
  availability: oneOf(['busy', 'free']),
  privacy: oneOf(['public', 'private', 'confidential']),
  status: oneOf(['confirmed', 'tentative', 'cancelled']),
};

export const NEW_EVENT = {
  title: required(title),
  start: required(time({ ...start, example: '2026-11-20T10:00:00' })),
  end: required(time({ ...end, example: '2026-11-20T11:00:00' })),
  ...DETAILS,
  timeZone: { ...DETAILS.timeZone, example: 'Europe/Vienna' },
};

export const EVENT_CHANGE = {
  title,
  start: time({ ...start, absent: UNSET }),
  end: time({ ...end, absent: UNSET }),
  ...DETAILS,
  recurrence: RECURRENCE_CHANGE,
};

export function changeInput(change: Input<typeof EVENT_CHANGE>): EventInput {
  const { title, start, end, recurrence, ...rest } = change;
  const { details, ...input } = restInput(rest);
  return { ...input, start, end, recurrence, details: present({ title, ...details }) };
}

/** A meeting that the provider creates takes precedence over a URL, and `conference` over `conferenceData.url`. */
export function restInput(
  input: Omit<Input<typeof DETAILS>, 'recurrence'>,
): Pick<EventInput, 'allDay' | 'timeZone' | 'details'> {
  const { allDay, timeZone, conference, conferenceData, ...details } = input;
  const autoConference = conference?.isAuto || conferenceData?.isAuto || undefined;
  const { url } = [conference, conferenceData].find((sent) => sent?.url !== undefined) ?? {};
  return {
    allDay,
    timeZone,
    details: present({ ...details, conference: autoConference ? undefined : url, autoConference }),
  };
}

/** `url` is null if it removes the present one. */
type Conference = { readonly url: string | null | undefined; readonly isAuto: boolean };

const WEB_ADDRESS = 'an address that begins with https:// or http://';

/** Reads a URL, or the documented object (docs/wire.md 1.8). */
function readConference(value: unknown, report: Report): Conference | undefined {
  const members = typeof value === 'string' ? { url: value } : asObject(value);
  if (members === undefined) return report(SENTENCES.noObject);
  const isAuto = readAutoGenerate(members, report) ?? false;
  const { url = null } = members;
  if (url === null) return { url: undefined, isAuto };
  const address = typeof url === 'string' ? url.trim() : undefined;
  if (address === undefined || (address !== '' && !isWebAddress(address)))
    return report(typeof value === 'string' ? `must be ${WEB_ADDRESS}` : `must have ${WEB_ADDRESS} as url`);
  return { url: address || null, isAuto };
}

function readAutoGenerate(members: Members, report: Report): boolean | undefined {
  const { autoGenerate: value = null } = members;
  if (value === null || typeof value === 'boolean') return value ?? undefined;
  return report('must have true or false as autoGenerate');
}

function isWebAddress(address: string): boolean {
  if (problemOfText(address, MAX_URL) !== undefined || /\s/.test(address)) return false;
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '');
}

/** Returns null for an empty object, which removes the present value. */
function readCustom(custom: Members, report: Report): Members | null | undefined {
  if (Object.keys(custom).length === 0) return null;
  let isStorable = true;
  const json = JSON.stringify(custom, (name, value: unknown) => {
    const texts = typeof value === 'string' ? [name, value] : [name];
    isStorable &&= texts.every((one) => problemOfText(one, MAX_CUSTOM) === undefined);
    return value;
  });
  if (json.length > MAX_CUSTOM) return report(`${SENTENCES.tooLong(MAX_CUSTOM)} as JSON`);
  return isStorable ? custom : report(SENTENCES.controls);
}

/** Reads addresses, or objects with an address (docs/wire.md 1.8). The first entry of each address counts. */
function readAttendees(values: unknown, report: Report): readonly Attendee[] | undefined {
  if (!Array.isArray(values)) return report('must be a list');
  if (values.length > MAX_ATTENDEES) return report(`must not be more than ${thousands(MAX_ATTENDEES)}`);
  const attendees = new Map<string, Attendee>();
  for (const [at, value] of values.entries()) {
    const members: unknown = typeof value === 'string' ? { email: value } : value;
    const read = ATTENDEE.read(members, (problem, path = '') => report(`[${at}]${path} ${problem}`));
    if (read === undefined || attendees.has(read.email.toLowerCase())) continue;
    const { email, name, status = 'none', organizer } = read;
    attendees.set(email.toLowerCase(), { email, ...present({ name }), status, ...present({ organizer }) });
  }
  return [...attendees.values()];
}

function parseEmail(text: string): string | undefined {
  const address = text.trim().replace(/^mailto:/i, '');
  return EMAIL.test(address) && problemOfText(address, MAX_EMAIL) === undefined ? address : undefined;
}

export function present<T extends object>(members: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  // The entries are T's own, without undefined ones.
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
