/** What is synced as a whole: the list of an account's calendars, or the events of a calendar. */
import type { Account, AccountProblem, AccountStore } from '../calendars/account-store.ts';
import { keptAddresses, keptList } from '../calendars/calendar-list.ts';
import type { CalendarAccount } from '../calendars/calendar-provider.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { PROVIDER_FACTS } from '../calendars/provider-facts.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import { ownerOf } from '../lib/fair-slots/slot-owner.ts';
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
  /** How many calendars of an account are read; 500 where it does not say. */
  readonly calendarsPerAccount?: number;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** One of them. */
export type Target = {
  readonly key: string;
  readonly kind: 'sync-account' | 'sync-calendar';
  state(): Promise<ListState | undefined>;
  /** Takes the lease and answers the work to do under it; `undefined` when another has it. */
  lease(lease: SyncLease): Promise<Work | undefined>;
  fail(lease: SyncLease, failure: SyncFailure): Promise<void>;
  /** Keeps a failure and counts the sync as one that did not come to its end, as yet or at all. */
  setAside(lease: SyncLease, { failure, isDue }: SetAside): Promise<void>;
  giveBack(lease: SyncLease): Promise<void>;
  /** The process is stopping: that this sync did not come to its end says nothing about it. */
  excuse(lease: SyncLease): Promise<void>;
  /** In a sentence. */
  readonly what: string;
};
export type Work = {
  readonly accountKey: string;
  /** How many syncs before this one did not come to their end, in a row. */
  readonly unfinished: number;
  /** Fails with ProviderError. */
  run(open: CalendarAccount, account: Account): Promise<Run>;
};
/** `leftOut`: what the sync left out. `cut`: what to say of a list that is not whole. */
export type Run = {
  readonly outcome: SyncOutcome;
  readonly leftOut?: AccountProblem | undefined;
  readonly cut?: SyncFailure | undefined;
};

const CALENDARS_PER_ACCOUNT = 500;

/** The list of an account's calendars. */
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
          const { calendars, cut } = keptList(listed, calendarsPerAccount);
          await readAddresses(open, account, deps);
          if (!(await mirror.replaceCalendars(lease, calendars, startedAt))) return { outcome: 'lost' };
          if (cut !== undefined) await mirror.noteCutList(accountKey, cut);
          return { outcome: 'done', cut };
        },
      };
    },
  };
}

/** How a server names its user changes seldom: so many milliseconds later it is asked again, whatever it answered. */
const ADDRESSES_AGE_MS = 3_600_000;

/** Asks how events name the account's user. A server that does not say so now has its calendars read all the same. */
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
      'The addresses of an account were not read',
    );
    return undefined;
  });
  await accounts.keepAddresses(account, addresses && keptAddresses(addresses), now());
}

/** The events of a calendar. */
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
          const sync = { calendar, lease, account, owner: ownerOf(of), resumes };
          const outcome = await syncEvents(sync, { ...deps, startedAt });
          if (outcome !== 'done') return { outcome };
          return { outcome, leftOut: await leftOutProblem(calendar, mirror) };
        },
      };
    },
  };
}

/** The problem of an account after a sync of this calendar: an event that is too complex comes before one that is unreadable. */
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
