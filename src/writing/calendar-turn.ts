/**
 * Writes and syncs of one calendar take turns over all instances, by the calendar's lease. Within a process writers
 * queue for it, so that one of them asks the database at a time and nobody is passed over.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Account } from '../calendars/account-store.ts';
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import type { EventWriting, Written } from '../calendars/event-writing.ts';
import { healthAfter } from '../calendars/health.ts';
import { ProviderError, type ProviderErrorKind } from '../calendars/provider-error.ts';
import { renderChanges } from '../calendars/render-event.ts';
import { failureOfError } from '../calendars/sync-failure.ts';
import { ApiError } from '../http/api-error.ts';
import type { MirroredAccount } from '../reading/event-reader.ts';
import { LEASE_MS } from '../sync/event-sync.ts';
import type { MirroredCalendar } from '../sync/mirror-store.ts';
import type { WriteDeps } from './write-deps.ts';

/** Who waits in this process, by calendar. */
export type CalendarTurns = Map<string, Promise<void>>;

export const calendarTurns = (): CalendarTurns => new Map();

/** What a write has while it is its turn. */
export type Turn = {
  readonly calendar: MirroredCalendar;
  readonly provider: Account['provider'];
  readonly writing: EventWriting;
  /** Puts what the provider answered into the mirror. Throws 503 when the turn was lost: the next sync brings it. */
  keep(written: Written): Promise<void>;
};

/** Whose calendar it is. */
export type TurnOwner = Pick<MirroredAccount, 'accountKey'>;

/** Published clients give up after 30 seconds. */
export const TURN_BOUND_MS = 20_000;
const POLL_MS = 50;

/**
 * Runs `work` when it is the calendar's turn to be written to. Throws 503 `calendar_busy` when that takes too long, 404
 * when calendar or account are gone; a failure of the provider goes through, once it is noted in the account's health.
 */
export async function inTurn<T>(
  owner: TurnOwner,
  calendarKey: string,
  deps: WriteDeps,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + (deps.turnBound ?? TURN_BOUND_MS);
  const before = deps.turns.get(calendarKey) ?? Promise.resolve();
  let leave = () => {};
  const own = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const tail = before.then(() => own);
  deps.turns.set(calendarKey, tail);
  try {
    if (!(await endsBefore(before, deadline))) throw busy();
    return await underLease(owner, calendarKey, deadline, deps, work);
  } finally {
    leave();
    if (deps.turns.get(calendarKey) === tail) deps.turns.delete(calendarKey);
  }
}

/** Whether it resolves before the deadline (`performance.now()`). */
export async function endsBefore(promise: Promise<void>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadline - performance.now()), false);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function underLease<T>(
  { accountKey }: TurnOwner,
  calendarKey: string,
  deadline: number,
  deps: WriteDeps,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  const { mirror, now } = deps;
  const lease = { key: calendarKey, holder: randomUUID() };
  let calendar = await mirror.leaseCalendar(lease, now(), now() + LEASE_MS);
  while (calendar === undefined) {
    if ((await mirror.findCalendar(calendarKey)) === undefined) throw gone();
    if (performance.now() >= deadline) throw busy();
    await sleep(POLL_MS);
    calendar = await mirror.leaseCalendar(lease, now(), now() + LEASE_MS);
  }
  try {
    const { account, open } = await openedToWrite(accountKey, deps);
    const { writing } = open;
    const keep = async (written: Written) => {
      if (await mirror.applyChanges(lease, renderChanges(written), now() + LEASE_MS)) return;
      await deps.jobs.schedule('sync-calendar', calendarKey, now());
      throw lost();
    };
    return await noting(account, deps, () => work({ calendar, provider: account.provider, writing, keep }));
  } finally {
    await mirror.releaseCalendar(lease);
  }
}

/** The account, opened. Throws 404 when it is gone, and fails as `permission_missing` when it may only be read. */
export async function openedToWrite(
  accountKey: string,
  deps: WriteDeps,
): Promise<{ account: Account; open: CalendarAccount }> {
  const account = await deps.accounts.findAccount(accountKey);
  const credentials = await deps.accounts.credentialsOf(accountKey);
  if (account === undefined || credentials === undefined) throw gone();
  const provider = deps.providers[account.provider];
  if (provider === undefined) {
    const message = `The provider ${account.provider} is not set up here`;
    throw new ProviderError('misconfigured', message, { reason: 'provider_not_set_up' });
  }
  // The application may write, the account not: it was connected for reading, and more was never granted.
  if (provider.signIn.method === 'redirect' && !provider.signIn.covers(account.grantedScopes, 'read-write')) {
    const message =
      'The account was connected without the permission to write: let its user connect it again';
    throw new ProviderError('permission_missing', message, { reason: 'calendar_permission_missing' });
  }
  return { account, open: provider.open(credentials, deps.sessions.open(account)) };
}

/** These say something of an event or of this permission, not of whether the account can be read. */
const NOT_OF_THE_ACCOUNT: ReadonlySet<ProviderErrorKind> = new Set([
  'not_found',
  'precondition_failed',
  'permission_missing',
]);

/** A write says as much of an account's health as a sync does. */
export async function noting<T>(account: Account, deps: WriteDeps, work: () => Promise<T>): Promise<T> {
  const { accounts, log, now } = deps;
  try {
    const done = await work();
    if (account.health.state !== 'active') await accounts.recover(account.accountKey, now());
    return done;
  } catch (reason) {
    if (reason instanceof ProviderError) {
      const { kind } = reason;
      log.warn(
        { accountKey: account.accountKey, provider: account.provider, kind, err: reason },
        'A write failed',
      );
      const problem = healthAfter(failureOfError(reason, now()), account.provider);
      const counts = !NOT_OF_THE_ACCOUNT.has(kind) && !reason.notSent;
      if (counts && problem !== undefined) await accounts.setHealth(account, problem, now());
    }
    throw reason;
  }
}

const busy = () =>
  new ApiError(503, 'calendar_busy', {
    message: 'The calendar is being synced or written to; try again in a few seconds',
    headers: { 'retry-after': '5' },
  });
const gone = () =>
  new ApiError(404, 'calendar_not_found', 'The calendar or its account is no longer connected');
const lost = () =>
  new ApiError(503, 'sync_in_progress', {
    message: 'The calendar was written to, but reading it back took too long',
    headers: { 'retry-after': '5' },
  });
