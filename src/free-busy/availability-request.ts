/** The body of POST /availability. Lengths are minutes. */
import type { CalendarFilter } from '../reading/calendar-filter.ts';
import { type Details, filterOf, requireValid, windowOf, zoneOf } from './free-busy.ts';
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

type MinutesRange = { readonly least: number; readonly most: number; readonly fallback?: number };

/** Throws 400 with everything that is wrong. */
export function parseAvailability(body: unknown): AvailabilityRequest {
  const details: Details = {};
  // Anything but an object has no fields, and so lacks the required ones.
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const minutes = (name: string, { least, most, fallback }: MinutesRange): number => {
    const value = fields[name] ?? undefined;
    if (value === undefined && fallback !== undefined) return fallback;
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    const problem = value === undefined ? 'is missing' : `must be a whole number from ${least} to ${most}`;
    details[name] = [`${name} ${problem}`];
    return least;
  };
  const duration = minutes('duration', { least: 1, most: 7 * DAY_MINUTES });
  const timeZone = zoneOf('timeZone', fields.timeZone, details);
  const request = {
    window: windowOf(fields.start, fields.end, details),
    duration,
    bufferBefore: minutes('bufferBefore', { least: 0, most: DAY_MINUTES, fallback: 0 }),
    bufferAfter: minutes('bufferAfter', { least: 0, most: DAY_MINUTES, fallback: 0 }),
    minimumNotice: minutes('minimumNotice', { least: 0, most: 366 * DAY_MINUTES, fallback: 0 }),
    step: minutes('step', { least: 1, most: DAY_MINUTES, fallback: 30 }),
    limit: minutes('limit', { least: 1, most: 500, fallback: DEFAULT_LIMIT }),
    timeZone,
    workingHours: hoursListOf(fields.workingHours, timeZone ?? 'UTC', details),
    filter: fields.calendarIds == null ? undefined : filterOf(JSON.stringify(fields.calendarIds), details),
    userIds: userIdsOf(fields.user_ids, details),
  };
  requireValid(details);
  return request;
}

function userIdsOf(value: unknown, details: Details): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const isList = Array.isArray(value) && value.length > 0 && value.length <= MOST_USERS;
  if (isList && value.every((id) => typeof id === 'string' && id !== '')) return [...new Set(value)];
  details.user_ids = [`user_ids must be a list of 1 to ${MOST_USERS} user ids`];
  return undefined;
}

function hoursListOf(value: unknown, timeZone: string, details: Details): WorkingHours[] {
  if (value === undefined || value === null) return [];
  const list = Array.isArray(value) ? value : [value];
  if (list.length > MOST_HOURS)
    details.workingHours = [`workingHours must have at most ${MOST_HOURS} entries`];
  return list
    .slice(0, MOST_HOURS)
    .flatMap((item, i) => hoursOf(item, { name: `workingHours[${i}]`, timeZone }, details) ?? []);
}

function hoursOf(
  item: unknown,
  { name, timeZone }: { name: string; timeZone: string },
  details: Details,
): WorkingHours | undefined {
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
    start: minuteOfDay(`${name}.start`, start, details),
    end: minuteOfDay(`${name}.end`, end, details),
    timeZone: zoneOf(`${name}.timeZone`, zone, details) ?? timeZone,
  };
}

function minuteOfDay(name: string, value: unknown, details: Details): number {
  const [, hour, minute] = (typeof value === 'string' && /^(\d\d):(\d\d)$/.exec(value)) || [];
  const minutes = Number(hour) * 60 + Number(minute);
  if (Number(minute) < 60 && minutes <= DAY_MINUTES) return minutes;
  details[name] = [`${name} must be a time of day such as 09:00`];
  return 0;
}
