import type { ProviderCredentials } from './calendar-provider.ts';
import type { ProviderKind } from './provider-kind.ts';

/** Access to an account that was disconnected here and has yet to be ended at the provider. */
export type EndedAccess = {
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

/** Filled by disconnecting and by deleting users, in their own transactions. */
export interface EndedAccessStore {
  findEndedAccess(accountKey: string): Promise<EndedAccess | undefined>;

  /** The credentials of all accounts that are linked now and are the same account at the provider. */
  credentialsOfTwins(access: EndedAccess): Promise<ProviderCredentials[]>;

  /** Forgets it with its credentials: it was ended, or is given up. */
  forgetEndedAccess(accountKey: string): Promise<void>;
}
