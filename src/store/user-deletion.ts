/** Deleting a user, whatever the user has. */
import type { Caller } from '../audit/audit-entry.ts';
import { newUserKey, userSubject } from '../audit/user-subject.ts';
import { deleteAccounts } from './account-deletion.ts';
import { bySize, deletePutAside, NOT_ASIDE } from './account-removal.ts';
import { prepareAccountDeletion } from './account-rows.ts';
import { auditFor } from './append-audit.ts';
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
 * user had, and the user when nobody asked for a while. The entry of `caller` is made with what takes all access.
 */
export async function deleteUserInParts(db: Database, user: UserToDelete, caller?: Caller): Promise<boolean> {
  const { clientId, userId, now } = user;
  const { large } = await bySize(db, ACCOUNTS, { clientId, userId });
  const changes = await db.all(CHANGES, { clientId, userId });
  if (large.length > 0 || changes.length > FEW) {
    await db.transaction((tx) => endUser(tx, user, caller));
    await deleteInParts(db, DELETE_CHANGES, { clientId, userId });
  }
  await deletePutAside(db, now, { clientId, userId });
  return db.transaction((tx) => deleteUser(tx, user, caller));
}

async function endUser(tx: Statements, user: UserToDelete, caller: Caller | undefined): Promise<void> {
  await lockUser(tx, user);
  const auditDeletion = await deletionAuditor(tx, user, caller);
  // Nobody follows the changes of a user who is going.
  await tx.all(
    'UPDATE application_user SET feed_id = NULL WHERE client_id = :clientId AND user_id = :userId',
    user,
  );
  await endAccess(tx, user);
  await deleteAccounts(tx, ACCOUNTS, user);
  await auditDeletion();
}

// Counts what is the user's still; an empty key says that the log has the deletion already.
const HAS = `
  SELECT audit_key AS "key",
         (SELECT COUNT(*) FROM account WHERE client_id = :clientId AND user_id = :userId AND ${NOT_ASIDE}) AS "accounts",
         (SELECT COUNT(*) FROM token_family
           WHERE client_id = :clientId AND user_id = :userId AND ended_at IS NULL) AS "grants"
    FROM application_user WHERE client_id = :clientId AND user_id = :userId`;
const DELETION_AUDITED = `
  UPDATE application_user SET audit_key = '' WHERE client_id = :clientId AND user_id = :userId`;

/** Call it while the user is locked and has everything still. What it answers appends the entry; call that last. */
async function deletionAuditor(
  tx: Statements,
  user: UserToDelete,
  caller: Caller | undefined,
): Promise<() => Promise<void>> {
  const { clientId, userId } = user;
  const had =
    caller &&
    (await tx.get<{ key: string | null; accounts: number; grants: number }>(HAS, { clientId, userId }));
  if (had === undefined || (had.key === '' && had.accounts + had.grants === 0)) return async () => {};
  const subject = userSubject(had.key || newUserKey(), userId);
  const before = { accounts: had.accounts, grants: had.grants };
  return async () => {
    await tx.all(DELETION_AUDITED, { clientId, userId });
    await auditFor(tx, caller, { action: 'user.deleted', clientId, subject, before });
  };
}

/**
 * The order matters: deleting the user waits for an approval that is being written, so that its code is there to be
 * withdrawn with the user's grants.
 */
async function deleteUser(tx: Statements, user: UserToDelete, caller: Caller | undefined): Promise<boolean> {
  // Locks the user's row, as disconnecting does: of several calls, one prepares the deletion of the accounts.
  await tx.all(
    `UPDATE application_user SET last_seen_at = last_seen_at
      WHERE client_id = :clientId AND user_id = :userId RETURNING user_id`,
    user,
  );
  const auditDeletion = await deletionAuditor(tx, user, caller);
  await prepareAccountDeletion(tx, ACCOUNTS, user);
  const deleted = await tx.all(
    'DELETE FROM application_user WHERE client_id = :clientId AND user_id = :userId RETURNING user_id',
    user,
  );
  if (deleted.length === 0) return false;
  await endAccess(tx, user);
  await auditDeletion();
  return true;
}
