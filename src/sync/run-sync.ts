/** Runs syncs, one at a time for a calendar or a list over all instances, by leases. Callers share a running sync. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountSessions } from '../access/account-session.ts';
import type { Account, AccountProblem, AccountStore } from '../calendars/account-store.ts';
import { isCutList } from '../calendars/calendar-list.ts';
import type { CalendarProvider } from '../calendars/calendar-provider.ts';
import { healthAfter } from '../calendars/health.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import { failureOfError, type SyncFailure } from '../calendars/sync-failure.ts';
import type { JobStore } from '../jobs/job-store.ts';
import { databaseProblem } from '../lib/database-away-error.ts';
import type { SlotPlace } from '../lib/fair-slots/slot-counts.ts';
import type { SlotListener } from '../lib/fair-slots/slot-listener.ts';
import { placeOfOwner, toSlotOwner } from '../lib/fair-slots/slot-owner.ts';
import { type QueueLimits, SlotQueue } from '../lib/fair-slots/slot-queue.ts';
import { hostOfUrl } from '../lib/host-of-url.ts';
import type { Log } from '../lib/log.ts';
import type { CalendarSync } from '../reading/calendar-sync.ts';
import type { SyncOutcome } from './event-sync.ts';
import { LEASE_MS } from './lease.ts';
import type { MirrorStore, SyncLease } from './mirror-store.ts';
import { countedFailure, setAside } from './plan-sync.ts';
import { calendarTarget, listTarget, type Target, type TargetDeps, type Work } from './sync-targets.ts';

type AccountCalls = 'findAccount' | 'credentialsOf' | 'setHealth' | 'recover' | 'keepAddresses';

type SyncDeps = TargetDeps & {
  readonly accounts: Pick<AccountStore, AccountCalls>;
  readonly jobs: Pick<JobStore, 'schedule'>;
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  readonly sessions: AccountSessions;
  readonly log: Log;
  /** Called after each sync of this process. */
  readonly syncEnded?: ((sync: EndedSync) => void) | undefined;
  readonly slots?: SlotListener;
};

/** Instants are epoch milliseconds. */
export type EndedSync = {
  readonly clientId: string;
  readonly provider: ProviderKind;
  readonly kind: Target['kind'];
  /** Its failure's kind, or its result. */
  readonly outcome: SyncOutcome | SyncFailure['kind'];
  readonly startedAt: number;
  /** The start of the last successful sync before it; undefined for the first. */
  readonly syncedAt: number | undefined;
};

/** `excuse` comes first at the stop: interrupted syncs then do not count. `stop` waits and releases request slots. */
export type RunningSync = CalendarSync & { excuse(): Promise<void>; stop(): Promise<void> };

const POLL_MS = 100;
/** A paused or postponed sync continues after this time, so that others have a turn. */
const PAUSE_MS = 1_000;
const CALENDARS_AT_ONCE = 4;

/** A sync that callers share. `startedAt` is undefined while it waits for its turn. */
type SharedSync = {
  startedAt: number | undefined;
  notBefore: number;
  readonly outcome: Promise<SyncFailure | undefined>;
};

const TOO_MANY: SyncFailure = { kind: 'busy', message: 'Too many calendars of this user are being synced' };

export function runningSync(deps: SyncDeps): RunningSync {
  const running = new Map<string, SharedSync>();
  const unfinished = new Set<Promise<unknown>>();
  const slots = syncSlots(deps.slots);
  const stop = new AbortController();
  const leases = leasesUnderWay();

  const start = async (target: Target, shared: Omit<SharedSync, 'outcome'>) => {
    const leave = await slots.enter(await findSyncPlace(target, deps));
    if (leave === undefined) return TOO_MANY;
    shared.startedAt = deps.now();
    const work = syncOnce(target, shared.notBefore, { ...deps, leases, stopped: stop.signal });
    return work.catch(failureOfDatabase).finally(leave);
  };
  /** Joins a sync that began late enough or has not begun, otherwise starts one. */
  const share = (target: Target, notBefore: number): Promise<SyncFailure | undefined> => {
    const name = `${target.kind} ${target.key}`;
    const current = running.get(name);
    if (current !== undefined && (current.startedAt ?? notBefore) >= notBefore) {
      current.notBefore = Math.max(current.notBefore, notBefore);
      return current.outcome;
    }
    const shared = { startedAt: undefined, notBefore };
    const outcome = start(target, shared).finally(() => {
      unfinished.delete(outcome);
      if (running.get(name)?.outcome === outcome) running.delete(name);
    });
    unfinished.add(outcome);
    running.set(name, Object.assign(shared, { outcome }));
    return outcome;
  };
  const syncList = (key: string, notBefore: number) => share(listTarget(key, deps), notBefore);
  const syncCalendar = async (key: string, notBefore: number) => {
    const failure = await share(calendarTarget(key, deps), notBefore);
    if (failure?.kind !== 'not_found') return failure;
    // Either the list lacks the calendar, or something is wrong.
    const { mirror, accounts, now } = deps;
    const calendar = await mirror.findCalendar(key);
    if (calendar === undefined) return undefined;
    await syncList(calendar.accountKey, now());
    if ((await mirror.findCalendar(key)) === undefined) return undefined;
    const account = await accounts.findAccount(calendar.accountKey);
    if (account !== undefined) await recordProblem(account, failure, deps);
    return failure;
  };

  return {
    syncList,
    syncCalendar,
    async syncNewCalendars(accountKey, notBefore) {
      const failure = await syncList(accountKey, notBefore);
      const calendars = await deps.mirror.listCalendars(accountKey);
      const fresh = calendars.filter(({ syncedAt }) => syncedAt === undefined);
      await inParallel(fresh, ({ calendarKey }) => syncCalendar(calendarKey, notBefore));
      return failure;
    },
    async continueAsJob(kind, key) {
      // Due when the lease of a dead process would have ended: until then the sync is running.
      await deps.jobs.schedule(kind, key, deps.now() + LEASE_MS);
    },
    excuse: () => leases.excuse(),
    async stop() {
      stop.abort();
      await Promise.allSettled(unfinished);
      await deps.sessions.stop();
    },
  };
}

/** Runs `work` on each item, a few at a time. */
async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: CALENDARS_AT_ONCE }, worker));
}

type RunDeps = SyncDeps & { readonly stopped: AbortSignal; readonly leases: LeasesUnderWay };

async function syncOnce(
  target: Target,
  notBefore: number,
  { stopped, leases, ...deps }: RunDeps,
): Promise<SyncFailure | undefined> {
  while (!stopped.aborted) {
    const state = await target.state();
    if (state === undefined) return undefined;
    const isCut = isCutList(state);
    if (state.failure !== undefined && !isCut) {
      const isRecent = (state.failedAt ?? 0) >= notBefore || (state.failure.retryAt ?? 0) > deps.now();
      if (isRecent) return state.failure;
    } else if (state.syncedAt !== undefined && state.syncedAt >= notBefore) return undefined;

    const lease = { key: target.key, holder: randomUUID() };
    const work = await target.lease(lease);
    // Another run may have ended since the check.
    const isFresh = work !== undefined && ((await target.state())?.syncedAt ?? -1) >= notBefore;
    if (isFresh) {
      await target.excuse(lease);
      await target.giveBack(lease);
    } else if (work !== undefined) {
      const unfinished = { unfinished: work.unfinished, before: state.failure, what: target.what };
      const aside = setAside(unfinished, deps.now());
      if (aside !== undefined) await target.setAside(lease, aside);
      if (aside?.isDue === false) return await recordSetAside(work.accountKey, aside.failure, deps);
      const previous = isCut ? undefined : state.failure;
      const outcome = await leases.during({ target, lease }, () =>
        runLeased(target, { ...work, lease, previous, syncedAt: state.syncedAt }, deps),
      );
      if (outcome !== 'lost') return outcome;
    }
    await sleep(POLL_MS, undefined, { signal: stopped }).catch(() => {});
  }
  return { kind: 'unavailable', message: 'The service is shutting down' };
}

type LeasedWork = Work & {
  readonly lease: SyncLease;
  readonly previous: SyncFailure | undefined;
  readonly syncedAt: number | undefined;
};

async function runLeased(
  target: Target,
  work: LeasedWork,
  deps: SyncDeps,
): Promise<SyncFailure | undefined | 'lost'> {
  const account = await deps.accounts.findAccount(work.accountKey);
  if (account === undefined) return undefined;
  const { clientId, provider: kind } = account;
  const startedAt = deps.now();
  const { syncedAt } = work;
  const tell = (ended: EndedSync['outcome']) =>
    deps.syncEnded?.({ clientId, provider: kind, kind: target.kind, outcome: ended, startedAt, syncedAt });
  let outcome: SyncOutcome;
  let leftOut: AccountProblem | undefined;
  let cut: SyncFailure | undefined;
  try {
    const credentials = await deps.accounts.credentialsOf(work.accountKey);
    if (credentials === undefined) return undefined;
    const provider = deps.providers[kind];
    if (provider === undefined) {
      const message = `The provider ${kind} is not set up here`;
      throw new ProviderError('misconfigured', message, { reason: 'provider_not_set_up' });
    }
    const session = deps.sessions.open(account);
    ({ outcome, leftOut, cut } = await work.run(provider.open(credentials, session), account));
  } catch (reason) {
    const cause = reportSyncFailure(reason, { account, job: target.kind }, deps);
    const notSent = reason instanceof ProviderError && reason.notSent;
    const failure = notSent ? cause : countedFailure(cause, work.previous, deps.now());
    tell(failure.kind);
    if (failure.kind === 'busy') {
      await target.excuse(work.lease);
      await target.giveBack(work.lease);
      await deps.jobs.schedule(target.kind, target.key, deps.now() + PAUSE_MS);
      return failure;
    }
    await target.fail(work.lease, failure);
    // The calendar may be missing in the list, which is read first.
    const isGone = target.kind === 'sync-calendar' && failure.kind === 'not_found';
    if (!isGone) await recordProblem(account, failure, deps);
    return failure;
  }
  tell(outcome);
  if (outcome === 'lost') await target.giveBack(work.lease);
  if (outcome === 'lost') return 'lost';
  if (outcome === 'paused') {
    await deps.jobs.schedule(target.kind, target.key, deps.now() + PAUSE_MS);
    return undefined;
  }
  if (cut !== undefined) {
    await recordProblem(account, cut, deps);
    return undefined;
  }
  if (leftOut !== undefined) {
    await deps.accounts.setHealth(account, leftOut, deps.now());
    return undefined;
  }
  // Some providers also list calendars for accounts that may not see their events.
  const proves = target.kind === 'sync-calendar' || account.calendarPermission !== false;
  if (account.health.state !== 'active' && proves)
    await deps.accounts.recover(account.accountKey, deps.now());
  return undefined;
}

/** Stores the failure of a target that is set aside. It affects the account like any other. */
async function recordSetAside(
  accountKey: string,
  failure: SyncFailure,
  deps: SyncDeps,
): Promise<SyncFailure> {
  deps.log.error(
    { event: 'sync_set_aside', accountKey, kind: failure.kind },
    'A sync did not finish in three attempts',
  );
  const account = await deps.accounts.findAccount(accountKey);
  if (account !== undefined) await recordProblem(account, failure, deps);
  return failure;
}

async function recordProblem(
  account: Account,
  failure: SyncFailure,
  { accounts, now }: SyncDeps,
): Promise<void> {
  const problem = healthAfter(failure, account.provider);
  if (problem !== undefined) await accounts.setHealth(account, problem, now());
}

function reportSyncFailure(
  reason: unknown,
  { account, job }: { readonly account: Account; readonly job: Target['kind'] },
  { log, now }: SyncDeps,
): SyncFailure {
  const fields = { accountKey: account.accountKey, provider: account.provider, job, err: reason };
  if (!(reason instanceof ProviderError)) {
    log.error({ event: 'sync_fault', ...fields }, 'A sync failed with an internal error');
    const message = 'The calendar could not be read because of an error on our side';
    return { kind: 'unavailable', message, reason: 'internal_fault' };
  }
  log.warn({ event: 'sync_failed', ...fields, kind: reason.kind, reason: reason.reason }, 'A sync failed');
  return failureOfError(reason, now());
}

type UnderWay = { readonly target: Pick<Target, 'excuse'>; readonly lease: SyncLease };

type LeasesUnderWay = {
  /** Runs `work` and tracks its lease meanwhile. */
  during<T>(underWay: UnderWay, work: () => Promise<T>): Promise<T>;
  /** Stops counting interrupted syncs, running or later, as unfinished. */
  excuse(): Promise<void>;
};

/** Returns the running leases of this process, none at first. */
function leasesUnderWay(): LeasesUnderWay {
  const all = new Set<UnderWay>();
  let areExcused = false;
  const excuse = ({ target, lease }: UnderWay) => target.excuse(lease);
  return {
    async during(underWay, work) {
      all.add(underWay);
      try {
        if (areExcused) await excuse(underWay);
        return await work();
      } finally {
        all.delete(underWay);
      }
    },
    async excuse() {
      areExcused = true;
      for (const underWay of [...all]) await excuse(underWay);
    },
  };
}

/** A list, with its account's key, or a calendar. */
type Synced = { readonly kind: 'sync-account' | 'sync-calendar'; readonly key: string };

type SyncPlaceDeps = {
  readonly mirror: Pick<MirrorStore, 'findCalendar'>;
  readonly accounts: Pick<AccountStore, 'findAccount'>;
};

/** Returns a sync's owner and server: no server if the provider's limits apply, no owner without the account. */
async function findSyncPlace({ kind, key }: Synced, { mirror, accounts }: SyncPlaceDeps): Promise<SlotPlace> {
  const accountKey = kind === 'sync-account' ? key : (await mirror.findCalendar(key))?.accountKey;
  const account = accountKey === undefined ? undefined : await accounts.findAccount(accountKey);
  if (account === undefined) return placeOfOwner('');
  return placeOfOwner(
    toSlotOwner(account),
    account.provider === 'caldav' ? hostOfUrl(account.accountId) : '',
  );
}

/** Returns a sync's failure if the database is read-only or full, while reads continue. Throws any other reason. */
function failureOfDatabase(reason: unknown): SyncFailure {
  const problem = databaseProblem(reason);
  if (problem !== 'read_only' && problem !== 'full') throw reason;
  return { kind: 'unavailable', message: 'The database is read-only' };
}

/** The maximum wait of a sync for its turn. */
export const TURN_WAIT_MS = 5 * 60_000;

const LIMITS: QueueLimits = {
  ofHost: 64,
  share: 1 / 2,
  ofOwner: 6,
  ofOwnerAtHost: 4,
  waiting: 500,
  waitMs: TURN_WAIT_MS,
};

export const syncSlots = (listener?: SlotListener): SlotQueue => new SlotQueue('sync', LIMITS, listener);
