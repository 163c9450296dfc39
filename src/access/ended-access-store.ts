import type { ProviderCredentials } from '../calendars/calendar-provider.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';

/** Access that is of no more use here and has yet to be ended at the provider. */
export type EndedAccess = {
  /** Of the account that was disconnected; one of its own where there never was an account. */
  readonly accountKey: string;
  /** The application's. */
  readonly clientId: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  /** Unsealed. */
  readonly credentials: ProviderCredentials;
  /** Epoch milliseconds. */
  readonly endedAt: number;
};

/** Filled by disconnecting and by deleting users, too, in their own transactions. */
export interface EndedAccessStore {
  /**
   * Takes access that a provider gave and no account here is to hold, and makes the job that ends it. A
   * no-op for an application that is gone.
   */
  leaveAccess(access: Omit<EndedAccess, 'accountKey' | 'endedAt'>, now: number): Promise<void>;

  findEndedAccess(accountKey: string): Promise<EndedAccess | undefined>;

  /** The credentials of all accounts that are linked now and are the same account at the provider. */
  credentialsOfTwins(access: EndedAccess): Promise<ProviderCredentials[]>;

  /** Forgets it with its credentials: it was ended, or is given up. */
  forgetEndedAccess(accountKey: string): Promise<void>;
}
