import type { ProviderCredentials } from '../calendars/calendar-provider.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';

/** Access that is no longer needed and has yet to be ended at the provider. */
export type EndedAccess = {
  /** The key of the disconnected account; a new one if there never was an account. */
  readonly accountKey: string;
  readonly clientId: string;
  readonly provider: ProviderKind;
  readonly accountId: string;
  /** The identity that signed in; `undefined` if it was not stored. */
  readonly identity: string | undefined;
  /** Unsealed. */
  readonly credentials: ProviderCredentials;
  /** Epoch milliseconds. */
  readonly endedAt: number;
};

/** Disconnecting accounts and deleting users also add rows, in their own transactions. */
export interface EndedAccessStore {
  /** Adds access that no account will use and schedules its end. Does nothing if the application is deleted. */
  addEndedAccess(access: Omit<EndedAccess, 'accountKey' | 'endedAt'>, now: number): Promise<void>;

  findEndedAccess(accountKey: string): Promise<EndedAccess | undefined>;

  /** Returns the credentials of all connected accounts that are the same account, by identity or by address. */
  credentialsOfSameAccount(access: EndedAccess): Promise<ProviderCredentials[]>;

  /** Deletes the ended access and its credentials. */
  deleteEndedAccess(accountKey: string): Promise<void>;
}
