/** The query of GET /free-busy and the body of POST /availability. Lengths are minutes. */
import {
  asObject,
  type Fields,
  type Members,
  parameterOf,
  readMembers,
  readQuery,
  SENTENCES,
  textRead,
  unlessEmpty,
  valueRead,
  wholeNumber,
} from '../http/request-fields.ts';
import { ianaZone } from '../lib/recurrence/zone.ts';
import { type CalendarFilter, calendarFilterInput, instant, type RawQuery } from '../reading/events-query.ts';
import type { Interval } from './intervals.ts';
import type { WorkingHours } from './working-hours.ts';

export type AvailabilityRequest = {
  readonly window: Interval;
  readonly duration: number;
  readonly bufferBefore: number;
  readonly bufferAfter: number;
  readonly minimumNotice: number;
  readonly step: number;
  readonly limit: number;
  readonly timeZone: string | undefined;
  /** Any time where there are none. */
  readonly workingHours: readonly WorkingHours[];
  readonly filter: CalendarFilter | undefined;
  /** With client authentication. */
  readonly userIds: readonly string[] | undefined;
};

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const DAY_MINUTES = 1440;
const MOST_HOURS = 50;
export const MOST_USERS = 20;
const DEFAULT_LIMIT = 50;
/** A year and a day over: more is no question about free time. */
const LONGEST_WINDOW_MS = 367 * DAY_MINUTES * 60_000;

export type FreeBusyRequest = Pick<AvailabilityRequest, 'window' | 'timeZone' | 'filter'>;

/** Throws 400 with everything that is wrong. */
export function parseFreeBusy(query: RawQuery): FreeBusyRequest {
  return readQuery(query, (fields) => ({
    window: windowInput(fields),
    timeZone: fields.optional('timeZone', zone),
    filter: calendarFilterInput(fields, parameterOf(query, 'calendarIds')),
  }));
}

/** Throws 400 with everything that is wrong. */
export function parseAvailability(body: unknown): AvailabilityRequest {
  // What is no object has no fields, and so misses the required ones.
  return readMembers(asObject(body) ?? {}, (fields) => {
    const minutes = (name: string, most: number, absent: number) =>
      fields.optional(name, wholeNumber(0, most)) ?? absent;
    const duration = fields.required('duration', wholeNumber(1, 7 * DAY_MINUTES));
    const timeZone = fields.optional('timeZone', zone);
    const window = windowInput(fields);
    const bufferBefore = minutes('bufferBefore', DAY_MINUTES, 0);
    const bufferAfter = minutes('bufferAfter', DAY_MINUTES, 0);
    const minimumNotice = minutes('minimumNotice', 366 * DAY_MINUTES, 0);
    const step = fields.optional('step', wholeNumber(1, DAY_MINUTES)) ?? 30;
    const limit = fields.optional('limit', wholeNumber(1, 500)) ?? DEFAULT_LIMIT;
    const workingHours = hoursInput(fields, timeZone ?? 'UTC');
    const calendarIds = fields.raw('calendarIds');
    const filter = calendarFilterInput(
      fields,
      calendarIds === undefined ? undefined : JSON.stringify(calendarIds),
    );
    const userIds = fields.optional('user_ids', users);
    const lengths = { duration, bufferBefore, bufferAfter, minimumNotice, step };
    return { window, ...lengths, limit, timeZone, workingHours, filter, userIds };
  });
}

function windowInput(fields: Fields): Interval {
  const window = { start: fields.required('start', instant), end: fields.required('end', instant) };
  if (fields.failed('start') || fields.failed('end')) return window;
  if (window.start >= window.end) fields.mistake('start', SENTENCES.notBefore);
  else if (window.end - window.start > LONGEST_WINDOW_MS)
    fields.mistake('end', 'must be within a year of start');
  return window;
}

const zone = unlessEmpty(textRead(ianaZone, SENTENCES.noZone('Europe/Vienna')));

const users = valueRead((value) => {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MOST_USERS;
  return isList && value.every((id) => typeof id === 'string' && id !== '') ? [...new Set(value)] : undefined;
}, `must be a list of 1 to ${MOST_USERS} user ids`);

function hoursInput(fields: Fields, timeZone: string): WorkingHours[] {
  const value = fields.raw('workingHours');
  if (value === undefined) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.length > MOST_HOURS) fields.mistake('workingHours', `must have at most ${MOST_HOURS} entries`);
  return list.slice(0, MOST_HOURS).flatMap((item, i) => {
    const name = `workingHours[${i}]`;
    if (typeof item === 'object' && item !== null) {
      const { days = WEEKDAYS.slice(0, 5), ...hours }: Members = { ...item };
      return [hoursOf(fields.within(name, hours), days, timeZone)];
    }
    fields.mistake(name, 'must be an object such as {"days":["MO"],"start":"09:00","end":"17:00"}');
    return [];
  });
}

function hoursOf(fields: Fields, days: unknown, timeZone: string): WorkingHours {
  const weekdays = Array.isArray(days) ? days.map((day) => WEEKDAYS.indexOf(day)) : [-1];
  if (weekdays.includes(-1)) fields.mistake('days', `must be a list of ${WEEKDAYS.join(', ')}`);
  return {
    days: weekdays,
    start: clockInput(fields, 'start'),
    end: clockInput(fields, 'end'),
    timeZone: fields.optional('timeZone', zone) ?? timeZone,
  };
}

/** Minutes of the day. */
function clockInput(fields: Fields, name: 'start' | 'end'): number {
  const value = fields.raw(name);
  const [, hour, minute] = (typeof value === 'string' && /^(\d\d):(\d\d)$/.exec(value)) || [];
  const minutes = Number(hour) * 60 + Number(minute);
  if (Number(minute) < 60 && minutes <= DAY_MINUTES) return minutes;
  fields.mistake(name, 'must be a time of day such as 09:00');
  return 0;
}
