/**
 * Accounts at a provider with unreliable push notifications, over simulated time. Jobs, watches and notices are those
 * of the program. Instead of a mirror, it records which changes of a calendar were not read yet.
 */
import type { AccountStore } from '../../src/calendars/account-store.ts';
import type { CalendarProvider } from '../../src/calendars/calendar-provider.ts';
import type { CalendarWatching, WatchHook } from '../../src/calendars/calendar-watching.ts';
import { ProviderError } from '../../src/calendars/provider-error.ts';
import { watchStore } from '../../src/store/accounts/watch-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { type SyncJobsDeps, syncJobs } from '../../src/sync/sync-jobs.ts';
import { watchCap } from '../../src/watches/keep-watches.ts';
import { type Notices, notices } from '../../src/watches/notices.ts';
import { makeAccount } from '../contract/grant-rows.ts';
import { START } from '../harness/calendar-server.ts';
import { simulatedTime } from './simulated-time.ts';

const HOUR = 3_600_000;
const LIFE = 7 * 24 * HOUR;
const CALENDARS = 2;
/** The average for one calendar. */
const BETWEEN_CHANGES = 12 * HOUR;
const LOST = 0.1;
const REPEATED = 0.1;
const FORGED = 0.05;
/** The share of requests for a watch. */
const REFUSED = 0.02;
/** Pushes arrive in any order within this. */
const LATEST_PUSH = 60_000;
const silent = { debug() {}, info() {}, warn() {}, error() {} };

type Calendar = {
  readonly accountKey: string;
  readonly calendarKey: string;
  readonly href: string;
  syncedAt: number | undefined;
  /** When each change was made that was not read yet, and whether its push was lost. */
  unread: { readonly at: number; readonly isLost: boolean }[];
};

type Channel = { readonly hook: WatchHook; readonly expiresAt: number };

export class PushingProvider {
  readonly startedAt = START;
  readonly counts = { sent: 0, lost: 0, repeated: 0, forged: 0, refused: 0 };
  /** Watched calendars and lists whose watches had all expired when a change came, and when. */
  readonly lapses: string[] = [];
  /** How long after a change it was read whose push was lost. */
  readonly healedAfter: number[] = [];
  /** Times when one watch replaced another. */
  readonly renewals: number[] = [];
  forgedTaken = 0;
  readonly #time = simulatedTime(START);
  readonly #db: Database;
  readonly #calendars = new Map<string, Calendar>();
  readonly #ofAccount = new Map<string, Calendar[]>();
  /** By what is watched: the account, and the calendar's href or `list`. */
  readonly #channels = new Map<string, Map<string, Channel>>();
  readonly #dueJobs = new Map<string, number>();
  readonly #jobs: ReturnType<typeof syncJobs>;
  readonly #notices: Notices;
  #calls = 0;

  constructor(db: Database) {
    this.#db = db;
    const deps = this.#deps();
    this.#jobs = syncJobs(deps);
    this.#notices = notices(deps);
  }

  /** Links an account with its calendars, at that time after the start. */
  async link(index: number, after: number): Promise<void> {
    const accountKey = `acme-user-${index}`;
    await makeAccount(this.#db, 'acme', `user-${index}`);
    const toGoogle =
      "UPDATE account SET provider = 'google' WHERE account_key = :accountKey RETURNING provider";
    await this.#db.write(toGoogle, { accountKey });
    const calendars = Array.from({ length: CALENDARS }, (_, number): Calendar => {
      const calendarKey = `${accountKey}-${number}`;
      return { accountKey, calendarKey, href: `c${number}`, syncedAt: undefined, unread: [] };
    });
    this.#ofAccount.set(accountKey, calendars);
    for (const calendar of calendars) {
      const { calendarKey, href } = calendar;
      this.#calendars.set(calendarKey, calendar);
      await this.#db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
         VALUES (:calendarKey, :accountKey, :href, 0, 't', 'UTC', 'write', '{}') RETURNING calendar_key`,
        { calendarKey, accountKey, href },
      );
      this.#time.at(START + after + HOUR, () => this.#change(calendar));
    }
    this.#schedule('sync-account', accountKey, START + after);
  }

  runFor(milliseconds: number): Promise<void> {
    return this.#time.runUntil(START + milliseconds);
  }

  /** Calendars with a change so old that was not read. */
  stale(age: number): string[] {
    const before = this.#time.now() - age;
    return [...this.#calendars.values()]
      .filter(({ unread }) => unread.some(({ at }) => at < before))
      .map(({ calendarKey }) => calendarKey);
  }

  /** Requests to the provider. */
  callsADay(days: number): number {
    return this.#calls / this.#ofAccount.size / days;
  }

  /** Returns the program's dependencies; only what is used here is implemented. */
  #deps(): SyncJobsDeps {
    const { now } = this.#time;
    const open = (_: unknown, { accountKey }: { readonly accountKey: string }) => ({
      watching: this.#watching(accountKey),
    });
    return {
      watches: watchStore(this.#db),
      followed: { syncFacts: async () => ({ provider: 'google', followed: true, changedAt: now() }) },
      accounts: {
        findAccount: async (accountKey: string) => ({ accountKey, provider: 'google' }),
        credentialsOf: async () => ({}),
      } as unknown as AccountStore,
      sessions: { open: (account: unknown) => account } as unknown as SyncJobsDeps['sessions'],
      providers: { google: { open } as unknown as CalendarProvider },
      mirror: {
        findList: async () => undefined,
        listCalendars: async (key: string) => this.#ofAccount.get(key) ?? [],
      } as unknown as SyncJobsDeps['mirror'],
      sync: {
        syncList: async () => {
          this.#calls += 1;
        },
        syncCalendar: async (key: string, notBefore: number) => this.#read(key, notBefore),
      } as unknown as SyncJobsDeps['sync'],
      jobs: { schedule: async (kind, key, at) => this.#schedule(kind, key, at) },
      receiverUrl: () => 'https://kalends.example/hook',
      mayAskForWatch: watchCap(now),
      log: silent,
      now,
    };
  }

  /** Schedules a job. One per name waits, and the earlier time counts. */
  #schedule(kind: string, key: string, at: number): void {
    const name = `${kind} ${key}`;
    if ((this.#dueJobs.get(name) ?? Number.POSITIVE_INFINITY) <= at) return;
    this.#dueJobs.set(name, at);
    this.#time.at(at, async () => {
      if (this.#dueJobs.get(name) !== at) return;
      this.#dueJobs.delete(name);
      const work = this.#jobs[kind === 'sync-account' ? 'sync-account' : 'sync-calendar'];
      await work(key, new AbortController().signal);
    });
  }

  #read(key: string, notBefore: number): void {
    const calendar = this.#calendars.get(key);
    if (calendar === undefined || (calendar.syncedAt ?? -1) >= notBefore) return;
    this.#calls += 1;
    const now = this.#time.now();
    for (const { at, isLost } of calendar.unread) if (isLost) this.healedAfter.push(now - at);
    calendar.unread = [];
    calendar.syncedAt = now;
  }

  #watching(accountKey: string): CalendarWatching {
    const watch = async (href: string | undefined, hook: WatchHook) => {
      this.#calls += 1;
      if (Math.random() < REFUSED) {
        this.counts.refused += 1;
        throw new ProviderError('unavailable', 'Not now');
      }
      const target = `${accountKey} ${href ?? 'list'}`;
      const known = this.#channels.get(target) ?? new Map<string, Channel>();
      if (this.#channels.has(target)) this.renewals.push(this.#time.now());
      this.#channels.set(target, known);
      const expiresAt = this.#time.now() + LIFE;
      known.set(hook.watchId, { hook, expiresAt });
      // The first message says that the channel is there.
      this.#time.at(this.#time.now() + 500, () => this.#take(hook, hook.token));
      return { remoteId: `r-${hook.watchId}`, expiresAt };
    };
    return {
      provesReach: false,
      watch,
      watchList: (hook) => watch(undefined, hook),
      stop: async ({ watchId }) => {
        this.#calls += 1;
        for (const href of ['c0', 'c1', 'list']) this.#channels.get(`${accountKey} ${href}`)?.delete(watchId);
      },
    };
  }

  /** Somebody changes the calendar, and will again. */
  #change(calendar: Calendar): void {
    const now = this.#time.now();
    const { accountKey, calendarKey, href } = calendar;
    this.#time.at(now - Math.round(Math.log(1 - Math.random()) * BETWEEN_CHANGES), () =>
      this.#change(calendar),
    );
    for (const name of [href, 'list']) {
      const known = this.#channels.get(`${accountKey} ${name}`);
      if (known !== undefined && ![...known.values()].some(({ expiresAt }) => expiresAt > now))
        this.lapses.push(`${name} of ${calendarKey} after ${(now - START) / HOUR} h`);
    }
    const isLost = Math.random() < LOST;
    calendar.unread.push({ at: now, isLost });
    for (const { hook, expiresAt } of this.#channels.get(`${accountKey} ${href}`)?.values() ?? [])
      if (expiresAt > now) this.#push(hook, isLost);
  }

  #push(hook: WatchHook, isLost: boolean): void {
    const { counts } = this;
    const later = (token: string) =>
      this.#time.at(this.#time.now() + Math.round(Math.random() * LATEST_PUSH), () =>
        this.#take(hook, token),
      );
    if (Math.random() < FORGED) {
      counts.forged += 1;
      later('forged');
    }
    if (isLost) {
      counts.lost += 1;
      return;
    }
    counts.sent += 1;
    later(hook.token);
    if (Math.random() < REPEATED) {
      counts.repeated += 1;
      later(hook.token);
    }
  }

  async #take({ watchId, token: real }: WatchHook, token: string): Promise<void> {
    const isTaken = await this.#notices.take({ provider: 'google', watchId, token, says: 'changed' });
    if (isTaken && token !== real) this.forgedTaken += 1;
  }
}
