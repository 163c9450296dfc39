/** Limits the accounts that a user may connect, and those that are synced before they are the user's. */
import { AccountLimitReached, type NewAccount } from '../../calendars/account-store.ts';
import type { Statements } from '../drivers/database.ts';
import { FOLLOWED_ACCOUNT } from '../jobs/followed-accounts.ts';
import { scheduleJob } from '../jobs/job-rows.ts';
import { deleteAccounts } from './account-deletion.ts';

type Linking = { readonly account: NewAccount; readonly now: number };
type UserKey = { readonly clientId: string; readonly userId: string };

/** A condition on the group `g`: it belongs to this transaction or to this browser. */
const OWN = `(COALESCE(g.transaction_id, '') = :transactionId
  OR ((g.expires_at IS NULL OR g.expires_at > CAST(:now AS BIGINT))
      AND g.group_id IN (SELECT group_id FROM group_device WHERE device_hash = CAST(:formerHash AS TEXT))))`;
const SAME = 'a.provider = :provider AND a.identity = :identity';
const OF_USER = `account AS a JOIN account_group AS g ON g.group_id = a.group_id
   WHERE a.client_id = :clientId AND a.user_id = :userId AND COALESCE(g.expires_at, 1) > 0`;

const COUNT = `
  SELECT COUNT(*) AS of_user,
         COUNT(DISTINCT CASE WHEN ${OWN} THEN a.provider || ' ' || COALESCE(a.identity, a.account_key) END) AS of_person,
         COALESCE(MAX(CASE WHEN ${SAME} AND (g.expires_at IS NULL OR ${OWN}) THEN 1 ELSE 0 END), 0) AS is_known,
         COALESCE(MAX(CASE WHEN ${SAME} AND g.transaction_id = :transactionId THEN 1 ELSE 0 END), 0) AS is_there
    FROM ${OF_USER}`;

/** Unfinished accounts of other browsers, the oldest first. Allowed accounts come last. */
const MAKE_ROOM = `
  SELECT a.account_key FROM ${OF_USER} AND g.expires_at IS NOT NULL AND NOT ${OWN}
   ORDER BY CASE WHEN g.approved_at IS NULL THEN 0 ELSE 1 END, a.linked_at, a.account_key
   LIMIT :over`;

type Counted = { ofUser: number; ofPerson: number; isKnown: number; isThere: number };

/**
 * Frees space for an account that is about to be connected: deletes the oldest unfinished ones of other browsers, so
 * that nobody can fill up another person's user. Throws AccountLimitReached if that is not enough. The caller has
 * locked the user.
 */
export async function makeRoom(tx: Statements, { account, now }: Linking): Promise<void> {
  const { clientId, userId, provider, identity, transaction, device, limits } = account;
  if (limits === undefined) return;
  const { transactionId } = transaction;
  const owner = { clientId, userId, transactionId, formerHash: device.formerHash ?? null, now };
  const counted = await tx.get<Counted>(COUNT, { ...owner, provider, identity });
  if (counted === undefined || counted.isThere === 1) return;
  const { ofUser, ofPerson, isKnown } = counted;
  if (ofPerson >= limits.ofPerson && isKnown === 0) throw new AccountLimitReached(limits.ofPerson);
  const over = ofUser + 1 - limits.ofUser;
  if (over <= 0) return;
  const removed = await tx.all<{ accountKey: string }>(MAKE_ROOM, { ...owner, over });
  for (const { accountKey } of removed) await deleteAccounts(tx, ONE, { clientId, userId, accountKey, now });
  if (removed.length > 0) await tx.change(DELETE_EMPTY, { clientId, userId, transactionId });
  if (removed.length < over && isKnown === 0) throw new AccountLimitReached(limits.ofUser);
}

const ONE = 'SELECT account_key FROM account WHERE account_key = :accountKey';
const DELETE_EMPTY = `
  DELETE FROM account_group
   WHERE client_id = :clientId AND user_id = :userId AND expires_at IS NOT NULL AND approved_at IS NULL
     AND transaction_id <> :transactionId
     AND NOT EXISTS (SELECT 1 FROM account AS a WHERE a.group_id = account_group.group_id)`;

/** Maximum numbers of unfinished accounts that are synced: anybody can connect any number. */
const SYNCED_OF_TRANSACTION = 3;
const SYNCED_OF_USER = 20;

const NOT_YET = `
  SELECT account_key FROM
    (SELECT a.account_key, ROW_NUMBER() OVER (PARTITION BY a.group_id ORDER BY a.linked_at DESC, a.account_key) AS of_group,
            ROW_NUMBER() OVER (ORDER BY a.linked_at DESC, a.account_key) AS of_user
       FROM ${OF_USER} AND g.expires_at IS NOT NULL AND a.account_key <> :accountKey) AS newest
   WHERE of_group >= ${SYNCED_OF_TRANSACTION} OR of_user >= ${SYNCED_OF_USER}`;

/** Deletes the jobs of all unfinished accounts but the newest and the one that was just connected. */
export async function syncNewestOnly(
  tx: Statements,
  linked: UserKey & { readonly accountKey: string },
): Promise<void> {
  const { clientId, userId, accountKey } = linked;
  await tx.change(
    `DELETE FROM job
      WHERE lease_holder IS NULL
        AND ((kind = 'sync-account' AND key IN (${NOT_YET}))
             OR (kind = 'sync-calendar' AND key IN
                  (SELECT calendar_key FROM calendar WHERE account_key IN (${NOT_YET}))))`,
    { clientId, userId, accountKey },
  );
}

/** Schedules a missing sync of a user's new accounts. A followed account is synced now: nobody was notified yet. */
export async function syncAll(tx: Statements, accountKeys: readonly string[], now: number): Promise<void> {
  if (accountKeys.length === 0) return;
  const due = await tx.all<{ accountKey: string }>(
    `SELECT a.account_key FROM account AS a
      WHERE a.account_key ${tx.dialect.oneOf('accountKeys')}
        AND (NOT EXISTS (SELECT 1 FROM job WHERE job.kind = 'sync-account' AND job.key = a.account_key)
             OR (${FOLLOWED_ACCOUNT}))`,
    { accountKeys },
  );
  for (const { accountKey } of due) await scheduleJob(tx, { kind: 'sync-account', key: accountKey }, now);
}
