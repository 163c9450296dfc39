/** Computes when an account is synced next if nothing requests it earlier. */
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { WatchedExtent } from '../watches/watch.ts';

export type SyncFacts = {
  readonly provider: ProviderKind;
  /** Whether an endpoint of the application or a reader of the user's changes waits for its changes. */
  readonly followed: boolean;
  /** When a change of the user's events was last noted, epoch milliseconds; 0 for never. */
  readonly changedAt: number;
};

/** How much its provider reports by push notification, and when a watch has to be renewed; infinite without watches. */
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
/** Catches changes that were not reported or cannot be. */
const SAFETY_MS: Readonly<Record<Exclude<WatchedExtent, 'little'>, number>> = {
  all: 12 * 60 * MINUTE_MS,
  most: 60 * MINUTE_MS,
};
/** For this long after a change, more changes are likely. */
const LIVELY_MS = 60 * MINUTE_MS;

/**
 * Returns the interval in milliseconds. Providers other than Google and Microsoft are asked every minute, and less
 * often the longer nothing changes.
 */
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
