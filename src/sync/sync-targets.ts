/** The units of a sync: an account's list of calendars, or a calendar's events. */
import type { Account, AccountProblem, AccountStore } from '../calendars/account-store.ts';
import { limitAddresses, limitList } from '../calendars/calendar-list.ts';
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { PROVIDER_FACTS } from '../calendars/provider-facts.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import { toSlotOwner } from '../lib/fair-slots/slot-owner.ts';
import type { Log } from '../lib/log.ts';
import { type SyncOutcome, syncEvents } from './event-sync.ts';
import { LEASE_MS } from './lease.ts';
import type { ListState, MirroredCalendar, MirrorStore, SyncLease } from './mirror-store.ts';
import type { SetAside } from './plan-sync.ts';
import type { ResourceRendering } from './resource-rendering.ts';

export type TargetDeps = {
  readonly mirror: MirrorStore;
  readonly accounts: Pick<AccountStore, 'keepAddresses'>;
  readonly rendering: ResourceRendering;
  /** The maximum calendars per account; 500 by default. */
  readonly calendarsPerAccount?: number;
  readonly log: Log;
  readonly now: () => number;
};

/** A list or a calendar, with the operations of its sync. */
export type Target = {
  readonly key: string;
  readonly kind: 'sync-account' | 'sync-calendar';
  state(): Promise<ListState | undefined>;
  /** Takes the lease and returns the work to do; `undefined` if another run has the lease. */
  lease(lease: SyncLease): Promise<Work | undefined>;
  fail(lease: SyncLease, failure: SyncFailure): Promise<void>;
  /** Stores a failure and counts the sync as unfinished, for now or permanently. */
  setAside(lease: SyncLease, { failure, isDue }: SetAside): Promise<void>;
  giveBack(lease: SyncLease): Promise<void>;
  /** Stops counting this interrupted sync as unfinished. */
  excuse(lease: SyncLease): Promise<void>;
  /** The target, for a sentence. */
  readonly what: string;
};
export type Work = {
  readonly accountKey: string;
  /** The number of unfinished syncs in a row before this one. */
  readonly unfinished: number;
  /** Throws ProviderError. */
  run(open: CalendarAccount, account: Account): Promise<Run>;
};
/** `leftOut` is the problem with omitted events; `cut` is the failure of an incomplete list. */
export type Run = {
  readonly outcome: SyncOutcome;
  readonly leftOut?: AccountProblem | undefined;
  readonly cut?: SyncFailure | undefined;
};

const CALENDARS_PER_ACCOUNT = 500;

export function listTarget(accountKey: string, deps: TargetDeps): Target {
  const { mirror, now, calendarsPerAccount = CALENDARS_PER_ACCOUNT } = deps;
  return {
    key: accountKey,
    kind: 'sync-account',
    what: 'the list of calendars of this account',
    state: () => mirror.findList(accountKey),
    fail: (lease, failure) => mirror.failList(lease, failure, now()),
    setAside: (lease, { failure, isDue }) =>
      mirror.noteListFailure(lease, failure, { now: now(), goesOn: isDue }),
    giveBack: (lease) => mirror.releaseList(lease),
    excuse: (lease) => mirror.excuseList(lease),
    async lease(lease) {
      const startedAt = now();
      const begun = await mirror.leaseList(lease, startedAt, startedAt + LEASE_MS);
      if (begun === undefined) return undefined;
      return {
        accountKey,
        unfinished: begun - 1,
        async run(open, account) {
          const listed = await open.listCalendars(() => mirror.listCalendars(accountKey));
          const { calendars, cut } = limitList(listed, calendarsPerAccount);
          await readAddresses(open, account, deps);
          if (!(await mirror.replaceCalendars(lease, calendars, startedAt))) return { outcome: 'lost' };
          if (cut !== undefined) await mirror.noteCutList(accountKey, cut);
          return { outcome: 'done', cut };
        },
      };
    },
  };
}

/** A user's addresses seldom change: they are read again after this time, whatever the server returned. */
const ADDRESSES_AGE_MS = 3_600_000;

/** Reads the user's addresses in events. If that fails, the calendars are read anyway. */
async function readAddresses(
  open: CalendarAccount,
  account: Account,
  { accounts, now, log }: TargetDeps,
): Promise<void> {
  if (open.userAddresses === undefined) return;
  const { accountKey, addressesReadAt } = account;
  if (addressesReadAt !== undefined && addressesReadAt > now() - ADDRESSES_AGE_MS) return;
  const addresses = await open.userAddresses().catch((reason: unknown) => {
    if (!(reason instanceof ProviderError)) throw reason;
    log.warn(
      { event: 'addresses_not_read', accountKey, kind: reason.kind, err: reason },
      'The addresses of an account could not be read',
    );
    return undefined;
  });
  await accounts.keepAddresses(account, addresses && limitAddresses(addresses), now());
}

export function calendarTarget(calendarKey: string, deps: TargetDeps): Target {
  const { mirror, now } = deps;
  return {
    key: calendarKey,
    kind: 'sync-calendar',
    what: 'this calendar',
    state: (): Promise<MirroredCalendar | undefined> => mirror.findCalendar(calendarKey),
    fail: (lease, failure) => mirror.failSync(lease, failure, now()),
    async setAside(lease, { failure, isDue }) {
      await mirror.noteFailure(lease, failure, now());
      if (!isDue) await mirror.releaseCalendar(lease);
    },
    giveBack: (lease) => mirror.releaseCalendar(lease),
    excuse: (lease) => mirror.excuseSync(lease),
    async lease(lease) {
      const startedAt = now();
      const begun = await mirror.leaseForSync(lease, startedAt, startedAt + LEASE_MS);
      if (begun === undefined) return undefined;
      const { calendar, unfinished } = begun;
      return {
        accountKey: calendar.accountKey,
        unfinished: unfinished - 1,
        async run(account, of) {
          const resumes = PROVIDER_FACTS[of.provider].resumesSyncs;
          const sync = { calendar, lease, account, owner: toSlotOwner(of), resumes };
          const outcome = await syncEvents(sync, { ...deps, startedAt });
          if (outcome !== 'done') return { outcome };
          return { outcome, leftOut: await leftOutProblem(calendar, mirror) };
        },
      };
    },
  };
}

/** Returns the account's problem after this sync: a too complex event before an unreadable one. */
async function leftOutProblem(
  { calendarKey, accountKey }: MirroredCalendar,
  mirror: MirrorStore,
): Promise<AccountProblem | undefined> {
  const { tooComplex, unreadable } = (await mirror.findCalendar(calendarKey)) ?? {};
  const others = tooComplex === undefined && unreadable ? await mirror.listCalendars(accountKey) : [];
  const worst = tooComplex ?? others.find((other) => other.tooComplex)?.tooComplex;
  const message = (worst ?? unreadable)?.message;
  if (message === undefined) return undefined;
  return { state: 'degraded', reason: worst ? 'event_too_complex' : 'event_unreadable', message };
}
