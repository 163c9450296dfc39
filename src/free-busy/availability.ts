/**
 * POST /availability: slots in which all the users are free. It shows no more than that, not even who is busy when they
 * are not.
 */

import { ApiError } from '../http/api-error.ts';
import type { ListEventsDeps } from '../reading/list-events.ts';
import type { ReadProblem } from '../reading/read-problem.ts';
import type { AvailabilityRequest } from './availability-request.ts';
import { busyTime } from './busy-time.ts';
import { readable, textOf } from './free-busy.ts';
import type { Interval } from './intervals.ts';
import { freeSlots } from './slots.ts';
import { workingTime } from './working-hours.ts';

export type UserAsked = { readonly clientId: string; readonly userId: string };

const MINUTE = 60_000;

/**
 * The answer's JSON: `slots` in order, and `errors`. A user without a connected account is free at no time that anybody
 * knows: 404 `user_not_connected`. Further refusals: 400, 403 and 503 as freshAccounts says.
 */
export async function availability(
  request: AvailabilityRequest,
  users: readonly UserAsked[],
  deps: ListEventsDeps,
): Promise<string> {
  const { duration, bufferBefore, bufferAfter, minimumNotice, step, limit, window, workingHours } = request;
  const lengths = {
    duration: duration * MINUTE,
    bufferBefore: bufferBefore * MINUTE,
    bufferAfter: bufferAfter * MINUTE,
    step: step * MINUTE,
  };
  // What lies outside the window can still be too near to a slot inside.
  const wide = { start: window.start - lengths.bufferBefore, end: window.end + lengths.bufferAfter };
  const busy: Interval[] = [];
  const problems: (ReadProblem & { readonly user_id?: string })[] = [];
  for (const user of users) {
    const read = await readable(user, request.filter, deps);
    if (read.accounts === 0) throw notConnected(user);
    busy.push(...(await busyTime(read.calendars, wide, request.timeZone, deps.events)));
    const name = request.userIds === undefined ? {} : { user_id: user.userId };
    problems.push(...read.problems.map((problem) => ({ ...problem, ...name })));
  }
  const open = workingHours.length === 0 ? [window] : workingTime(workingHours, window);
  const earliest = deps.now() + minimumNotice * MINUTE;
  const slots = freeSlots(busy, open, { ...lengths, window, earliest, limit });
  return JSON.stringify({
    slots: slots.map(textOf),
    ...(problems.length > 0 ? { errors: problems } : {}),
  });
}

function notConnected({ userId }: UserAsked): ApiError {
  const problem = `The user ${userId} has no connected calendar account`;
  return new ApiError(404, 'user_not_connected', problem, { details: { user_ids: [problem] } });
}
