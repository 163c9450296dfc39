/** Watches: our subscriptions for providers' push notifications. Instants are epoch milliseconds. */
export type WatchState = 'asked' | 'made' | 'live' | 'unsupported' | 'failed';

export type Watch = {
  readonly watchId: string;
  readonly accountKey: string;
  /** Undefined for the account's list of calendars. */
  readonly calendarKey: string | undefined;
  /** The provider's name for the watch, once it responded. */
  readonly remoteId: string | undefined;
  readonly state: WatchState;
  /** A sentence about why the watch is `unsupported` or `failed`. */
  readonly reason: string | undefined;
  readonly madeAt: number;
  /** Earlier reads show nothing about later changes. */
  readonly trustedFrom: number;
  readonly renewAt: number;
  readonly expiresAt: number;
};

export type Watched = { readonly calendarKey: string | undefined; readonly failure: unknown };

/** A watched calendar is not read again for this long, since notifications get lost: less than its sync interval. */
const TRUSTED_MS = 9 * 3_600_000;

export const isLive = ({ state, expiresAt }: Watch, now: number): boolean =>
  state === 'live' && expiresAt > now;

/** Returns the instant before which a last read is too old. Without a watch that is now. */
export function readSince(watched: Watched, watches: readonly Watch[], now: number): number {
  const live = watches.filter((one) => one.calendarKey === watched.calendarKey && isLive(one, now));
  if (live.length === 0 || watched.failure !== undefined) return now;
  return Math.max(now - TRUSTED_MS, ...live.map(({ trustedFrom }) => trustedFrom));
}

/** How much of an account is watched: all, all that can be, or too little to rely on it. */
export type WatchedExtent = 'all' | 'most' | 'little';

export function watchedExtent(
  calendarKeys: readonly string[],
  watches: readonly Watch[],
  now: number,
): WatchedExtent {
  const has = (key: string | undefined, test: (watch: Watch) => boolean) =>
    watches.some((watch) => watch.calendarKey === key && test(watch));
  const live = (watch: Watch) => isLive(watch, now);
  const settled = (watch: Watch) => live(watch) || watch.state === 'unsupported';
  if (calendarKeys.length === 0 || !calendarKeys.every((key) => has(key, settled))) return 'little';
  return has(undefined, live) && calendarKeys.every((key) => has(key, live)) ? 'all' : 'most';
}
