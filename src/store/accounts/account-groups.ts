/** Finds account groups, and those that a grant covers (docs/security.md T3), for several stores. */
import { randomUUID } from 'node:crypto';
import type { DeviceChange } from '../../calendars/account-store.ts';
import type { Database, Statements, Values } from '../drivers/database.ts';
import { inParts } from '../drivers/delete-in-parts.ts';
import { NO_FAILURE } from './token-lease-store.ts';

const condition = (covered: string): string => `group_id IN (
  SELECT g.group_id FROM (${covered}) AS v JOIN account_group AS g ON g.group_id = v.group_id AND g.expires_at IS NULL)`;

/** A condition on an account's group_id: the grant of `:coverageId` covers it. */
const BY_GRANT = condition('SELECT group_id FROM grant_coverage WHERE coverage_id = :coverageId');

/** A condition on an account's group_id: an active grant of `:clientId` and `:userId` covers it. */
const BY_ANY_GRANT = condition(
  `SELECT c.group_id FROM token_family AS f JOIN grant_coverage AS c ON c.coverage_id = f.coverage_id
    WHERE f.client_id = :clientId AND f.user_id = :userId AND f.ended_at IS NULL`,
);

/** Returns a function that selects the statement for a reader. `textOf` gets the condition on group_id. */
export function coveredText(textOf: (isCovered: string) => string) {
  const [byGrant, byAny] = [textOf(BY_GRANT), textOf(BY_ANY_GRANT)];
  return (coverageId: string | undefined): string => (coverageId === undefined ? byAny : byGrant);
}

export const keyInGroup = (groupId: string, identity: string): string => `${groupId} ${identity}`;

type Transaction = {
  readonly clientId: string;
  readonly userId: string;
  readonly transactionId: string;
  readonly expiresAt: number;
  readonly now: number;
};

const MAKE_GROUP = `
  INSERT INTO account_group (group_id, client_id, user_id, transaction_id, created_at, expires_at)
  VALUES (:groupId, :clientId, :userId, :transactionId, :now, :expiresAt)
  ON CONFLICT (transaction_id) DO UPDATE SET expires_at = account_group.expires_at
  RETURNING group_id`;

/** Returns the group for the accounts of an open authorization request. Creates it with the first account. */
export async function groupOfTransaction(tx: Statements, transaction: Transaction): Promise<string> {
  const group = await tx.get<{ groupId: string }>(MAKE_GROUP, { ...transaction, groupId: randomUUID() });
  if (group === undefined) throw new Error('An upsert of an account group answered no row');
  return group.groupId;
}

/** Moves the groups of the browser's former secret to its new one, which also gets `groupId`. */
export async function renewDevice(
  tx: Statements,
  groupId: string,
  { deviceHash, formerHash: former }: DeviceChange,
): Promise<void> {
  const formerHash = former ?? null;
  await tx.change(
    `INSERT INTO group_device (group_id, device_hash)
     SELECT group_id, CAST(:deviceHash AS TEXT) FROM group_device WHERE device_hash = :formerHash
     ON CONFLICT (group_id, device_hash) DO NOTHING`,
    { deviceHash, formerHash },
  );
  if (formerHash !== deviceHash)
    await tx.change('DELETE FROM group_device WHERE device_hash = :formerHash', { formerHash });
  await addDevice(tx, groupId, deviceHash);
}

async function addDevice(tx: Statements, groupId: string, deviceHash: string): Promise<void> {
  await tx.change(
    `INSERT INTO group_device (group_id, device_hash) VALUES (:groupId, :deviceHash)
     ON CONFLICT (group_id, device_hash) DO NOTHING`,
    { groupId, deviceHash },
  );
}

/** A condition on a row of token_family: its code was not redeemed. Such a family has ended, so it is no living grant. */
export const HAS_CODE = "redirect_uri IS NOT NULL AND token_hash = ''";
/** The same for a code that is the user's id. */
export const HAS_USER_ID_CODE = `${HAS_CODE} AND code_hash IS NULL`;

export type CoverageRow = { readonly coverageId: string };

/** Deletes the coverage of approvals that have neither a pending code nor a grant. */
export async function deleteUnusedCoverage(tx: Statements, rows: readonly CoverageRow[]): Promise<void> {
  if (rows.length === 0) return;
  const coverageIds = [...new Set(rows.map(({ coverageId }) => coverageId))];
  await tx.change(
    `DELETE FROM grant_coverage
      WHERE coverage_id ${tx.dialect.oneOf('coverageIds')}
        AND NOT EXISTS (SELECT 1 FROM token_family AS f WHERE f.coverage_id = grant_coverage.coverage_id)`,
    { coverageIds },
  );
}

/**
 * Runs `sql`, a `DELETE … LIMIT :limit) RETURNING … AS coverage_id`, until nothing is left, and deletes the coverage
 * that is then unused. Returns the number of rows that `sql` deleted.
 */
export const deleteWithCoverage = (db: Database, sql: string, values: Values): Promise<number> =>
  inParts((limit) =>
    db.transaction(async (tx) => {
      const deleted = await tx.all<CoverageRow>(sql, { ...values, limit });
      await deleteUnusedCoverage(tx, deleted);
      return deleted.length;
    }),
  );

/** Stores new credentials and deletes failures of the old ones. Running work with the old ones loses its leases. */
export async function renewCredentials(
  tx: Statements,
  accountKey: string,
  credentials: string,
): Promise<void> {
  await tx.change(
    `UPDATE account SET credentials = :credentials, credentials_version = credentials_version + 1,
            renewal_holder = NULL, renewal_until = NULL, ${NO_FAILURE}
      WHERE account_key = :accountKey`,
    { accountKey, credentials },
  );
  await tx.change(
    `UPDATE calendar SET sync_error = NULL, failed_at = NULL, lease_holder = NULL, unfinished_syncs = 0
      WHERE account_key = :accountKey`,
    { accountKey },
  );
  await tx.change('DELETE FROM request_circuit WHERE account_key = :accountKey', { accountKey });
}
