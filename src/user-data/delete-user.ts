/** Deleting a user for good, with a receipt that says what it was and what waits. */
import type { DeletedUser, UserStore } from '../oauth/user-store.ts';

export type DeleteUserDeps = {
  readonly users: Pick<UserStore, 'deleteUser'>;
  /** Takes what was deleted off the disk; false where that comes later. */
  readonly clearLog: () => Promise<boolean>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** It does not say who the user was. */
export type DeletionReceipt = {
  /** Epoch milliseconds. */
  readonly deletedAt: number;
  /** What there was, by kind. */
  readonly deleted: Omit<DeletedUser, 'accessToEnd'>;
  /** Accounts whose access a running server ends at their providers. */
  readonly accessToEnd: number;
  /** Whether the disk has nothing left of it. */
  readonly isOffDisk: boolean;
};

/** `undefined` when there was no such user. */
export async function deleteUser(
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  { users, clearLog, now }: DeleteUserDeps,
): Promise<DeletionReceipt | undefined> {
  const deletedAt = now();
  const had = await users.deleteUser(clientId, userId, deletedAt);
  if (had === undefined) return undefined;
  const { accessToEnd, ...deleted } = had;
  return { deletedAt, deleted, accessToEnd, isOffDisk: await clearLog() };
}
