/** POST /availability: slots in which all users are free. The response does not show who is busy at other times. */

import { ApiError, errorTable } from '../http/refusal.ts';
import { DAY, type DayNumber, dayOfLocal, weekdayOf } from '../lib/recurrence/civil.ts';
import { instantOfLocal, localOfInstant } from '../lib/recurrence/zone.ts';
import type { ScopedReader } from '../oauth/grant.ts';
import { leftOutProblems, type ReadProblem } from '../reading/freshness.ts';
import type { ListEventsDeps } from '../reading/list-events.ts';
import type { AvailabilityRequest } from './availability-request.ts';
import { busyTime } from './busy-time.ts';
import { readCalendars, renderInterval } from './free-busy.ts';
import { clipped, common, gaps, type Interval, merged, type Part } from './intervals.ts';

export const FREE_BUSY = errorTable({
  user_not_connected: {
    status: 404,
    message: 'The user ada has no connected calendar account',
    when: 'A user in `user_ids` has no connected account.',
    fix: 'Send that user to `/authorize`.',
    field: 'user_ids',
  },
  client_authentication_required: {
    status: 403,
    message:
      'user_ids requires client authentication (HTTP Basic): an access token is valid for its own user only',
    when: 'A request with an access token names users in `user_ids`.',
    fix: 'Authenticate as the application, with HTTP Basic.',
    field: 'user_ids',
  },
});

/** Monday to Friday; 0 is Monday. */
const WORKDAYS = [0, 1, 2, 3, 4];
const MINUTE = 60_000;

/** Returns `slots` and `errors` as JSON. Throws 404 `user_not_connected`, 403 or 503 like freshAccounts, and like pageOfEvents. */
export async function availability(
  request: AvailabilityRequest,
  { users, signal }: { readonly users: readonly ScopedReader[]; readonly signal: AbortSignal },
  deps: ListEventsDeps,
): Promise<string> {
  const { duration, bufferBefore = 0, bufferAfter = 0, minimumNotice = 0, step = 30, limit = 50 } = request;
  const { start, end, timeZone, calendarIds, workingHours = [] } = request;
  const window = { start, end };
  const lengths = {
    duration: duration * MINUTE,
    bufferBefore: bufferBefore * MINUTE,
    bufferAfter: bufferAfter * MINUTE,
    step: step * MINUTE,
  };
  // An event outside the window can still be too near to a slot inside.
  const wide = { start: window.start - lengths.bufferBefore, end: window.end + lengths.bufferAfter };
  const busy: Interval[] = [];
  const problems: (ReadProblem & { readonly user_id?: string })[] = [];
  for (const user of users) {
    const { calendars, accounts, problems: unread } = await readCalendars(user, calendarIds, deps);
    if (accounts === 0) throw notConnected(user);
    const time = await busyTime({ user, calendars, window: wide, timeZone, signal }, deps);
    for (const interval of time.busy) busy.push(interval);
    const name = request.user_ids === undefined ? {} : { user_id: user.userId };
    const missing = [...unread, ...leftOutProblems(calendars, time.leftOut)];
    for (const problem of missing) problems.push({ ...problem, ...name });
  }
  const hours = workingHours.map(({ days = WORKDAYS, timeZone: zone = timeZone ?? 'UTC', ...clock }) => ({
    days,
    timeZone: zone,
    ...clock,
  }));
  const open = hours.length === 0 ? [window] : workingTime(hours, window);
  const earliest = deps.now() + minimumNotice * MINUTE;
  const slots = freeSlots(busy, open, { ...lengths, window, earliest, limit });
  return JSON.stringify({
    slots: slots.map(renderInterval),
    ...(problems.length > 0 ? { errors: problems } : {}),
  });
}

function notConnected({ userId }: ScopedReader): ApiError {
  return new ApiError(FREE_BUSY.user_not_connected, `The user ${userId} has no connected calendar account`);
}

export type WorkingHours = {
  /** 0 is Monday. */
  readonly days: readonly number[];
  /** Minutes of the day; an end that is not after the start is on the next day. */
  readonly start: number;
  readonly end: number;
  /** An IANA name. */
  readonly timeZone: string;
};

const MINUTES_OF_DAY = 1440;

/** Returns the working time within the window as disjoint intervals in order. */
export function workingTime(hours: readonly WorkingHours[], window: Interval): Interval[] {
  return clipped(merged(hours.flatMap((one) => listWorkingIntervals(one, window))), window);
}

function listWorkingIntervals({ days, start, end, timeZone }: WorkingHours, window: Interval): Interval[] {
  const first = dayOfLocal(localOfInstant(timeZone, window.start)) - 1;
  const last = dayOfLocal(localOfInstant(timeZone, window.end));
  const length = end > start ? end - start : end - start + MINUTES_OF_DAY;
  const intervals: Interval[] = [];
  for (let day: DayNumber = first; day <= last; day += 1) {
    if (!days.includes(weekdayOf(day))) continue;
    const local = day * DAY + start * MINUTE;
    intervals.push({
      start: instantOfLocal(timeZone, local),
      end: instantOfLocal(timeZone, local + length * MINUTE),
    });
  }
  return intervals;
}

/** Lengths in milliseconds. */
export type SlotRules = {
  readonly window: Interval;
  readonly duration: number;
  /** The free time before and after the meeting. It may lie outside the hours and the window. */
  readonly bufferBefore: number;
  readonly bufferAfter: number;
  /** The earliest start of a slot: now plus the notice. */
  readonly earliest: number;
  readonly step: number;
  readonly limit: number;
};

/**
 * Returns at most `limit` slots in order, within `open` (disjoint, in order) and separated from `busy` by the buffers.
 * Steps count from the start of each open interval. A long enough gap without a step gets one slot, at a whole minute
 * if possible.
 */
export function freeSlots(
  busy: readonly Interval[],
  open: readonly Interval[],
  rules: SlotRules,
): Interval[] {
  const { window, duration, bufferBefore, bufferAfter, earliest, limit } = rules;
  const padded = busy.map(({ start, end }) => ({ start: start - bufferAfter, end: end + bufferBefore }));
  const from = { start: Math.max(window.start, earliest), end: window.end };
  const free = from.start < from.end ? gaps(padded, from) : [];
  const slots: Interval[] = [];
  for (const gap of common(open, free)) {
    for (const start of startsIn(gap, rules)) {
      if (slots.length >= limit) return slots;
      slots.push({ start, end: start + duration });
    }
  }
  return slots;
}

function* startsIn({ start, end, within }: Part, { duration, step }: SlotRules): Generator<number> {
  const last = end - duration;
  const first = within.start + Math.ceil((start - within.start) / step) * step;
  if (first <= last) {
    for (let at = first; at <= last; at += step) yield at;
  } else if (start <= last) {
    const minute = Math.ceil(start / MINUTE) * MINUTE;
    yield minute <= last ? minute : start;
  }
}
