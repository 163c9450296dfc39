/** What several stores do with account groups: find one, join some, tell which a grant covers (docs/security.md T3). */
import { randomUUID } from 'node:crypto';

import type { DeviceChange } from '../calendars/account-store.ts';
import type { ProviderCredentials } from '../calendars/calendar-provider.ts';
import type { Sealer } from '../lib/sealing.ts';
import { credentialSealer } from './account-rows.ts';
import { recordArrival } from './change-journal.ts';
import type { Statements } from './drivers/database.ts';
import { scheduleJob } from './job-rows.ts';
import { NO_FAILURE } from './token-lease-store.ts';

/** Groups of living grants of a user. */
const OF_LIVING_GRANTS = `
  SELECT c.group_id FROM token_family AS f JOIN grant_coverage AS c ON c.coverage_id = f.coverage_id
   WHERE f.client_id = :clientId AND f.user_id = :userId AND f.ended_at IS NULL`;

/**
 * A condition on an account's group_id: the grant of `:coverageId` covers it, or, where that is null, any living one of
 * `:clientId` and `:userId`.
 */
export const IS_COVERED = `group_id IN (
  SELECT g.group_id FROM account_group AS g
   WHERE g.expires_at IS NULL
     AND (g.group_id IN (SELECT group_id FROM grant_coverage WHERE coverage_id = CAST(:coverageId AS TEXT))
          OR (CAST(:coverageId AS TEXT) IS NULL AND g.group_id IN (${OF_LIVING_GRANTS}))))`;

/** What an account's unique key is made of: its group has one account of an identity. */
export const keyInGroup = (groupId: string, identity: string): string => `${groupId} ${identity}`;

type Transaction = {
  readonly clientId: string;
  readonly userId: string;
  readonly transactionId: string;
  readonly expiresAt: number;
  readonly now: number;
};

/** The group of what is linked in a transaction, made with its first account. */
export async function groupOfTransaction(tx: Statements, transaction: Transaction): Promise<string> {
  const [row] = await tx.all<{ groupId: string }>(
    `INSERT INTO account_group (group_id, client_id, user_id, transaction_id, created_at, expires_at)
     VALUES (:groupId, :clientId, :userId, :transactionId, :now, :expiresAt)
     ON CONFLICT (transaction_id) DO UPDATE SET expires_at = account_group.expires_at
     RETURNING group_id AS "groupId"`,
    { ...transaction, groupId: randomUUID() },
  );
  if (row === undefined) throw new Error('An upsert of an account group answered no row');
  return row.groupId;
}

/** The browser's new secret takes over what the former stood for, which then stands for nothing. */
export async function renewDevice(
  tx: Statements,
  groupId: string,
  { deviceHash, formerHash: former }: DeviceChange,
): Promise<void> {
  const formerHash = former ?? null;
  await tx.all(
    `INSERT INTO group_device (group_id, device_hash)
     SELECT group_id, CAST(:deviceHash AS TEXT) FROM group_device WHERE device_hash = :formerHash
     ON CONFLICT (group_id, device_hash) DO NOTHING`,
    { deviceHash, formerHash },
  );
  if (formerHash !== deviceHash) {
    await tx.all('DELETE FROM group_device WHERE device_hash = :formerHash', { formerHash });
  }
  await addDevice(tx, groupId, deviceHash);
}

async function addDevice(tx: Statements, groupId: string, deviceHash: string): Promise<void> {
  await tx.all(
    `INSERT INTO group_device (group_id, device_hash) VALUES (:groupId, :deviceHash)
     ON CONFLICT (group_id, device_hash) DO NOTHING`,
    { groupId, deviceHash },
  );
}

export type Joining = {
  readonly clientId: string;
  readonly userId: string;
  readonly into: string;
  readonly from: readonly string[];
  readonly now: number;
};

type JoiningRow = {
  accountKey: string;
  groupId: string;
  provider: string;
  identity: string | null;
  keyInGroup: string;
  isUnfinished: number;
};

/**
 * Makes several groups one: their accounts, browsers and grants become those of `into`. Of an account that is in several
 * of them one row stays, with the credentials of the last sign-in.
 */
export async function joinGroups(tx: Statements, joining: Joining, sealer: Sealer): Promise<void> {
  const { into, from, clientId, userId, now } = joining;
  if (from.length === 0) return;
  const oneOfFrom = tx.dialect.oneOf('from');
  const rows = await tx.all<JoiningRow>(
    `SELECT a.account_key AS "accountKey", a.group_id AS "groupId", a.provider, a.identity,
            a.key_in_group AS "keyInGroup",
            CASE WHEN g.expires_at IS NULL THEN 0 ELSE 1 END AS "isUnfinished"
       FROM account AS a JOIN account_group AS g ON g.group_id = a.group_id
      WHERE a.group_id = :into OR a.group_id ${oneOfFrom}
      ORDER BY "isUnfinished", a.linked_at, a.account_key`,
    { into, from },
  );
  const kept = new Map<string, JoiningRow>();
  const moved: string[] = [];
  for (const row of rows) {
    const name = `${row.provider} ${row.identity ?? row.keyInGroup}`;
    const same = kept.get(name);
    if (same !== undefined) {
      if (row.isUnfinished === 1)
        await takeSignIn(tx, { from: row.accountKey, to: same.accountKey, now }, sealer);
      await deleteTwin(tx, row.accountKey);
      continue;
    }
    kept.set(name, row);
    if (row.groupId === into) continue;
    const key = keyInGroup(into, row.identity ?? row.keyInGroup.slice(row.groupId.length + 1));
    await tx.all('UPDATE account SET group_id = :into, key_in_group = :key WHERE account_key = :accountKey', {
      into,
      key,
      accountKey: row.accountKey,
    });
    moved.push(row.accountKey);
  }
  await tx.all(
    `INSERT INTO group_device (group_id, device_hash)
     SELECT DISTINCT CAST(:into AS TEXT), device_hash FROM group_device WHERE group_id ${oneOfFrom}
     ON CONFLICT (group_id, device_hash) DO NOTHING`,
    { into, from },
  );
  // In the order of their names each scope allows more than the one before.
  await tx.all(
    `INSERT INTO grant_coverage (coverage_id, group_id, scope)
     SELECT coverage_id, CAST(:into AS TEXT), MIN(scope) FROM grant_coverage WHERE group_id ${oneOfFrom}
      GROUP BY coverage_id
     ON CONFLICT (coverage_id, group_id) DO NOTHING`,
    { into, from },
  );
  await tx.all(
    `UPDATE event_change SET group_id = :into
      WHERE client_id = :clientId AND user_id = :userId AND group_id ${oneOfFrom}`,
    { clientId, userId, into, from },
  );
  await tx.all(`DELETE FROM account_group WHERE group_id ${oneOfFrom}`, { from });
  // The grants of each group now have the accounts of the others.
  const arrived = [...kept.values()].map(({ accountKey }) => accountKey);
  await recordArrival(tx, { clientId, userId, accountKeys: arrived, now });
}

/** Puts what a later sign-in brought into the account that stays. */
async function takeSignIn(
  tx: Statements,
  { from, to, now }: { readonly from: string; readonly to: string; readonly now: number },
  sealer: Sealer,
): Promise<void> {
  const sealed = credentialSealer(sealer);
  const row = await tx.get<{ credentials: string }>(
    'SELECT credentials FROM account WHERE account_key = :from',
    { from },
  );
  if (row === undefined) return;
  const credentials: ProviderCredentials = sealed.open(from, row.credentials);
  await tx.all(
    `UPDATE account SET (account_id, display, granted_scopes, calendar_permission, health, health_reason,
        health_message, health_since, proves_owner) =
       (SELECT account_id, display, granted_scopes, calendar_permission, health, health_reason, health_message,
               CAST(:now AS BIGINT), proves_owner FROM account AS s WHERE s.account_key = :from),
       times_linked = times_linked + 1, list_error = NULL, list_failed_at = NULL, lease_holder = NULL
      WHERE account_key = :to`,
    { from, to, now },
  );
  await renewCredentials(tx, to, sealed.seal(to, credentials));
  await scheduleJob(tx, { kind: 'sync-account', key: to }, now);
}

/** Its access lives on in the account that stays, and nobody ever read its calendars. */
async function deleteTwin(tx: Statements, accountKey: string): Promise<void> {
  await tx.all(
    `DELETE FROM job WHERE (kind = 'sync-account' AND key = :accountKey)
        OR (kind = 'sync-calendar' AND key IN (SELECT calendar_key FROM calendar WHERE account_key = :accountKey))`,
    { accountKey },
  );
  await tx.all('DELETE FROM account WHERE account_key = :accountKey', { accountKey });
}

/** Stores new credentials and forgets failures of the old ones. Work under way with those loses its leases. */
export async function renewCredentials(
  tx: Statements,
  accountKey: string,
  credentials: string,
): Promise<void> {
  await tx.all(
    `UPDATE account SET credentials = :credentials, credentials_version = credentials_version + 1,
            renewal_holder = NULL, renewal_until = NULL, ${NO_FAILURE}
      WHERE account_key = :accountKey`,
    { accountKey, credentials },
  );
  await tx.all(
    `UPDATE calendar SET sync_error = NULL, failed_at = NULL, lease_holder = NULL
      WHERE account_key = :accountKey`,
    { accountKey },
  );
  await tx.all('DELETE FROM request_circuit WHERE account_key = :accountKey', { accountKey });
}
