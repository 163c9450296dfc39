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

/** What a user had when it was deleted, by kind; it does not say who it was. */
export type DeletedUser = {
  readonly accounts: number;
  /** Those that lived. */
  readonly grants: number;
  readonly calendars: number;
  readonly events: number;
  /** In the journal. */
  readonly changes: number;
  readonly deliveries: number;
  /** Accounts whose access is ended at their providers after the deletion. */
  readonly accessToEnd: number;
};

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
   * Deletes everything of the user, down to its id: no code or token of it is worth anything from then on. `undefined` when
   * there was none. What waits for a provider to end its access has no id of the user.
   */
  deleteUser(clientId: string, userId: string, now: number): Promise<DeletedUser | undefined>;

  /** Deletes users without account and living grant that were last seen before `seenBefore`. */
  deleteIdleUsers(seenBefore: number): Promise<number>;
}
