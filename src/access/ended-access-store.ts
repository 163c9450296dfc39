import type { ProviderCredentials } from '../calendars/calendar-provider.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';

/** Access that is no longer needed and has yet to be ended at the provider. */
export type EndedAccess = {
  /** Of the account that was disconnected; a new one where there never was an account. */
  readonly accountKey: string;
  /** The application's. */
  readonly clientId: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  /** Who signed in; `undefined` where that was not kept. */
  readonly identity: string | undefined;
  /** Unsealed. */
  readonly credentials: ProviderCredentials;
  /** Epoch milliseconds. */
  readonly endedAt: number;
};

/** Disconnecting accounts and deleting users add to it too, in their own transactions. */
export interface EndedAccessStore {
  /**
   * Adds access that a provider granted and no account is to have, and schedules the job that ends it. A no-op for an
   * application that is gone.
   */
  addEndedAccess(access: Omit<EndedAccess, 'accountKey' | 'endedAt'>, now: number): Promise<void>;

  findEndedAccess(accountKey: string): Promise<EndedAccess | undefined>;

  /** The credentials of all linked accounts that are the same account at the provider, by identity or by address. */
  credentialsOfSameAccount(access: EndedAccess): Promise<ProviderCredentials[]>;

  /** Deletes it with its credentials. */
  deleteEndedAccess(accountKey: string): Promise<void>;
}
