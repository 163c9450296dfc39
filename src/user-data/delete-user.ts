/** Deletes a user permanently and returns a receipt of deleted and remaining data. */
import type { By } from '../audit/audit-entry.ts';
import type { DeletedUser, UserStore } from '../oauth/user-store.ts';

export type DeleteUserDeps = {
  readonly users: Pick<UserStore, 'deleteUser'>;
  /** Removes deleted data from the disk; returns false if that happens later. */
  readonly clearLog: () => Promise<boolean>;
  readonly now: () => number;
};

/** The receipt of a deletion. It does not identify the user. */
export type DeletionReceipt = {
  readonly deletedAt: number;
  /** The deleted records by kind. */
  readonly deleted: Omit<DeletedUser, 'accessToEnd'>;
  /** The accounts whose access a running server ends at their providers. */
  readonly accessToEnd: number;
  /** Whether all deleted data has left the disk. */
  readonly isOffDisk: boolean;
};

/** Returns `undefined` if the user does not exist. */
export async function deleteUser(
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  { users, clearLog, now, by }: DeleteUserDeps & By,
): Promise<DeletionReceipt | undefined> {
  const deletedAt = now();
  const had = await users.deleteUser(clientId, userId, { now: deletedAt, by });
  if (had === undefined) return undefined;
  const { accessToEnd, ...deleted } = had;
  return { deletedAt, deleted, accessToEnd, isOffDisk: await clearLog() };
}
