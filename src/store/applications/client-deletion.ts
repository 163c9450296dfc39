/** Deletes an application with all data of its users. */
import type { By } from '../../audit/audit-entry.ts';
import { NOT_ASIDE } from '../accounts/account-removal.ts';
import { prepareAccountDeletion } from '../accounts/account-rows.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';
import { deleteUserInParts } from '../users/user-deletion.ts';

type ApplicationToDelete = { readonly clientId: string; readonly now: number };

const HAS_MUCH = `
  SELECT u.user_id FROM application_user AS u
   WHERE u.client_id = :clientId AND u.user_id > :after
     AND (u.feed_id IS NOT NULL
          OR EXISTS (SELECT 1 FROM account AS a WHERE a.client_id = u.client_id AND a.user_id = u.user_id))
   ORDER BY u.user_id LIMIT 100`;
const DELETE_USERS = `
  DELETE FROM application_user
   WHERE client_id = :clientId AND user_id IN
         (SELECT o.user_id FROM application_user AS o
           WHERE o.client_id = :clientId
             AND NOT EXISTS (SELECT 1 FROM account AS a WHERE a.client_id = o.client_id AND a.user_id = o.user_id)
           LIMIT :limit)`;
const DELETE_REQUESTS = `
  DELETE FROM request_log
   WHERE request_id IN (SELECT request_id FROM request_log WHERE client_id = :clientId LIMIT :limit)`;
const DELETE_GRANTS = `
  DELETE FROM token_family
   WHERE family_id IN (SELECT family_id FROM token_family WHERE client_id = :clientId LIMIT :limit)`;

/**
 * Deletes an application; returns whether it existed. Its secrets end first, so that nobody gets anything in its name,
 * and `by` is audited. Users follow one by one, and the application is last. The next call continues an interrupted
 * one. `now` is in epoch milliseconds.
 */
export async function deleteClientInParts(
  db: Database,
  application: ApplicationToDelete & By,
): Promise<boolean> {
  await db.transaction((tx) => endSecrets(tx, application));
  await deleteApplicationUsers(db, application);
  return db.transaction((tx) => deleteClient(tx, application));
}

async function endSecrets(tx: Statements, { clientId, by }: ApplicationToDelete & By): Promise<void> {
  const ended = await tx.change('DELETE FROM client_secret WHERE client_id = :clientId', {
    clientId,
  });
  if (ended === 0) return;
  const before = await tx.get<{ name: string }>('SELECT name FROM application WHERE client_id = :clientId', {
    clientId,
  });
  await auditFor(tx, by, { action: 'client.deleted', clientId, before: before && { ...before } });
}

async function deleteApplicationUsers(db: Database, application: ApplicationToDelete): Promise<void> {
  const { clientId, now } = application;
  for (let after = ''; ; ) {
    const users = await db.all<{ userId: string }>(HAS_MUCH, { clientId, after });
    for (const { userId } of users) await deleteUserInParts(db, { clientId, userId, now, by: undefined });
    const last = users.at(-1);
    if (last === undefined) break;
    after = last.userId;
  }
  await deleteInParts(db, DELETE_REQUESTS, { clientId });
  await deleteInParts(db, DELETE_USERS, { clientId });
  await deleteInParts(db, DELETE_GRANTS, { clientId });
}

async function deleteClient(tx: Statements, application: ApplicationToDelete): Promise<boolean> {
  // Locks the row: one of several calls prepares the deletion of the accounts.
  const locked = await tx.change(
    'UPDATE application SET updated_at = updated_at WHERE client_id = :clientId',
    application,
  );
  if (locked === 0) return false;
  await prepareAccountDeletion(
    tx,
    `SELECT account_key FROM account WHERE client_id = :clientId AND ${NOT_ASIDE}`,
    application,
  );
  await tx.change('DELETE FROM application WHERE client_id = :clientId', application);
  await tx.change('DELETE FROM activity_count WHERE client_id = :clientId', application);
  // Last, since deleting the application waits for a code that is being redeemed: its grant is deleted too.
  await tx.change('DELETE FROM token_family WHERE client_id = :clientId', application);
  return true;
}
