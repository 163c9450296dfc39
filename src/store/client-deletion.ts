/** Deleting an application, whatever its users have. */
import { NOT_ASIDE } from './account-removal.ts';
import { prepareAccountDeletion } from './account-rows.ts';
import type { Database, Statements } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';
import { deleteUserInParts } from './user-deletion.ts';

type ApplicationToDelete = { readonly clientId: string; readonly now: number };

const HAS_MUCH = `
  SELECT u.user_id AS "userId" FROM application_user AS u
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
           LIMIT :limit)
  RETURNING user_id`;
const DELETE_GRANTS = `
  DELETE FROM token_family
   WHERE family_id IN (SELECT family_id FROM token_family WHERE client_id = :clientId LIMIT :limit)
  RETURNING family_id`;

/**
 * Answers whether there was such an application. Its secrets go first: nobody is given anything in its name from then on.
 * Then its users go, one after the other and each whole, and the application last. The next call ends what was
 * interrupted. `now` is epoch milliseconds.
 */
export async function deleteClientInParts(db: Database, application: ApplicationToDelete): Promise<boolean> {
  await deleteUsersOf(db, application);
  return db.transaction((tx) => deleteClient(tx, application));
}

async function deleteUsersOf(db: Database, application: ApplicationToDelete): Promise<void> {
  const { clientId, now } = application;
  await db.write('DELETE FROM client_secret WHERE client_id = :clientId RETURNING client_id', { clientId });
  for (let after = ''; ; ) {
    const users = await db.all<{ userId: string }>(HAS_MUCH, { clientId, after });
    for (const { userId } of users) await deleteUserInParts(db, { clientId, userId, now });
    const last = users.at(-1);
    if (last === undefined) break;
    after = last.userId;
  }
  await deleteInParts(db, DELETE_USERS, { clientId });
  await deleteInParts(db, DELETE_GRANTS, { clientId });
}

async function deleteClient(tx: Statements, application: ApplicationToDelete): Promise<boolean> {
  // Locks its row: of several calls, one prepares the deletion of its accounts.
  const locked = await tx.all(
    'UPDATE application SET updated_at = updated_at WHERE client_id = :clientId RETURNING client_id',
    application,
  );
  if (locked.length === 0) return false;
  await prepareAccountDeletion(
    tx,
    `SELECT account_key FROM account WHERE client_id = :clientId AND ${NOT_ASIDE}`,
    application,
  );
  await tx.all('DELETE FROM application WHERE client_id = :clientId', application);
  // After the application: its deletion waits for a code that is being redeemed, so that the code's grant is there by
  // now and is deleted too.
  await tx.all('DELETE FROM token_family WHERE client_id = :clientId', application);
  return true;
}
