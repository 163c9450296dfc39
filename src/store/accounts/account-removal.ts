/**
 * Removes accounts without one long statement. A large account moves to a separate group whose `expires_at` is 0: after
 * one short transaction it belongs to nobody, and its access and syncs have ended. The caller or housekeeping then
 * deletes its mirror in parts, even if the process ends.
 */
import { randomUUID } from 'node:crypto';
import { calendarRemovalRecorder } from '../changes/change-journal.ts';
import { lockUser } from '../changes/user-lock.ts';
import type { Database, Statements, Values } from '../drivers/database.ts';
import { scheduleJob } from '../jobs/job-rows.ts';
import { emptyPart, RESOURCES_PER_PART } from '../mirror/calendar-removal.ts';
import { keyInGroup } from './account-groups.ts';

/** Limits the calendars and resources, and their bytes, that one statement deletes. */
const FEW = 500;
const FEW_BYTES = 1_000_000;
const CALENDARS_PER_PART = 50;
const AT_ONCE = 100;

type UserKey = { readonly clientId: string; readonly userId: string };
type Removal = { readonly accountKey: string; readonly now: number };
type Weight = { accountKey: string; rows: number; bytes: number };

/** A condition on `account` that excludes accounts put aside. */
export const NOT_ASIDE = 'group_id NOT IN (SELECT group_id FROM account_group WHERE expires_at = 0)';

const WEIGHTS = (accounts: string) => `
  SELECT a.account_key, CAST(COUNT(c.calendar_key) + COALESCE(SUM(c.event_count), 0) AS BIGINT) AS rows,
         CAST(COALESCE(SUM(c.bytes), 0) AS BIGINT) AS bytes
    FROM account AS a LEFT JOIN calendar AS c ON c.account_key = a.account_key
   WHERE a.account_key IN (${accounts}) AND a.${NOT_ASIDE} GROUP BY a.account_key ORDER BY 2, 3, 1`;

/** Divides accounts into those to delete together and those to put aside. Omits those that are aside already. */
export async function bySize(
  tx: Statements,
  accounts: string,
  values: Values,
): Promise<{ readonly small: readonly string[]; readonly large: readonly string[] }> {
  const small: string[] = [];
  const large: string[] = [];
  let [rows, bytes] = [0, 0];
  for (const account of await tx.all<Weight>(WEIGHTS(accounts), values)) {
    rows += account.rows;
    bytes += account.bytes;
    (rows > FEW || bytes > FEW_BYTES ? large : small).push(account.accountKey);
  }
  return { small, large };
}

/**
 * Removes an account from its user. If it was the user's, the deletions are reported to the grants of its group. The
 * caller has locked the user and ends the account's access in this transaction.
 */
export async function putAside(tx: Statements, { accountKey, now }: Removal): Promise<void> {
  const account = await tx.get<{ groupId: string; identity: string | undefined; keyInGroup: string }>(
    `SELECT group_id, identity, key_in_group FROM account
      WHERE account_key = :accountKey`,
    { accountKey },
  );
  if (account === undefined) return;
  const groupId = randomUUID();
  await tx.change(
    `INSERT INTO account_group (group_id, client_id, user_id, created_at, expires_at, told_group)
     SELECT CAST(:groupId AS TEXT), client_id, user_id, CAST(:now AS BIGINT), 0,
            CASE WHEN expires_at IS NULL THEN group_id ELSE told_group END
       FROM account_group WHERE group_id = :former`,
    { groupId, now, former: account.groupId },
  );
  const key = keyInGroup(groupId, account.identity ?? account.keyInGroup.slice(account.groupId.length + 1));
  await tx.change(
    'UPDATE account SET group_id = :groupId, key_in_group = :key, lease_holder = NULL WHERE account_key = :accountKey',
    { groupId, key, accountKey },
  );
  await tx.change('UPDATE calendar SET lease_holder = NULL WHERE account_key = :accountKey', { accountKey });
  await scheduleJob(tx, { kind: 'housekeeping', key: '' }, now);
}

/** Makes `into` the group that gets the reports of `from`, when groups are joined. */
export async function tellInstead(tx: Statements, into: string, from: readonly string[]): Promise<void> {
  const sql = `UPDATE account_group SET told_group = :into WHERE told_group ${tx.dialect.oneOf('from')}`;
  await tx.change(sql, { into, from });
}

const PUT_ASIDE = `
  SELECT a.account_key, a.client_id, a.user_id
    FROM account_group AS g JOIN account AS a ON a.group_id = g.group_id
   WHERE g.expires_at = 0 AND (CAST(:clientId AS TEXT) IS NULL OR (g.client_id = :clientId AND g.user_id = :userId))
   ORDER BY g.created_at, g.group_id LIMIT ${AT_ONCE}`;

/** Deletes accounts that were put aside, of one user or of all, in parts. `now` is in epoch milliseconds. */
export async function deletePutAside(db: Database, now: number, of?: UserKey): Promise<void> {
  const values = { clientId: of?.clientId ?? null, userId: of?.userId ?? null };
  for (;;) {
    const accounts = await db.all<UserKey & { accountKey: string }>(PUT_ASIDE, values);
    for (const account of accounts) {
      let isOver = false;
      while (!isOver) isOver = await db.transaction((tx) => takePart(tx, account, now));
    }
    if (accounts.length < AT_ONCE) return;
  }
}

async function takePart(
  tx: Statements,
  { accountKey, ...user }: UserKey & { readonly accountKey: string },
  now: number,
): Promise<boolean> {
  await lockUser(tx, user);
  const recordRemoval = await calendarRemovalRecorder(tx, accountKey, now);
  const calendars = await tx.all<{ key: string }>(
    `SELECT calendar_key AS key FROM calendar WHERE account_key = :accountKey
      ORDER BY calendar_key LIMIT ${CALENDARS_PER_PART}`,
    { accountKey },
  );
  let left = RESOURCES_PER_PART;
  for (const { key } of calendars) {
    const deleted = await emptyPart(tx, key, { recordRemoval, most: left });
    left -= deleted.resources;
    if (!deleted.isEmpty || left <= 0) return false;
    await tx.change('DELETE FROM calendar WHERE calendar_key = :key', { key });
  }
  if (calendars.length === CALENDARS_PER_PART) return false;
  await tx.change(
    `DELETE FROM account_group
      WHERE expires_at = 0 AND group_id = (SELECT group_id FROM account WHERE account_key = :accountKey)`,
    { accountKey },
  );
  await tx.change('DELETE FROM account WHERE account_key = :accountKey', { accountKey });
  return true;
}
