/** Lists a user's accounts and pending approvals, and applies approvals to them (docs/security.md T1 to T4). */
import type {
  AccountGroup,
  Approval,
  GroupsOfUser,
  PendingApproval,
} from '../../connect/flow/account-groups.ts';
import type { Approver, UserKey } from '../../connect/flow/authorization-request-store.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { Scope } from '../../oauth/scope.ts';
import {
  type CoverageRow,
  deleteUnusedCoverage,
  HAS_CODE,
  HAS_USER_ID_CODE,
} from '../accounts/account-groups.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountRow,
  parseAccountRow,
  providerOrder,
} from '../accounts/account-rows.ts';
import { joinGroups } from '../accounts/join-groups.ts';
import type { Statements } from '../drivers/database.ts';
import { beginFamily } from './token-family-store.ts';

/** The milliseconds for which a code of the application can be redeemed (docs/wire.md O8). */
const CODE_LIFETIME = '1000 * (SELECT code_lifetime FROM application WHERE client_id = :clientId)';

type GroupRow = {
  groupKey: string;
  transactionId: string | undefined;
  approvedAt: number | undefined;
  expiresAt: number | undefined;
  isOfThisBrowser: number;
  givenScope: Scope | undefined;
};

// Scopes sort by what they allow, the narrowest first. An unfinished approval that expired is returned only to its own
// browser.
const GROUPS = `
  SELECT g.group_id AS group_key, g.transaction_id, g.approved_at, g.expires_at,
         CASE WHEN EXISTS (SELECT 1 FROM group_device AS d
                            WHERE d.group_id = g.group_id AND d.device_hash = CAST(:deviceHash AS TEXT))
              THEN 1 ELSE 0 END AS is_of_this_browser,
         (SELECT MAX(CASE WHEN f.scope < c.scope THEN f.scope ELSE c.scope END)
            FROM grant_coverage AS c JOIN token_family AS f ON f.coverage_id = c.coverage_id
           WHERE c.group_id = g.group_id AND f.client_id = g.client_id AND f.user_id = g.user_id
             AND f.ended_at IS NULL) AS given_scope
    FROM account_group AS g
   WHERE g.client_id = :clientId AND g.user_id = :userId
     AND (g.expires_at IS NULL OR g.expires_at > CAST(:now AS BIGINT)
          OR g.group_id IN (SELECT group_id FROM group_device WHERE device_hash = CAST(:deviceHash AS TEXT)))
   ORDER BY CASE WHEN g.expires_at IS NULL THEN 0 ELSE 1 END, g.created_at, g.group_id`;

const ACCOUNTS = `
  SELECT group_id AS group_key, ${ACCOUNT_COLUMNS} FROM account
   WHERE client_id = :clientId AND user_id = :userId
   ORDER BY ${providerOrder('provider')}, linked_at, account_key`;

const PENDING = `
  SELECT f.coverage_id AS approval_id, f.code_challenge, c.group_id AS group_key
    FROM token_family AS f LEFT JOIN grant_coverage AS c ON c.coverage_id = f.coverage_id
   WHERE f.user_id = :userId AND f.client_id = :clientId AND ${HAS_USER_ID_CODE}
     AND f.withdrawn_at IS NULL AND f.approved_at >= CAST(:now AS BIGINT) - ${CODE_LIFETIME}
   ORDER BY f.approved_at DESC, f.coverage_id, c.group_id`;

// A write: under REPEATABLE READ, a lock alone would let a redemption with an older snapshot pass.
const HOLD_CODES = `
  UPDATE token_family SET withdrawn_at = withdrawn_at
   WHERE user_id = :userId AND client_id = :clientId AND ${HAS_CODE}`;

/** Makes redemptions of the user's pending codes wait for the end of the transaction. */
export async function holdCodes(tx: Statements, { clientId, userId }: UserKey): Promise<void> {
  await tx.change(HOLD_CODES, { clientId, userId });
}

export async function listGroups(
  db: Statements,
  { clientId, userId }: UserKey,
  { deviceHash, now }: Pick<Approver, 'deviceHash' | 'now'>,
): Promise<GroupsOfUser> {
  const values = { clientId, userId, deviceHash: deviceHash ?? null, now };
  const groups = await db.all<GroupRow>(GROUPS, values);
  const accounts = await db.all<AccountRow & { groupKey: string }>(ACCOUNTS, values);
  const pending = await db.all<PendingRow>(PENDING, values);
  const byGroup = Map.groupBy(accounts, ({ groupKey }) => groupKey);
  const accountsIn = (groupKey: string) =>
    (byGroup.get(groupKey) ?? []).map(({ groupKey: _, ...row }) => parseAccountRow(row));
  return {
    groups: groups.map((row) => ({ ...toAccountGroup(row), accounts: accountsIn(row.groupKey) })),
    pending: toPendingApprovals(pending),
  };
}

function toAccountGroup(row: GroupRow): Omit<AccountGroup, 'accounts'> {
  const { groupKey, transactionId, approvedAt, expiresAt, isOfThisBrowser, givenScope } = row;
  const isApproved = approvedAt !== undefined;
  const unfinished =
    expiresAt === undefined ? undefined : { transactionId: transactionId ?? '', isApproved, expiresAt };
  return { groupKey, unfinished, isOfThisBrowser: isOfThisBrowser === 1, givenScope };
}

type PendingRow = { approvalId: string; codeChallenge: string | undefined; groupKey: string | undefined };

const toPendingApprovals = (rows: readonly PendingRow[]): PendingApproval[] =>
  [...Map.groupBy(rows, ({ approvalId }) => approvalId)].map(([approvalId, ofIt]) => ({
    approvalId,
    codeChallenge: ofIt[0]?.codeChallenge,
    groupKeys: ofIt.flatMap(({ groupKey }) => groupKey ?? []),
  }));

const REPLACE_CODE = `
  DELETE FROM token_family
   WHERE user_id = :userId AND client_id = :clientId AND ${HAS_USER_ID_CODE}
     AND COALESCE(code_challenge, '') = COALESCE(CAST(:codeChallenge AS TEXT), '')
  RETURNING coverage_id`;

const COVER = `
  INSERT INTO grant_coverage (coverage_id, group_id, scope) VALUES (:coverageId, :groupKey, :scope)
  ON CONFLICT (coverage_id, group_id) DO UPDATE SET scope = excluded.scope`;

/** Ties the accounts that are not yet the user's to the code of the approval, whose redemption makes them so. */
const AWAIT_REDEMPTION = `
  UPDATE account_group SET transaction_id = :transactionId, approved_at = :now,
         expires_at = CAST(:now AS BIGINT) + ${CODE_LIFETIME}
   WHERE group_id = :into`;

export async function applyApproval(
  tx: Statements,
  { request, codeHash, now }: Approver,
  approval: Approval,
  sealer: Sealer,
): Promise<void> {
  const {
    transactionId,
    clientId,
    userId,
    redirectUri,
    scope,
    codeChallenge = null,
    resource = null,
    dpopJkt = null,
  } = request;
  const { joined, coverage, isUnfinished } = approval;
  if (joined !== undefined) {
    await joinGroups(tx, { clientId, userId, ...joined, now }, sealer);
    const { into } = joined;
    if (isUnfinished) await tx.change(AWAIT_REDEMPTION, { transactionId, clientId, now, into });
  }
  const finishes = Number(isUnfinished);
  const code = { clientId, userId, redirectUri, scope, codeChallenge, dpopJkt, finishes, resource };
  if (codeHash === undefined) await deleteUnusedCoverage(tx, await tx.all<CoverageRow>(REPLACE_CODE, code));
  const coverageId = await beginFamily(tx, { ...code, codeHash }, now);
  for (const covered of coverage) await tx.change(COVER, { coverageId, ...covered });
}
