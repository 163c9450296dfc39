import type { ProviderCredentials } from '../calendars/calendar-provider.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';

/** An account's credentials at this moment. Instants are epoch milliseconds. */
export type StoredCredentials = {
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

/** A lease for credentials of which the caller read that renewing them had failed so often. */
export type NewLease = TokenLease & Pick<StoredCredentials, 'failures'>;

export interface TokenLeaseStore {
  /** `undefined` when the account is gone. */
  findCredentials(accountKey: string): Promise<StoredCredentials | undefined>;

  /**
   * Of any number of concurrent calls exactly one gets the lease. None does while another holds it, nor when the
   * credentials were replaced, or renewing them failed, since the caller read `failures`.
   */
  leaseTokens(lease: NewLease, now: number, until: number): Promise<boolean>;

  /**
   * Replaces the credentials that the lease was for and releases it. False, and nothing written, when they were
   * replaced meanwhile: by a user who linked the account again, or by whoever took over a lease that ran out. A lease
   * that merely ran out is no obstacle, so that what the provider issued last is not lost. An account in
   * `reauth_required` is synced at once.
   */
  storeRenewed(lease: TokenLease, credentials: ProviderCredentials, now: number): Promise<boolean>;

  /** Releases the lease and stores why the renewal failed. False, and nothing written, when the lease is lost. */
  failRenewal(lease: TokenLease, failure: SyncFailure, now: number): Promise<boolean>;
}
