/** GET /free-busy: the user's busy time over all chosen calendars, without any other details of events. */

import { instantText } from '../lib/rendered-json.ts';
import type { ScopedReader } from '../oauth/grant.ts';
import type { CalendarFilter } from '../reading/events-query.ts';
import {
  FRESH_MS,
  freshAccounts,
  LIST_FRESH_MS,
  leftOutProblems,
  listSyncedCalendars,
  type Owned,
  type ReadProblem,
  toCalendarChoice,
} from '../reading/freshness.ts';
import type { ListEventsDeps, ReadCaller } from '../reading/list-events.ts';
import { parseFreeBusy } from './availability-request.ts';
import { busyTime } from './busy-time.ts';
import { type Interval, merged } from './intervals.ts';

/**
 * Returns `busy` (disjoint, in order) and `errors` as JSON. Throws 400, 403 or 503 like freshAccounts, and like
 * pageOfEvents.
 */
export async function freeBusy(
  query: unknown,
  { grant, closed }: ReadCaller,
  deps: ListEventsDeps,
): Promise<string> {
  const { start, end, timeZone, calendarIds: filter } = parseFreeBusy(query);
  const window = { start, end };
  const { calendars, problems } = await readCalendars(grant, filter, deps);
  const { busy, leftOut } = await busyTime(
    { user: grant, calendars, window, timeZone, signal: closed() },
    deps,
  );
  const errors = [...problems, ...leftOutProblems(calendars, leftOut)];
  return JSON.stringify({
    start: instantText(window.start),
    end: instantText(window.end),
    busy: merged(busy).map(renderInterval),
    ...(errors.length > 0 ? { errors } : {}),
  });
}

export const renderInterval = ({ start, end }: Interval) => ({
  start: instantText(start),
  end: instantText(end),
});

/** Returns the chosen calendars, synced, the problems with the others, and the number of accounts. */
export async function readCalendars(
  reader: ScopedReader,
  filter: CalendarFilter | undefined,
  deps: ListEventsDeps,
): Promise<{ calendars: readonly Owned[]; problems: readonly ReadProblem[]; accounts: number }> {
  const choice = toCalendarChoice(filter);
  const { accounts, problems } = await freshAccounts(
    { reader, needs: 'free-busy', listAge: LIST_FRESH_MS, eventAge: FRESH_MS, choice },
    deps,
  );
  return { calendars: listSyncedCalendars(accounts, choice), problems, accounts: accounts.length };
}
