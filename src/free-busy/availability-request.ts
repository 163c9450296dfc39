/** The body of POST /availability. Lengths are minutes. */
import type { CalendarFilter } from '../reading/calendar-filter.ts';
import { type Details, filterOf, refuse, windowOf, zoneOf } from './free-busy.ts';
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

/** Throws 400 with everything that is wrong. */
export function parseAvailability(body: unknown): AvailabilityRequest {
  const details: Details = {};
  // What is no object has no fields, and so misses the required ones.
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const minutes = (name: string, least: number, most: number, fallback?: number): number => {
    const value = fields[name] ?? undefined;
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    const problem = value === undefined ? 'is missing' : `must be a whole number from ${least} to ${most}`;
    details[name] = [`${name} ${problem}`];
    return least;
  };
  const duration = minutes('duration', 1, 7 * DAY_MINUTES);
  const timeZone = zoneOf('timeZone', fields.timeZone, details);
  const request = {
    window: windowOf(fields.start, fields.end, details),
    duration,
    bufferBefore: minutes('bufferBefore', 0, DAY_MINUTES, 0),
    bufferAfter: minutes('bufferAfter', 0, DAY_MINUTES, 0),
    minimumNotice: minutes('minimumNotice', 0, 366 * DAY_MINUTES, 0),
    step: minutes('step', 1, DAY_MINUTES, 30),
    limit: minutes('limit', 1, 500, DEFAULT_LIMIT),
    timeZone,
    workingHours: hoursOf(fields.workingHours, timeZone ?? 'UTC', details),
    filter: fields.calendarIds == null ? undefined : filterOf(JSON.stringify(fields.calendarIds), details),
    userIds: userIdsOf(fields.user_ids, details),
  };
  refuse(details);
  return request;
}

function userIdsOf(value: unknown, details: Details): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MOST_USERS;
  if (isList && value.every((id) => typeof id === 'string' && id !== '')) return [...new Set(value)];
  details.user_ids = [`user_ids must be a list of 1 to ${MOST_USERS} user ids`];
  return undefined;
}

function hoursOf(value: unknown, timeZone: string, details: Details): WorkingHours[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.length > MOST_HOURS)
    details.workingHours = [`workingHours must have at most ${MOST_HOURS} entries`];
  return list.slice(0, MOST_HOURS).flatMap((item, i) => hoursItemOf(item, i, timeZone, details) ?? []);
}

function hoursItemOf(item: unknown, i: number, timeZone: string, details: Details): WorkingHours | undefined {
  const name = `workingHours[${i}]`;
  if (typeof item !== 'object' || item === null) {
    details[name] = [`${name} must be an object such as {"days":["MO"],"start":"09:00","end":"17:00"}`];
    return undefined;
  }
  const { days = WEEKDAYS.slice(0, 5), start, end, timeZone: zone }: Record<string, unknown> = { ...item };
  const weekdays = Array.isArray(days) ? days.map((day) => WEEKDAYS.indexOf(day)) : [-1];
  if (weekdays.includes(-1))
    details[`${name}.days`] = [`${name}.days must be a list of ${WEEKDAYS.join(', ')}`];
  return {
    days: weekdays,
    start: clockOf(`${name}.start`, start, details),
    end: clockOf(`${name}.end`, end, details),
    timeZone: zoneOf(`${name}.timeZone`, zone, details) ?? timeZone,
  };
}

function clockOf(name: string, value: unknown, details: Details): number {
  const [, hour, minute] = (typeof value === 'string' && /^(\d\d):(\d\d)$/.exec(value)) || [];
  const minutes = Number(hour) * 60 + Number(minute);
  if (Number(minute) < 60 && minutes <= DAY_MINUTES) return minutes;
  details[name] = [`${name} must be a time of day such as 09:00`];
  return 0;
}
