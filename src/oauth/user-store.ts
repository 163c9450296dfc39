import type { Scope } from './scope.ts';

/** An application's own user (docs/wire.md O2.2); `userId` is unique within the application only. */
export type User = {
  readonly clientId: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
};

/** What the command line shows of a user. */
export type UserSummary = User & { readonly accounts: number; readonly grants: number };

/** A grant that lives. Instants are epoch milliseconds. */
export type LivingGrant = { readonly scope: Scope; readonly createdAt: number; readonly refreshedAt: number };

/** Instants are epoch milliseconds. */
export interface UserStore {
  /** Whether there is such a user. */
  isUser(clientId: string, userId: string): Promise<boolean>;

  /** Creates the user, or marks the existing one as seen; any number of concurrent calls make one. */
  loadOrCreateUser(clientId: string, userId: string, now: number): Promise<void>;

  findUser(clientId: string, userId: string): Promise<UserSummary | undefined>;
  listUsers(clientId: string): Promise<UserSummary[]>;

  /** The oldest first. */
  livingGrantsOf(clientId: string, userId: string): Promise<LivingGrant[]>;

  /**
   * Deletes the user with its accounts, credentials, mirror and authorization requests, ends its
   * grants and withdraws its code, in one transaction. False when there was none.
   */
  deleteUser(clientId: string, userId: string, now: number): Promise<boolean>;

  /** Deletes users without account and living grant that were last seen before `seenBefore`. */
  deleteIdleUsers(seenBefore: number): Promise<number>;
}
