/** Maintains an account's watches: creates missing ones, renews those that end soon, stops the others. */
import { randomBytes } from 'node:crypto';
import type { AccountSessions } from '../access/account-session.ts';
import type { AccountStore } from '../calendars/account-store.ts';
import type { CalendarProvider } from '../calendars/calendar-provider.ts';
import type { CalendarWatching, CreatedWatch, WatchHook } from '../calendars/calendar-watching.ts';
import { ProviderError, UnsupportedByProvider } from '../calendars/provider-error.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { JobStore } from '../jobs/job-store.ts';
import type { Log } from '../lib/log.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import { isLive, type Watch } from './watch.ts';
import type { WatchStore } from './watch-store.ts';

export type WatchesDeps = {
  readonly watches: WatchStore;
  readonly accounts: Pick<AccountStore, 'findAccount' | 'credentialsOf'>;
  readonly providers: Partial<Record<ProviderKind, CalendarProvider>>;
  readonly sessions: AccountSessions;
  readonly jobs: Pick<JobStore, 'schedule'>;
  /** Returns the URL for push notifications, if the provider can reach us. Absent: no provider can. */
  readonly receiverUrl?: (provider: ProviderKind) => string | undefined;
  /** Absent: requests for watches are not limited. */
  readonly mayAskForWatch?: WatchCap;
  readonly log: Log;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

export type WatchedAccount = {
  readonly accountKey: string;
  readonly provider: ProviderKind;
  /** Whether anyone waits for its changes. */
  readonly followed: boolean;
  readonly calendars: readonly WatchedCalendar[];
};

type WatchedCalendar = {
  readonly calendarKey: string;
  readonly href: string;
  /** Undefined before its first sync. Until then there is nothing to watch. */
  readonly syncedAt: number | undefined;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** No provider keeps a watch longer, whatever it returns. */
const LONGEST_MS = 8 * DAY_MS;
const UNSUPPORTED_MS = 7 * DAY_MS;
/** The delay after a provider refused a watch of a calendar. */
const FAILED_MS = HOUR_MS;
const DENIED_MS = DAY_MS;
/** The part of its life after which a watch is renewed, spread so that not all are renewed together. */
const RENEWED_FROM = 0.6;
const RENEWED_SPREAD = 0.15;

/** The object of a watch: a calendar, or without one the list of calendars. */
type Target = {
  readonly calendarKey: string | undefined;
  readonly watch: (hook: Omit<WatchHook, 'url'>) => Promise<CreatedWatch>;
};

/** Returns the watches afterwards. A provider that does not comply is no failure: its calendars are polled. */
export async function keepWatches(
  watched: WatchedAccount,
  deps: WatchesDeps,
  signal: AbortSignal,
): Promise<readonly Watch[]> {
  const { accountKey, provider: kind } = watched;
  const { watches, accounts } = deps;
  const rows = await watches.listWatches(accountKey);
  const url = watched.followed ? deps.receiverUrl?.(kind) : undefined;
  if (url === undefined && rows.length === 0) return rows;
  const account = await accounts.findAccount(accountKey);
  const credentials = await accounts.credentialsOf(accountKey);
  if (account === undefined || credentials === undefined) return rows;
  const watching = deps.providers[kind]?.open(credentials, deps.sessions.open(account)).watching;
  if (watching === undefined) return rows;

  const targets = url === undefined ? [] : listWatchTargets(watched.calendars, watching, url);
  const keeping = { watching, accountKey, kind, deps };
  try {
    for (const target of targets) {
      // Targets above the limit are polled until the next run.
      if (signal.aborted || !(await keepWatch(target, rows.filter(matchesTarget(target)), keeping))) break;
    }
    for (const row of rows.filter((one) => !targets.some((target) => matchesTarget(target)(one))))
      if (!signal.aborted) await stopWatch(row, keeping);
  } catch (reason) {
    if (!(reason instanceof ProviderError)) throw reason;
    // It concerns the account as a whole, or is temporary: the next run tries again.
    deps.log.warn(
      { event: 'watches_not_kept', accountKey, kind: reason.kind, err: reason },
      'The watches of an account could not be renewed',
    );
  }
  return watches.listWatches(accountKey);
}

function listWatchTargets(
  calendars: readonly WatchedCalendar[],
  watching: CalendarWatching,
  url: string,
): Target[] {
  const targets: Target[] = calendars
    .filter(({ syncedAt }) => syncedAt !== undefined)
    .map(({ calendarKey, href }) => {
      return { calendarKey, watch: (hook) => watching.watch(href, { ...hook, url }) };
    });
  const { watchList } = watching;
  if (watchList === undefined) return targets;
  return [{ calendarKey: undefined, watch: (hook) => watchList({ ...hook, url }) }, ...targets];
}

const matchesTarget =
  (target: Pick<Target, 'calendarKey'>) =>
  ({ calendarKey }: Watch): boolean =>
    calendarKey === target.calendarKey;

type Keeping = {
  readonly watching: CalendarWatching;
  readonly accountKey: string;
  readonly kind: ProviderKind;
  readonly deps: WatchesDeps;
};

/** Maintains the watch of a target. `rows` are its watches, newest first. False: the limit of requests is reached. */
async function keepWatch(target: Target, rows: readonly Watch[], keeping: Keeping): Promise<boolean> {
  const { watches, now, mayAskForWatch } = keeping.deps;
  const current = rows.find((row) => !hasNoAnswer(row));
  const isDue = current === undefined || current.renewAt <= now();
  if (isDue && mayAskForWatch?.(keeping.kind) === false) return false;
  if (isDue && !(await renewWatch(current, keeping))) await createWatch(target, keeping);
  if (rows.length < (isDue ? 1 : 2)) return true;
  // The new watch exists and has sent a notification before the old ones are stopped: until then only they may work.
  const [newest] = (await watches.listWatches(keeping.accountKey)).filter(matchesTarget(target));
  for (const row of rows)
    if (row.watchId !== newest?.watchId && (newest?.state === 'live' || !isLive(row, now())))
      await stopWatch(row, keeping);
  return true;
}

/** Whether the process that requested the watch died: it may exist, but its name and expiry are unknown. */
const hasNoAnswer = ({ state, remoteId }: Watch): boolean =>
  remoteId === undefined && state !== 'unsupported' && state !== 'failed';

async function renewWatch(row: Watch | undefined, { watching, deps }: Keeping): Promise<boolean> {
  const { watches, now } = deps;
  if (watching.renew === undefined || row?.remoteId === undefined || !isLive(row, now())) return false;
  try {
    const renewed = await watching.renew(row.remoteId);
    await watches.settleWatch(row.watchId, {
      ...row,
      ...toTimes(renewed, now()),
      state: 'live',
      reason: undefined,
    });
    return true;
  } catch (reason) {
    if (isGone(reason)) return false;
    throw reason;
  }
}

const isGone = (reason: unknown): boolean => reason instanceof ProviderError && reason.kind === 'not_found';

async function createWatch(
  { calendarKey, watch }: Target,
  { watching, accountKey, deps }: Keeping,
): Promise<void> {
  const { watches, jobs } = deps;
  const madeAt = deps.now();
  const watchId = randomBytes(16).toString('base64url');
  const token = randomBytes(32).toString('base64url');
  const newWatch = { watchId, accountKey, calendarKey, tokenHash: hashOfSecret(token), madeAt };
  if (!(await watches.addWatch({ ...newWatch, expiresAt: madeAt + LONGEST_MS }))) return;
  let created: CreatedWatch;
  try {
    created = await watch({ watchId, token });
  } catch (reason) {
    const outcome = refusedOutcome(reason, deps.now());
    if (outcome === undefined) await watches.removeWatch(watchId);
    if (outcome === undefined) throw reason;
    await watches.settleWatch(watchId, outcome);
    deps.log.warn(
      { event: 'calendar_not_watched', accountKey, reason: outcome.reason },
      'A calendar cannot be watched and is polled instead',
    );
    return;
  }
  const { remoteId } = created;
  const outcome = { remoteId, reason: undefined, ...toTimes(created, deps.now()) };
  await watches.settleWatch(watchId, { ...outcome, state: watching.provesReach ? 'live' : 'made' });
  // Changes between the last sync and now were not reported.
  if (calendarKey !== undefined) await jobs.schedule('sync-calendar', calendarKey, deps.now());
}

function toTimes(
  { expiresAt }: CreatedWatch,
  now: number,
): { readonly renewAt: number; readonly expiresAt: number } {
  const life = Math.min(Math.max(expiresAt - now, 0), LONGEST_MS);
  const part = RENEWED_FROM + RENEWED_SPREAD * Math.random();
  return { renewAt: now + Math.round(life * part), expiresAt: now + life };
}

/** Returns the outcome of a refusal that concerns only this calendar; `undefined` for one that stops all. */
function refusedOutcome(reason: unknown, now: number) {
  const outcome = { remoteId: undefined, expiresAt: now };
  if (reason instanceof UnsupportedByProvider) {
    const renewAt = now + UNSUPPORTED_MS;
    return { ...outcome, state: 'unsupported', reason: reason.message, renewAt } as const;
  }
  if (!(reason instanceof ProviderError)) return undefined;
  const { kind, message } = reason;
  if (kind === 'rate_limited' || kind === 'unavailable' || kind === 'unauthorized') return undefined;
  const renewAt = now + (kind === 'permission_missing' ? DENIED_MS : FAILED_MS);
  return { ...outcome, state: 'failed', reason: message, renewAt } as const;
}

async function stopWatch(
  { watchId, remoteId, expiresAt }: Watch,
  { watching, deps }: Keeping,
): Promise<void> {
  try {
    if (remoteId !== undefined && expiresAt > deps.now()) await watching.stop({ watchId, remoteId });
  } catch (reason) {
    if (!isGone(reason)) throw reason;
  }
  await deps.watches.removeWatch(watchId);
}

/** Returns whether another watch may be requested from this provider now. If so, it is counted. */
export type WatchCap = (provider: ProviderKind) => boolean;

const MINUTE_MS = 60_000;
/** In each process. Google's calendar API accepts 10,000 requests of a project in a minute, of all kinds. */
const MOST_A_MINUTE = 600;

/** Returns the limit for one process. `now` is in epoch milliseconds. */
export function watchCap(now: () => number, most = MOST_A_MINUTE): WatchCap {
  const countByProvider = new Map<ProviderKind, { readonly minute: number; readonly count: number }>();
  return (provider) => {
    const minute = Math.floor(now() / MINUTE_MS);
    const current = countByProvider.get(provider);
    const count = current?.minute === minute ? current.count : 0;
    if (count >= most) return false;
    countByProvider.set(provider, { minute, count: count + 1 });
    return true;
  };
}
