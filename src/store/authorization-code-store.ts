/** AuthorizationCodeStore in SQL; held to test/contract/authorization-code-store.contract.ts. */
import type {
  AuthorizationCode,
  AuthorizationCodeStore,
  Redemption,
} from '../oauth/authorization-code-store.ts';
import type { Scope } from '../oauth/scope.ts';
import type { NewFamily } from '../oauth/token-family-store.ts';
import type { BatchStatement, Database, Statements } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';
import { textToFind } from './drivers/text-values.ts';
import { beginFamily } from './token-family-store.ts';

type CodeRow = Omit<AuthorizationCode, 'codeChallenge' | 'withdrawnAt'> & {
  codeChallenge: string | null;
  withdrawnAt: number | null;
};

// `pair` distinguishes calls of two applications for one user's id.
const FIND: BatchStatement = {
  columns: { pair: 'TEXT', clientId: 'TEXT', userId: 'TEXT' },
  sql: ({ value, andFrom }) => `
    SELECT ${value('pair')} AS "pair", c.client_id AS "clientId", c.user_id AS "userId",
           c.redirect_uri AS "redirectUri", c.scope AS "scope", c.code_challenge AS "codeChallenge",
           c.approved_at AS "approvedAt", c.withdrawn_at AS "withdrawnAt"
      FROM authorization_code AS c${andFrom}
     WHERE c.client_id = ${value('clientId')} AND c.user_id = ${value('userId')}`,
  key: 'pair',
  writes: false,
};

const OF_ANOTHER = `
  SELECT 1 AS "found" FROM authorization_code WHERE user_id = :code AND client_id <> :clientId LIMIT 1`;

// The WHERE clause decides alone: an attempt that fails a condition or loses a race deletes no row.
const CONSUME = `
  DELETE FROM authorization_code
   WHERE client_id = :clientId AND user_id = :code AND redirect_uri = :redirectUri
     AND COALESCE(code_challenge, '') = COALESCE(CAST(:codeChallenge AS TEXT), '')
     AND approved_at >= :approvedSince AND withdrawn_at IS NULL
  RETURNING scope AS "scope"`;

const DELETE_EXPIRED = `
  DELETE FROM authorization_code
   WHERE (client_id, user_id) IN (
     SELECT client_id, user_id FROM authorization_code WHERE approved_at < :approvedBefore LIMIT :limit)
     AND approved_at < :approvedBefore
  RETURNING user_id`;

/** Codes' records in `db`. */
export function authorizationCodeStore(db: Database): AuthorizationCodeStore {
  return {
    async findCode(clientId, code) {
      const pair = `${clientId} ${code}`;
      const row = await db.batch<CodeRow>(FIND, { pair, clientId, userId: code });
      return row && codeOf(row);
    },

    async isCodeOfAnotherClient(clientId, code) {
      return (await db.get(OF_ANOTHER, { clientId, code })) !== undefined;
    },

    redeemCode(presented, now) {
      return db.transaction((tx) => redeem(tx, presented, now));
    },

    deleteExpiredCodes(approvedBefore) {
      return deleteInParts(db, DELETE_EXPIRED, { approvedBefore });
    },
  };
}

function codeOf(row: CodeRow): AuthorizationCode {
  const { clientId, userId, redirectUri, scope, approvedAt } = row;
  const optional = {
    codeChallenge: row.codeChallenge ?? undefined,
    withdrawnAt: row.withdrawnAt ?? undefined,
  };
  return { clientId, userId, redirectUri, scope, approvedAt, ...optional };
}

async function redeem(
  tx: Statements,
  { clientId, code, redirectUri, codeChallenge, approvedSince }: Redemption,
  now: number,
): Promise<NewFamily | undefined> {
  // All but what the grant gets of the record itself is only looked for.
  const values = {
    clientId,
    code: textToFind(code),
    redirectUri: textToFind(redirectUri),
    codeChallenge: codeChallenge ?? null,
    approvedSince,
  };
  const consumed = await tx.get<{ scope: Scope }>(CONSUME, values);
  return consumed && beginFamily(tx, { clientId, userId: code, scope: consumed.scope }, now);
}
