/** Deleting a user, whatever the user has. */
import { deleteAccounts } from './account-deletion.ts';
import { bySize, deletePutAside, NOT_ASIDE } from './account-removal.ts';
import { prepareAccountDeletion } from './account-rows.ts';
import type { Database, Statements } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';
import { endAccess } from './token-family-store.ts';
import { lockUser } from './user-lock.ts';

/** `now` is epoch milliseconds. */
export type UserToDelete = { readonly clientId: string; readonly userId: string; readonly now: number };

const ACCOUNTS = `SELECT account_key FROM account
  WHERE client_id = :clientId AND user_id = :userId AND ${NOT_ASIDE}`;
/** So many changes go with the user in one statement. */
const FEW = 500;
const CHANGES = `
  SELECT event_id FROM event_change WHERE client_id = :clientId AND user_id = :userId LIMIT ${FEW + 1}`;
const DELETE_CHANGES = `
  DELETE FROM event_change WHERE (calendar_key, event_id) IN
    (SELECT calendar_key, event_id FROM event_change
      WHERE client_id = :clientId AND user_id = :userId LIMIT :limit)
  RETURNING event_id`;

/**
 * Answers whether there was such a user. One who has much loses all access and all accounts in one short transaction;
 * then what is left goes in parts, and the user last. Should the process die on the way, housekeeping deletes what the
 * user had, and the user when nobody asked for a while.
 */
export async function deleteUserInParts(db: Database, user: UserToDelete): Promise<boolean> {
  const { clientId, userId, now } = user;
  const { large } = await bySize(db, ACCOUNTS, { clientId, userId });
  const changes = await db.all(CHANGES, { clientId, userId });
  if (large.length > 0 || changes.length > FEW) {
    await db.transaction((tx) => endUser(tx, user));
    await deleteInParts(db, DELETE_CHANGES, { clientId, userId });
  }
  await deletePutAside(db, now, { clientId, userId });
  return db.transaction((tx) => deleteUser(tx, user));
}

async function endUser(tx: Statements, user: UserToDelete): Promise<void> {
  await lockUser(tx, user);
  // Nobody follows the changes of a user who is going.
  await tx.all(
    'UPDATE application_user SET feed_id = NULL WHERE client_id = :clientId AND user_id = :userId',
    user,
  );
  await endAccess(tx, user);
  await deleteAccounts(tx, ACCOUNTS, user);
}

/**
 * The order matters: deleting the user waits for an approval that is being written, so that its code is there to be
 * withdrawn with the user's grants.
 */
async function deleteUser(tx: Statements, user: UserToDelete): Promise<boolean> {
  // Locks the user's row, as disconnecting does: of several calls, one prepares the deletion of the accounts.
  await tx.all(
    `UPDATE application_user SET last_seen_at = last_seen_at
      WHERE client_id = :clientId AND user_id = :userId RETURNING user_id`,
    user,
  );
  await prepareAccountDeletion(tx, ACCOUNTS, user);
  const deleted = await tx.all(
    'DELETE FROM application_user WHERE client_id = :clientId AND user_id = :userId RETURNING user_id',
    user,
  );
  if (deleted.length === 0) return false;
  await endAccess(tx, user);
  return true;
}
