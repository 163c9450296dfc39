import type { ProviderCredentials } from '../calendars/calendar-provider.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';

/** An account's current credentials. Instants are epoch milliseconds. */
export type StoredCredentials = {
  /** Unsealed. */
  readonly credentials: ProviderCredentials;
  /** Changes each time the credentials are replaced. */
  readonly version: number;
  /** The number of failed renewals of these credentials in a row, the time of the last one, and its failure. */
  readonly failures: number;
  readonly failedAt: number | undefined;
  readonly failure: SyncFailure | undefined;
};

/** The right to renew credentials until the lease ends: one renewal at a time, over all instances. */
export type TokenLease = {
  readonly accountKey: string;
  /** The version of the credentials to renew. */
  readonly version: number;
  /** Identifies the renewal; new for each. */
  readonly holder: string;
};

/** A lease for credentials whose number of failed renewals the caller has read. */
export type NewLease = TokenLease & Pick<StoredCredentials, 'failures'>;

export interface TokenLeaseStore {
  /** Returns `undefined` if the account is deleted. */
  findCredentials(accountKey: string): Promise<StoredCredentials | undefined>;

  /** Leases the renewal to one call, unless the credentials changed or a renewal failed since the caller read them. */
  leaseTokens(lease: NewLease, now: number, until: number): Promise<boolean>;

  /**
   * Replaces the leased credentials; returns false, without writing, if they were replaced meanwhile. An expired lease
   * alone does not matter, so that the latest tokens are kept. An account in `reauth_required` syncs at once.
   */
  storeRenewed(lease: TokenLease, credentials: ProviderCredentials, now: number): Promise<boolean>;

  /** Releases the lease and stores why the renewal failed. Returns false, without writing, if the lease is lost. */
  failRenewal(lease: TokenLease, failure: SyncFailure, now: number): Promise<boolean>;
}
