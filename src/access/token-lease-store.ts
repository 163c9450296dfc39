import type { ProviderCredentials } from '../calendars/calendar-provider.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';

/** An account's credentials as they are at this moment. Instants are epoch milliseconds. */
export type HeldCredentials = {
  /** Unsealed. */
  readonly credentials: ProviderCredentials;
  /** Another one each time they are replaced. */
  readonly version: number;
  /** How often renewing these very credentials has failed in a row, when last, and how. */
  readonly failures: number;
  readonly failedAt: number | undefined;
  readonly failure: SyncFailure | undefined;
};

/** The right to renew credentials until the lease ends: one renewal at a time, over all instances. */
export type TokenLease = {
  readonly accountKey: string;
  /** What is to be renewed. */
  readonly version: number;
  /** Names the renewal; new for each. */
  readonly holder: string;
};

export interface TokenLeaseStore {
  /** `undefined` when the account is gone. */
  heldCredentials(accountKey: string): Promise<HeldCredentials | undefined>;

  /**
   * Of any number of concurrent calls exactly one gets the lease; none while another holds it, and none
   * when the credentials were replaced, or a renewal of them failed, since the caller read `failures`.
   */
  leaseTokens(lease: TokenLease, failures: number, now: number, until: number): Promise<boolean>;

  /**
   * Puts renewed credentials in the place of those the lease was for and gives it back. False, and
   * nothing written, when those were replaced meanwhile: by a user who linked the account again, or by
   * whoever took over a lease that ran out. A lease that ran out is itself no obstacle: what the
   * provider issued last is not to be lost. An account its user was to mend is synced again at once.
   */
  storeRenewed(lease: TokenLease, credentials: ProviderCredentials, now: number): Promise<boolean>;

  /** Gives the lease back and keeps what the renewal failed of. False, and nothing written, when it is lost. */
  failRenewal(lease: TokenLease, failure: SyncFailure, now: number): Promise<boolean>;
}
