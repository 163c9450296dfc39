/** The query of GET /free-busy and the body of POST /availability. Lengths are minutes. */
import {
  asObject,
  type Check,
  type Field,
  type Input,
  object,
  parsed,
  parsedText,
  readBody,
  readQuery,
  required,
  wholeNumber,
} from '../http/fields.ts';
import { CALENDAR_FILTER, CALENDAR_IDS, instant, NOT_BEFORE } from '../reading/events-query.ts';
import { zone } from '../writing/event-input.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const DAY_MINUTES = 1440;
const MAX_HOURS = 50;
export const MOST_USERS = 20;
/** 367 days: a leap year plus one day. */
const LONGEST_WINDOW_MS = 367 * DAY_MINUTES * 60_000;

const WINDOW = {
  start: required(instant({ doc: 'A date and time.', example: '2026-11-20T00:00:00Z' })),
  end: required(
    instant({ doc: 'Exclusive; a date and time within a year of `start`.', example: '2026-11-21T00:00:00Z' }),
  ),
};
const minutes = (min: number, max: number, doc: string) => wholeNumber({ min, max, doc: `Minutes. ${doc}` });
const clock = (example: string) =>
  parsedText(parseClock, {
    example,
    absent: 'never',
    schema: { pattern: '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$' },
    problem: 'must be a time of day such as 09:00',
  });

const HOURS = object(
  {
    days: parsed(parseDays, {
      doc: 'Default: Monday to Friday.',
      schema: { type: 'array', items: { type: 'string', enum: WEEKDAYS } },
      problem: `must be a list of ${WEEKDAYS.join(', ')}`,
    }),
    start: required(clock('09:00')),
    end: required(clock('17:00')),
    timeZone: zone({}),
  },
  { name: 'WorkingHours', doc: 'If the end is not after the start, it is on the next day.' },
);
type Hours = NonNullable<ReturnType<typeof HOURS.read>>;

const WORKING_HOURS: Field<readonly Hours[], false> = {
  doc: 'Default: any time.',
  example: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '09:00', end: '17:00' }],
  schema: { type: 'array', maxItems: MAX_HOURS, items: HOURS.schema },
  also: HOURS.schema,
  fields: HOURS.fields,
  isRequired: false,
  read(value, report) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (list.length > MAX_HOURS) return report(`must have at most ${MAX_HOURS} entries`);
    return list.flatMap(
      (item, at) => HOURS.read(item, (problem, path = '') => report(problem, `[${at}]${path}`)) ?? [],
    );
  },
};

export const FREE_BUSY_QUERY = {
  ...WINDOW,
  timeZone: zone({
    doc: 'The IANA time zone for all-day events. Default: the time zone of each calendar.',
    example: 'Europe/Vienna',
  }),
  calendarIds: CALENDAR_IDS,
};

export const AVAILABILITY_REQUEST = {
  ...WINDOW,
  duration: required(
    wholeNumber({ min: 1, max: 7 * DAY_MINUTES, doc: 'The length of a slot in minutes.', example: 30 }),
  ),
  timeZone: zone({
    doc: 'The IANA time zone for all-day events and working hours.',
    example: 'Europe/Vienna',
  }),
  step: minutes(1, DAY_MINUTES, 'Minutes between the starts of two slots. Default: 30.'),
  bufferBefore: minutes(0, DAY_MINUTES, 'Minutes that must be free before the slot.'),
  bufferAfter: minutes(0, DAY_MINUTES, 'Minutes that must be free after the slot.'),
  minimumNotice: minutes(0, 366 * DAY_MINUTES, 'Minutes from now until the earliest start of a slot.'),
  limit: wholeNumber({ min: 1, max: 500, doc: 'The maximum number of slots. Default: 50.' }),
  workingHours: WORKING_HOURS,
  calendarIds: CALENDAR_FILTER,
  user_ids: parsed(parseUsers, {
    doc: 'With HTTP Basic: the users who must all be free.',
    example: ['ada', 'grace'],
    schema: { type: 'array', minItems: 1, maxItems: MOST_USERS, items: { type: 'string', minLength: 1 } },
    problem: `must be a list of 1 to ${MOST_USERS} user ids`,
  }),
};

export type FreeBusyRequest = Input<typeof FREE_BUSY_QUERY>;

/** Throws ApiError 400 that lists all mistakes. */
export const parseFreeBusy = (query: unknown): FreeBusyRequest =>
  readQuery(query, FREE_BUSY_QUERY, checkWindow);

export type AvailabilityRequest = Input<typeof AVAILABILITY_REQUEST>;

/** Throws ApiError 400 that lists all mistakes. In a body that is not an object, all required fields are missing. */
export const parseAvailability = (body: unknown): AvailabilityRequest =>
  readBody(asObject(body), AVAILABILITY_REQUEST, checkWindow);

const checkWindow: Check<typeof WINDOW> = ({ start, end }, report) => {
  if (start === undefined || end === undefined) return;
  if (start >= end) report('start', NOT_BEFORE);
  else if (end - start > LONGEST_WINDOW_MS) report('end', 'must be within a year of start');
};

function parseUsers(value: unknown): string[] | undefined {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MOST_USERS;
  return isList && value.every((id) => typeof id === 'string' && id !== '') ? [...new Set(value)] : undefined;
}

function parseDays(value: unknown): number[] | undefined {
  const days = Array.isArray(value) ? value.map((day) => WEEKDAYS.indexOf(day)) : [-1];
  return days.includes(-1) ? undefined : [...new Set(days)];
}

/** Returns minutes of the day. */
function parseClock(text: string): number | undefined {
  const [, hour, minute] = /^(\d\d):(\d\d)$/.exec(text) ?? [];
  const minutes = Number(hour) * 60 + Number(minute);
  return Number(minute) < 60 && minutes <= DAY_MINUTES ? minutes : undefined;
}
