/** Computes the time of an account's next sync if nothing requests it earlier. */
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { WatchedExtent } from '../watches/watch.ts';

export type SyncFacts = {
  readonly provider: ProviderKind;
  /** Whether an endpoint, or a reader of the user's changes, waits for changes. */
  readonly followed: boolean;
  /** The last known change of the user's events in epoch milliseconds; 0 for none. */
  readonly changedAt: number;
};

/** The part that push notifications cover, and when a watch must be renewed (infinite without watches). */
export type WatchedFacts = { readonly watched: WatchedExtent; readonly renewAt: number };

export interface FollowedAccounts {
  /** Returns `undefined` if the account was deleted. */
  syncFacts(accountKey: string): Promise<SyncFacts | undefined>;
}

const MINUTE_MS = 60_000;
const UNFOLLOWED_MS = 15 * MINUTE_MS;
/** These providers limit and bill an application's requests. */
const LIMITED_MS = 5 * MINUTE_MS;
const SOONEST_MS = MINUTE_MS;
const LATEST_MS = 5 * MINUTE_MS;
/** Finds changes without push notifications. */
const SAFETY_MS: Readonly<Record<Exclude<WatchedExtent, 'little'>, number>> = {
  all: 12 * 60 * MINUTE_MS,
  most: 60 * MINUTE_MS,
};
/** After a change, more changes are likely for this time. */
const LIVELY_MS = 60 * MINUTE_MS;

/** Returns milliseconds. Apple and CalDAV accounts without watches: one to five minutes, longer if little changes. */
export function syncIntervalMs(
  { provider, followed, changedAt, watched, renewAt }: SyncFacts & WatchedFacts,
  now: number,
): number {
  if (!followed) return UNFOLLOWED_MS;
  if (watched !== 'little') return Math.max(SOONEST_MS, Math.min(SAFETY_MS[watched], renewAt - now));
  if (provider === 'google' || provider === 'microsoft') return LIMITED_MS;
  const quietFor = Math.max(0, now - changedAt);
  return Math.min(LATEST_MS, Math.round(SOONEST_MS * Math.max(1, quietFor / LIVELY_MS)));
}
