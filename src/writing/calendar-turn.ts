/**
 * Writes and syncs of one calendar take turns over all instances, by the calendar's lease. Within a process writers
 * queue for it, so that one of them asks the database at a time and nobody is passed over.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Account } from '../calendars/account-store.ts';
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import type { EventWriting, WriteResult } from '../calendars/event-writing.ts';
import { healthAfter } from '../calendars/health.ts';
import type { MirroredChanges } from '../calendars/mirrored-event.ts';
import { ProviderError, type ProviderErrorKind } from '../calendars/provider-error.ts';
import { failureOfError } from '../calendars/sync-failure.ts';
import { ApiError } from '../http/refusal.ts';
import { ownerOf } from '../lib/fair-slots/slot-owner.ts';
import { LATE, within } from '../lib/within.ts';
import { READING } from '../reading/read-error.ts';
import { LEASE_MS, RENEW_EVERY_MS } from '../sync/lease.ts';
import type { MirroredCalendar, SyncLease } from '../sync/mirror-store.ts';
import type { WriteDeps } from './write-deps.ts';
import { WRITING } from './write-refusal.ts';

/** What a write has while it is its turn. */
export type Turn = {
  readonly calendar: MirroredCalendar;
  readonly provider: Account['provider'];
  readonly writing: EventWriting;
  /**
   * Puts what the provider answered into the mirror, as the application's own change unless it is `others`'. Throws 503
   * when the turn was lost: the next sync brings it.
   */
  keep(result: WriteResult, of?: 'others'): Promise<void>;
  /** Series that wait for an earlier change of theirs to be finished: their resources. */
  readonly unfinished?: ReadonlySet<string>;
};

/** Which calendar, and whose. */
export type TurnOf = { readonly calendarKey: string; readonly accountKey: string };

/** Published clients give up after 30 seconds. */
export const TURN_BOUND_MS = 20_000;
const POLL_MS = 50;

/**
 * Runs `work` when it is the calendar's turn to be written to. Throws 503 `calendar_busy` when that takes too long, 404
 * when calendar or account are gone; a failure of the provider goes through, once it is noted in the account's health.
 */
export async function inTurn<T>(
  turnOf: TurnOf,
  work: (turn: Turn) => Promise<T>,
  deps: WriteDeps,
): Promise<T> {
  const { calendarKey } = turnOf;
  const deadline = performance.now() + (deps.turnBound ?? TURN_BOUND_MS);
  const before = deps.turns.get(calendarKey) ?? Promise.resolve();
  let leave = () => {};
  const turnEnd = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const tail = before.then(() => turnEnd);
  deps.turns.set(calendarKey, tail);
  try {
    if ((await within(deadline - performance.now(), before)) === LATE) throw busy();
    return await underLease({ ...turnOf, deadline }, work, deps);
  } finally {
    leave();
    if (deps.turns.get(calendarKey) === tail) deps.turns.delete(calendarKey);
  }
}

async function underLease<T>(
  { calendarKey, accountKey, deadline }: TurnOf & { readonly deadline: number },
  work: (turn: Turn) => Promise<T>,
  deps: WriteDeps,
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
  const stopRenewing = renewing(lease, deps);
  try {
    const { account, open } = await openForWriting(accountKey, deps);
    const { writing } = open;
    const renderFor = { calendarZone: calendar.timeZone, owner: ownerOf(account) };
    const keep = async ({ changed, removed }: WriteResult, of?: 'others') => {
      const apply = async () => {
        const changes = { ...(await deps.rendering(changed, renderFor)), removed, own: of !== 'others' };
        return mirror.applyChanges(lease, changes, now() + LEASE_MS);
      };
      const applied = await apply().catch(notShown);
      if (applied === true) return;
      await deps.jobs.schedule('sync-calendar', calendarKey, now());
      throw applied === false ? lost() : applied;
    };
    return await runAndRecordHealth(
      account,
      () => work({ calendar, provider: account.provider, writing, keep }),
      deps,
    );
  } finally {
    await stopRenewing();
    await mirror.releaseCalendar(lease);
  }
}

const NOTHING: MirroredChanges = { changed: [], leftOut: [], removed: [] };

/** Extends the lease while the work goes on, as a sync does by a part without changes. Answers what ends that. */
function renewing(lease: SyncLease, deps: WriteDeps): () => Promise<void> {
  const { mirror, now, log, renewEvery = RENEW_EVERY_MS } = deps;
  let last: Promise<unknown> = Promise.resolve();
  const renew = () =>
    mirror.applyChanges(lease, NOTHING, now() + LEASE_MS).catch((err: unknown) => {
      log.warn(
        { event: 'write_turn_not_renewed', calendarKey: lease.key, err },
        'The turn of a write could not be renewed',
      );
    });
  const timer = setInterval(() => {
    last = last.then(renew);
  }, renewEvery);
  return async () => {
    clearInterval(timer);
    await last;
  };
}

/** Returns the failure of a write whose result the mirror cannot show. The provider has it; the next sync brings it. */
function notShown(reason: unknown): ProviderError {
  if (!(reason instanceof ProviderError)) throw reason;
  if (reason.kind !== 'too_large') return reason;
  const message = `The provider made the change, but it cannot be shown. ${reason.message}`;
  return new ProviderError('too_large', message, { reason: 'calendar_too_large', cause: reason });
}

/** The account, opened. Throws 404 when it is gone, and fails as `permission_missing` when it may only be read. */
export async function openForWriting(
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
export async function runAndRecordHealth<T>(
  account: Account,
  work: () => Promise<T>,
  deps: WriteDeps,
): Promise<T> {
  const { accounts, log, now } = deps;
  try {
    const result = await work();
    if (account.health.state !== 'active') await accounts.recover(account.accountKey, now());
    return result;
  } catch (reason) {
    if (reason instanceof ProviderError) {
      const { kind } = reason;
      log.warn(
        {
          event: 'write_failed',
          accountKey: account.accountKey,
          provider: account.provider,
          kind,
          err: reason,
        },
        'A write failed',
      );
      const problem = healthAfter(failureOfError(reason, now()), account.provider);
      const counts = !NOT_OF_THE_ACCOUNT.has(kind) && !reason.notSent;
      if (counts && problem !== undefined) await accounts.setHealth(account, problem, now());
    }
    throw reason;
  }
}

const busy = () => new ApiError(WRITING.calendar_busy);
const gone = () =>
  new ApiError(READING.calendar_not_found, 'The calendar or its account is no longer connected');
const lost = () =>
  new ApiError(READING.sync_in_progress, 'The calendar was written to, but reading it back took too long');
