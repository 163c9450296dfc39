import type { ChangeTerms } from '../audit/audit-entry.ts';
import type { Scope } from './scope.ts';

/** An application's own user (docs/wire.md O2.2); `userId` is unique within the application only. */
export type User = {
  readonly clientId: string;
  readonly userId: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
};

/** A user with its counts. */
export type UserSummary = User & { readonly accounts: number; readonly grants: number };

/** A grant that lives. Instants are epoch milliseconds. */
export type LivingGrant = { readonly scope: Scope; readonly createdAt: number; readonly refreshedAt: number };

/** The number of rows deleted with a user, without the user's identity. */
export type DeletedUser = {
  readonly accounts: number;
  /** Living grants. */
  readonly grants: number;
  readonly calendars: number;
  readonly events: number;
  /** Entries of the change journal. */
  readonly changes: number;
  readonly deliveries: number;
  /** Accounts whose access is ended at their providers after the deletion. */
  readonly accessToEnd: number;
};

/** Instants are epoch milliseconds. */
export interface UserStore {
  isUser(clientId: string, userId: string): Promise<boolean>;

  /** Creates the user, or marks the existing one as seen. Any number of concurrent calls create one. */
  loadOrCreateUser(clientId: string, userId: string, now: number): Promise<void>;

  findUser(clientId: string, userId: string): Promise<UserSummary | undefined>;

  /** Lists the living grants, the oldest first. */
  livingGrantsOf(clientId: string, userId: string): Promise<LivingGrant[]>;

  /**
   * Deletes everything of the user, including its id: its codes and tokens become invalid. `undefined` if there was no
   * such user. Access that waits to be ended at a provider has no user id.
   */
  deleteUser(clientId: string, userId: string, terms: ChangeTerms): Promise<DeletedUser | undefined>;

  /** Deletes users without accounts and living grants that were last seen before `seenBefore`. */
  deleteIdleUsers(seenBefore: number): Promise<number>;
}
