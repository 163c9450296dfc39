/** AuthorizationCodeStore in SQL; held to test/contract/authorization-code-store.contract.ts. */
import type {
  AuthorizationCode,
  AuthorizationCodeStore,
  Redemption,
} from '../../oauth/authorization-code-store.ts';
import type { Scope } from '../../oauth/scope.ts';
import type { NewFamily } from '../../oauth/token-family-store.ts';
import { deleteWithCoverage } from '../accounts/account-groups.ts';
import { syncAll } from '../accounts/account-quota.ts';
import { recordArrival } from '../changes/change-journal.ts';
import { lockUser } from '../changes/user-lock.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { textToFind } from '../drivers/statement-text.ts';
import { beginFamily } from './token-family-store.ts';

type Consumed = { readonly approvalId: string; readonly scope: Scope; readonly finishes: number };

const FIND = `
  SELECT approval_id, client_id, user_id, redirect_uri, scope, code_challenge, approved_at, withdrawn_at
    FROM authorization_code WHERE user_id = :userId AND client_id = :clientId
   ORDER BY approved_at DESC, approval_id`;

const OF_ANOTHER = `
  SELECT 1 AS found FROM authorization_code WHERE user_id = :code AND client_id <> :clientId LIMIT 1`;

// The WHERE clause decides alone: an attempt that fails a condition or loses a race deletes no row.
const CONSUME = `
  DELETE FROM authorization_code
   WHERE client_id = :clientId AND user_id = :code AND redirect_uri = :redirectUri
     AND COALESCE(code_challenge, '') = COALESCE(CAST(:codeChallenge AS TEXT), '')
     AND approved_at >= :approvedSince AND withdrawn_at IS NULL
  RETURNING approval_id, scope, finishes`;

// From here on, the accounts that were connected for this approval are the user's.
const FINISH = `
  UPDATE account_group SET expires_at = NULL, transaction_id = NULL, approved_at = NULL
   WHERE expires_at IS NOT NULL
     AND group_id IN (SELECT group_id FROM grant_coverage WHERE coverage_id = :approvalId)`;

const FINISHED = `
  SELECT account_key FROM account
   WHERE group_id IN (SELECT group_id FROM grant_coverage WHERE coverage_id = :approvalId)`;

const DELETE_EXPIRED = `
  DELETE FROM authorization_code
   WHERE approval_id IN (SELECT approval_id FROM authorization_code WHERE approved_at < :approvedBefore LIMIT :limit)
  RETURNING approval_id AS coverage_id`;

export const authorizationCodeStore = (db: Database): AuthorizationCodeStore => ({
  findCodes: (clientId, code) => db.all<AuthorizationCode>(FIND, { clientId, userId: textToFind(code) }),

  isCodeOfAnotherClient: async (clientId, code) =>
    (await db.get(OF_ANOTHER, { clientId, code })) !== undefined,

  redeemCode: (presented, now) => db.transaction((tx) => redeem(tx, presented, now)),

  deleteExpiredCodes: (approvedBefore) => deleteWithCoverage(db, DELETE_EXPIRED, { approvedBefore }),
});

async function redeem(
  tx: Statements,
  { clientId, code, redirectUri, codeChallenge, approvedSince }: Redemption,
  now: number,
): Promise<NewFamily | undefined> {
  // These values are only compared, so a value that cannot be stored just matches nothing.
  const values = {
    clientId,
    code: textToFind(code),
    redirectUri: textToFind(redirectUri),
    codeChallenge: codeChallenge ?? null,
    approvedSince,
  };
  const user = { clientId, userId: values.code };
  // Takes turns with approvals, which decide on pending codes and must not find one redeemed when they write.
  await lockUser(tx, user);
  const consumed = await tx.get<Consumed>(CONSUME, values);
  if (consumed === undefined) return undefined;
  const { approvalId, scope, finishes } = consumed;
  if (finishes === 1) await finish(tx, { ...user, approvalId, now });
  return beginFamily(tx, { ...user, scope, coverageId: approvalId }, now);
}

type Finishing = Pick<AuthorizationCode, 'clientId' | 'userId' | 'approvalId'> & { readonly now: number };

async function finish(tx: Statements, { clientId, userId, approvalId, now }: Finishing): Promise<void> {
  const finished = await tx.change(FINISH, { approvalId });
  if (finished === 0) return;
  const accounts = await tx.all<{ accountKey: string }>(FINISHED, { approvalId });
  const accountKeys = accounts.map(({ accountKey }) => accountKey);
  await recordArrival(tx, { clientId, userId, accountKeys, now });
  await syncAll(tx, accountKeys, now);
}
