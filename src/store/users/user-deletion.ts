/** Deletes a user with all data. */
import type { Caller, ChangeTerms } from '../../audit/audit-entry.ts';
import { newUserKey, userSubject } from '../../audit/user-subject.ts';
import type { DeletedUser } from '../../oauth/user-store.ts';
import { deleteAccounts } from '../accounts/account-deletion.ts';
import { bySize, deletePutAside, NOT_ASIDE } from '../accounts/account-removal.ts';
import { ACCESS_CAN_BE_ENDED, prepareAccountDeletion } from '../accounts/account-rows.ts';
import { auditFor } from '../audit/append-audit.ts';
import { lockUser } from '../changes/user-lock.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';
import { endAccess } from '../oauth/token-family-store.ts';

export type UserToDelete = ChangeTerms & { readonly clientId: string; readonly userId: string };

const ACCOUNTS = `SELECT account_key FROM account
  WHERE client_id = :clientId AND user_id = :userId AND ${NOT_ASIDE}`;
/** At most this many recorded changes are deleted with the user in one statement. */
const FEW = 500;
const CHANGES = `
  SELECT event_id FROM event_change WHERE client_id = :clientId AND user_id = :userId LIMIT ${FEW + 1}`;
const DELETE_CHANGES = `
  DELETE FROM event_change WHERE (calendar_key, event_id) IN
    (SELECT calendar_key, event_id FROM event_change
      WHERE client_id = :clientId AND user_id = :userId LIMIT :limit)`;

const DELETE_PUSHED = `
  DELETE FROM pushed_request WHERE spent_for IN
    (SELECT transaction_id FROM authorization_request WHERE client_id = :clientId AND user_id = :userId)`;
/** No foreign key covers grants. A withdrawn code stays for a day: its redemption returns what happened. */
const DELETE_GRANTS = `
  DELETE FROM token_family WHERE client_id = :clientId AND user_id = :userId AND token_hash <> ''`;

/**
 * Deletes a user. Returns what the user had, or `undefined` if the user does not exist. If there is much data, one
 * short transaction ends all access, audited for `by`, and removes all accounts; the rest follows in parts. If the
 * process dies, housekeeping deletes the rest, and later the idle user.
 */
export async function deleteUserInParts(db: Database, user: UserToDelete): Promise<DeletedUser | undefined> {
  const { clientId, userId, now } = user;
  const { large } = await bySize(db, ACCOUNTS, { clientId, userId });
  const changes = await db.change(CHANGES, { clientId, userId });
  let had: DeletedUser | undefined;
  if (large.length > 0 || changes > FEW) {
    had = await db.transaction((tx) => endUser(tx, user));
    await deleteInParts(db, DELETE_CHANGES, { clientId, userId });
  }
  await deletePutAside(db, now, { clientId, userId });
  const deleted = await db.transaction((tx) => deleteUser(tx, user));
  return deleted && (had ?? deleted);
}

async function endUser(tx: Statements, { by, ...user }: UserToDelete): Promise<DeletedUser | undefined> {
  await lockUser(tx, user);
  const deletion = await prepareUserDeletion(tx, user, by);
  await tx.change(
    'UPDATE application_user SET feed_id = NULL WHERE client_id = :clientId AND user_id = :userId',
    user,
  );
  await endAccess(tx, user);
  await deleteAccounts(tx, ACCOUNTS, user);
  await deletion?.audit();
  return deletion?.had;
}

const OF_USER = 'client_id = :clientId AND user_id = :userId';
const OF_CALENDARS = `calendar WHERE account_key IN (${ACCOUNTS})`;
// Counts what the user still has. An empty key means that the audit log already has the deletion.
const HAS = `
  SELECT audit_key AS key,
         (SELECT COUNT(*) FROM account WHERE ${OF_USER} AND ${NOT_ASIDE}) AS accounts,
         (SELECT COUNT(*) FROM token_family WHERE ${OF_USER} AND ended_at IS NULL) AS grants,
         (SELECT COUNT(*) FROM ${OF_CALENDARS}) AS calendars,
         (SELECT CAST(COALESCE(SUM(event_count), 0) AS BIGINT) FROM ${OF_CALENDARS}) AS events,
         (SELECT COUNT(*) FROM event_change WHERE ${OF_USER}) AS changes,
         (SELECT COUNT(*) FROM webhook_message WHERE ${OF_USER}) AS deliveries,
         (SELECT COUNT(*) FROM account WHERE ${OF_USER} AND ${NOT_ASIDE} AND ${ACCESS_CAN_BE_ENDED}) AS access_to_end
    FROM application_user WHERE ${OF_USER}`;
const DELETION_AUDITED = `UPDATE application_user SET audit_key = '' WHERE ${OF_USER}`;

type Deletion = {
  readonly had: DeletedUser;
  /** Appends the entry, unless the log has it. Call it last. */
  readonly audit: () => Promise<void>;
};

/** Reads what a user has. Call it while the user is locked and still has everything. */
async function prepareUserDeletion(
  tx: Statements,
  { clientId, userId }: Omit<UserToDelete, 'by'>,
  by: Caller | undefined,
): Promise<Deletion | undefined> {
  const row = await tx.get<DeletedUser & { key: string | undefined }>(HAS, { clientId, userId });
  if (row === undefined) return undefined;
  const { key, ...had } = row;
  const isLogged = key === '' && had.accounts + had.grants === 0;
  const subject = userSubject(key || newUserKey(), userId);
  const { accessToEnd: _, ...before } = had;
  const audit = async () => {
    if (by === undefined || isLogged) return;
    await tx.change(DELETION_AUDITED, { clientId, userId });
    await auditFor(tx, by, { action: 'user.deleted', clientId, subject, before });
  };
  return { had, audit };
}

/** Deletes the user's row first: this waits for a running approval, so that its code and grants are deleted too. */
async function deleteUser(tx: Statements, { by, ...user }: UserToDelete): Promise<DeletedUser | undefined> {
  // Locks the user's row, as disconnecting does: only one concurrent call prepares the deletion of the accounts.
  await tx.change(
    `UPDATE application_user SET last_seen_at = last_seen_at
      WHERE client_id = :clientId AND user_id = :userId`,
    user,
  );
  const deletion = await prepareUserDeletion(tx, user, by);
  await prepareAccountDeletion(tx, ACCOUNTS, user);
  await tx.change(DELETE_PUSHED, user);
  const deleted = await tx.change(
    'DELETE FROM application_user WHERE client_id = :clientId AND user_id = :userId',
    user,
  );
  if (deleted === 0) return undefined;
  // This waits for a running redemption, so that the grants that it created are deleted too.
  await endAccess(tx, user);
  await tx.change(DELETE_GRANTS, user);
  await deletion?.audit();
  return deletion?.had;
}
