/** GET /free-busy: when the user is busy, over all chosen calendars, and nothing else of the events. */

import { ApiError } from '../http/api-error.ts';
import { instantText } from '../lib/instant-text.ts';
import { DAY } from '../lib/recurrence/civil.ts';
import { ianaZone } from '../lib/recurrence/zone.ts';
import type { Grant } from '../oauth/grant.ts';
import { type CalendarFilter, parseCalendarFilter } from '../reading/calendar-filter.ts';
import { parseDateParameter } from '../reading/date-parameter.ts';
import { parameterOf, type RawQuery } from '../reading/events-query.ts';
import {
  type CalendarChoice,
  FRESH_MS,
  freshAccounts,
  LIST_FRESH_MS,
  type Owned,
  type ReadProblem,
  servedOf,
} from '../reading/freshness.ts';
import type { ListEventsDeps } from '../reading/list-events.ts';
import { busyTime } from './busy-time.ts';
import type { Interval } from './intervals.ts';

/** A year, with a day to spare. */
export const LONGEST_WINDOW_MS = 367 * DAY;

/** What is wrong with a request, by field. */
export type Details = Record<string, string[]>;

/** The answer's JSON: `busy`, disjoint and in order, and `errors`. Throws what freshAccounts throws (400, 403, 503). */
export async function freeBusy(query: RawQuery, grant: Grant, deps: ListEventsDeps): Promise<string> {
  const details: Details = {};
  const window = windowOf(parameterOf(query, 'start'), parameterOf(query, 'end'), details);
  const timeZone = zoneOf('timeZone', parameterOf(query, 'timeZone'), details);
  const filter = filterOf(parameterOf(query, 'calendarIds'), details);
  requireValid(details);
  const { calendars, problems } = await readCalendars(grant, filter, deps);
  const busy = await busyTime({ calendars, window, timeZone }, deps.events);
  return JSON.stringify({
    start: instantText(window.start),
    end: instantText(window.end),
    busy: busy.map(textOf),
    ...(problems.length > 0 ? { errors: problems } : {}),
  });
}

export const textOf = ({ start, end }: Interval) => ({ start: instantText(start), end: instantText(end) });

/** The chosen calendars, brought up to date; `problems` names what could not be. `accounts` is how many there are. */
export async function readCalendars(
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  filter: CalendarFilter | undefined,
  deps: ListEventsDeps,
): Promise<{ calendars: readonly Owned[]; problems: readonly ReadProblem[]; accounts: number }> {
  const choice: CalendarChoice =
    filter && (({ href }, { provider }) => filter.get(provider)?.has(href) === true);
  const request = { clientId, userId, listAge: LIST_FRESH_MS, eventAge: FRESH_MS, choice };
  const { accounts, problems } = await freshAccounts(request, deps);
  return { calendars: servedOf(accounts, choice), problems, accounts: accounts.length };
}

/** Throws 400 when anything is wrong. */
export function requireValid(details: Details): void {
  const [problem] = Object.values(details).flat();
  if (problem !== undefined) throw new ApiError(400, 'invalid_request', { message: problem, details });
}

export function windowOf(start: unknown, end: unknown, details: Details): Interval {
  const instant = (name: string, text: unknown): number => {
    const value = typeof text === 'string' ? parseDateParameter(text) : undefined;
    if (value !== undefined) return value;
    const isMissing = text === undefined || text === null || text === '';
    details[name] = [
      `${name} ${isMissing ? 'is missing' : 'must be a date and time such as 2026-11-01T00:00:00Z'}`,
    ];
    return 0;
  };
  const window = { start: instant('start', start), end: instant('end', end) };
  if (details.start !== undefined || details.end !== undefined) return window;
  if (window.start >= window.end) details.start = ['start must be before end'];
  else if (window.end - window.start > LONGEST_WINDOW_MS)
    details.end = ['end must be within a year of start'];
  return window;
}

export function zoneOf(name: string, text: unknown, details: Details): string | undefined {
  if (text === undefined || text === null || text === '') return undefined;
  const zone = typeof text === 'string' ? ianaZone(text) : undefined;
  if (zone === undefined) details[name] = [`${name} must be an IANA time zone such as Europe/Vienna`];
  return zone;
}

export function filterOf(text: string | undefined, details: Details): CalendarFilter | undefined {
  const filter = text === undefined ? undefined : parseCalendarFilter(text);
  if (filter === undefined || !('problem' in filter)) return filter;
  details.calendarIds = [filter.problem];
  return undefined;
}
