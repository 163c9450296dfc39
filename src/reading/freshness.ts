/**
 * Brings what a read asks for up to date before it is answered from the mirror. Slow is not failed: past
 * a bound the mirror is answered as it is, while the sync goes on as a job. Only a failure is told.
 */
import { ApiError } from '../http/api-error.ts';
import { type CalendarChoice, chosenOf, concerns } from './calendar-choice.ts';
import type { CalendarSync } from './calendar-sync.ts';
import type { EventReader, Freshness, MirroredAccount } from './event-reader.ts';
import { problemsOf, type ReadProblem } from './read-problem.ts';

export type FreshnessDeps = {
  readonly events: Pick<EventReader, 'accountsOf'>;
  readonly sync: CalendarSync;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** For how many milliseconds a read waits; the documented bounds unless given. */
  readonly readBounds?: ReadBounds;
};

export type ReadBounds = {
  /** For what was never synced. */
  readonly first: number;
  readonly later: number;
};

export type ReadRequest = {
  readonly clientId: string;
  readonly userId: string;
  /** How old the list of calendars may be, in milliseconds. */
  readonly listAge: number;
  /** How old events may be; `undefined` when the read is of calendars only. */
  readonly eventAge: number | undefined;
  /** Which calendars are read. */
  readonly choice: CalendarChoice;
};

export type FreshAccounts = {
  readonly accounts: readonly MirroredAccount[];
  readonly problems: readonly ReadProblem[];
};

/** Published clients give up after 30 seconds. */
const READ_BOUNDS: ReadBounds = { first: 20_000, later: 5_000 };

/**
 * The user's accounts as they are once that is done. Throws 503 when nothing at all can be served:
 * `sync_in_progress` while a first sync goes on, `providers_unavailable` otherwise; and 403 when accounts
 * are connected but none gave the permission to see calendars (wire 3.2).
 */
export async function freshAccounts(request: ReadRequest, deps: FreshnessDeps): Promise<FreshAccounts> {
  const { clientId, userId } = request;
  const all = await deps.events.accountsOf(clientId, userId);
  requirePermission(all);
  const isConcerned = (account: MirroredAccount) => concerns(account, request.choice);
  let accounts = all.filter(isConcerned);
  const syncs = syncsFor(accounts, request, deps);
  if (syncs.length > 0) {
    await Promise.all(syncs);
    accounts = (await deps.events.accountsOf(clientId, userId)).filter(isConcerned);
  }
  const problems = problemsOf(accounts, request);
  if (problems.length > 0 && !accounts.some((account) => isServed(account, request))) throw nothing(problems);
  return { accounts, problems };
}

function requirePermission(accounts: readonly MirroredAccount[]): void {
  if (accounts.length === 0 || accounts.some(({ calendarPermission }) => calendarPermission !== false))
    return;
  throw new ApiError(403, 'calendar_permission_required', {
    message: 'No connected account has calendar access',
    fields: { accounts: accounts.map(({ provider, accountId }) => ({ provider, account: accountId })) },
  });
}

/** One bounded wait for each thing that is too old. */
function syncsFor(accounts: readonly MirroredAccount[], request: ReadRequest, deps: FreshnessDeps) {
  const waits: Promise<void>[] = [];
  const { sync } = deps;
  const now = deps.now();
  for (const account of accounts) {
    // A refused password is not tried with every read: servers lock accounts that do so.
    if (account.health.state === 'reauth_required' || account.calendarPermission === false) continue;
    const { accountKey } = account;
    if (isOlder(account, now - request.listAge)) {
      const whole = request.eventAge === undefined ? sync.syncList : sync.syncNewCalendars;
      waits.push(
        bounded(account, 'sync-account', accountKey, whole(accountKey, now - request.listAge), deps),
      );
    }
    if (request.eventAge === undefined) continue;
    const notBefore = now - request.eventAge;
    for (const calendar of chosenOf(account, request.choice)) {
      if (!isOlder(calendar, notBefore)) continue;
      const { calendarKey } = calendar;
      waits.push(
        bounded(calendar, 'sync-calendar', calendarKey, sync.syncCalendar(calendarKey, notBefore), deps),
      );
    }
  }
  return waits;
}

/** Neither synced nor tried since then. */
function isOlder({ syncedAt, failedAt, failure }: Freshness, notBefore: number): boolean {
  if (failure !== undefined && failedAt !== undefined && failedAt >= notBefore) return false;
  return syncedAt === undefined || syncedAt < notBefore;
}

async function bounded(
  state: Freshness,
  kind: 'sync-account' | 'sync-calendar',
  key: string,
  running: Promise<unknown>,
  { sync, readBounds = READ_BOUNDS }: FreshnessDeps,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    const bound = state.syncedAt === undefined ? readBounds.first : readBounds.later;
    timer = setTimeout(resolve, bound, 'late');
  });
  try {
    if ((await Promise.race([running, late])) === 'late') await sync.continueAsJob(kind, key);
  } finally {
    clearTimeout(timer);
  }
}

/** Whether the read has anything to answer from this account. */
function isServed(account: MirroredAccount, { eventAge, choice }: ReadRequest): boolean {
  if (account.syncedAt === undefined) return false;
  if (eventAge === undefined) return true;
  const calendars = chosenOf(account, choice);
  return calendars.length === 0
    ? account.failure === undefined
    : calendars.some(({ syncedAt }) => syncedAt !== undefined);
}

function nothing(problems: readonly ReadProblem[]): ApiError {
  const fields = { errors: problems };
  if (problems.some(({ code }) => code === 'sync_in_progress')) {
    const message = 'The calendars are being read for the first time; ask again in a few seconds';
    return new ApiError(503, 'sync_in_progress', { message, fields, headers: { 'retry-after': '5' } });
  }
  const message = 'None of the connected accounts can be read at the moment';
  return new ApiError(503, 'providers_unavailable', { message, fields, headers: { 'retry-after': '30' } });
}
