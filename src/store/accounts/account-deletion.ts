/** Deletes accounts, a user's own and those of an open authorization request (docs/security.md T3). */

import { recordAccountRemoval } from '../changes/change-journal.ts';
import { lockUser } from '../changes/user-lock.ts';
import { noteConnections } from '../changes/user-notes.ts';
import type { Database, Dialect, Statements, Values } from '../drivers/database.ts';
import { HAS_CODE } from './account-groups.ts';
import { bySize, deletePutAside, putAside } from './account-removal.ts';
import { prepareAccountDeletion } from './account-rows.ts';

const THESE = ({ oneOf }: Dialect): string =>
  `SELECT account_key FROM account WHERE account_key ${oneOf('keys')}`;

/**
 * Deletes one user's accounts, and withdraws pending codes that then cover no account. `accounts` selects their keys;
 * `values` has its parameters. Returns their number. Large accounts are only put aside (deletePutAside).
 */
export async function deleteAccounts(
  tx: Statements,
  accounts: string,
  values: Values & { readonly clientId: string; readonly userId: string; readonly now: number },
): Promise<number> {
  const { clientId, userId, now } = values;
  // If two calls each delete one of the last two accounts, the second must see that none is left.
  await lockUser(tx, values);
  const { small, large } = await bySize(tx, accounts, values);
  const keys = [...small, ...large];
  if (keys.length === 0) return 0;
  const these = THESE(tx.dialect);
  await noteConnections(tx, keys, { eventType: 'connection.disconnected', now });
  await recordAccountRemoval(tx, these, { clientId, userId, now, keys: small });
  await prepareAccountDeletion(tx, these, { now, keys });
  for (const accountKey of large) await putAside(tx, { accountKey, now });
  const deleted = await tx.change(`DELETE FROM account WHERE account_key IN (${these})`, {
    keys: small,
  });
  await tx.change(
    `UPDATE token_family SET withdrawn_at = :now
      WHERE client_id = :clientId AND user_id = :userId AND ${HAS_CODE} AND withdrawn_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM grant_coverage AS c JOIN account AS a ON a.group_id = c.group_id
                         WHERE c.coverage_id = token_family.coverage_id)`,
    { clientId, userId, now },
  );
  return deleted + large.length;
}

const OF_GROUP = 'SELECT account_key FROM account WHERE group_id = :groupId';
/** The time for which an approval whose code was never redeemed is reported to its browser. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;
const AT_ONCE = 100;

/** Implements AccountStore.dropUnfinished: each group in a separate transaction, large accounts in parts. */
export async function dropUnfinished(db: Database, endedBefore: number, now: number): Promise<number> {
  const ended = await db.all<{ groupId: string; clientId: string; userId: string }>(
    `SELECT group_id, client_id, user_id FROM account_group AS g
      WHERE expires_at < :endedBefore AND expires_at > 0
        AND (approved_at IS NULL OR expires_at < :forgottenAt
             OR EXISTS (SELECT 1 FROM account AS a WHERE a.group_id = g.group_id))
      LIMIT ${AT_ONCE}`,
    { endedBefore, forgottenAt: now - REMEMBERED_MS },
  );
  let dropped = 0;
  for (const group of ended) {
    dropped += await db.transaction((tx) => dropGroup(tx, { ...group, endedBefore, now }));
  }
  if (ended.length === AT_ONCE) return dropped + (await dropUnfinished(db, endedBefore, now));
  await deletePutAside(db, now);
  return dropped;
}

type EndedGroup = {
  readonly groupId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly endedBefore: number;
  readonly now: number;
};

async function dropGroup(tx: Statements, group: EndedGroup): Promise<number> {
  // The approval may have been repeated or redeemed in the meantime.
  await lockUser(tx, group);
  const [still] = await tx.all(
    `UPDATE account_group SET expires_at = expires_at
      WHERE group_id = :groupId AND expires_at < :endedBefore RETURNING group_id`,
    group,
  );
  if (still === undefined) return 0;
  const dropped = await deleteAccounts(tx, OF_GROUP, group);
  await tx.change(
    `DELETE FROM account_group
      WHERE group_id = :groupId AND (approved_at IS NULL OR expires_at < CAST(:now AS BIGINT) - ${REMEMBERED_MS})`,
    group,
  );
  return dropped;
}

/** Deletes the accounts of a request that ends without an approval. The caller has locked the user. */
export async function dropRequestGroup(tx: Statements, transactionId: string, now: number): Promise<number> {
  const group = await tx.get<{ groupId: string; clientId: string; userId: string }>(
    `SELECT group_id, client_id, user_id FROM account_group
      WHERE transaction_id = :transactionId AND expires_at IS NOT NULL`,
    { transactionId },
  );
  if (group === undefined) return 0;
  const dropped = await deleteAccounts(tx, OF_GROUP, { ...group, now });
  await tx.change('DELETE FROM account_group WHERE group_id = :groupId', group);
  return dropped;
}
