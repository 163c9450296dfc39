/** When an account is looked at next, with nothing to make it sooner. */
import type { ProviderKind } from '../calendars/provider-kind.ts';

export type SyncFacts = {
  readonly provider: ProviderKind;
  /** Whether somebody waits for its changes: an endpoint of the application, or a reader of the user's changes. */
  readonly followed: boolean;
  /** When a change of the user's events was last noted, epoch milliseconds; 0 for never. */
  readonly changedAt: number;
};

export interface FollowedAccounts {
  /** `undefined` when the account is gone. */
  syncFacts(accountKey: string): Promise<SyncFacts | undefined>;
}

const MINUTE_MS = 60_000;
const UNFOLLOWED_MS = 15 * MINUTE_MS;
/** They limit how often an application may ask, and bill it. */
const LIMITED_MS = 5 * MINUTE_MS;
const SOONEST_MS = MINUTE_MS;
const LATEST_MS = 5 * MINUTE_MS;
/** For so long after a change more of them are likely. */
const LIVELY_MS = 60 * MINUTE_MS;

/** In milliseconds. A server of somebody's own is asked every minute, and less often the longer nothing changes. */
export function syncIntervalMs({ provider, followed, changedAt }: SyncFacts, now: number): number {
  if (!followed) return UNFOLLOWED_MS;
  if (provider === 'google' || provider === 'microsoft') return LIMITED_MS;
  const quietFor = Math.max(0, now - changedAt);
  return Math.min(LATEST_MS, Math.round(SOONEST_MS * Math.max(1, quietFor / LIVELY_MS)));
}
