/** TokenFamilyStore in SQL; held to test/contract/token-family-store.contract.ts on both databases. */
import { hash, randomInt } from 'node:crypto';

import type { Grant } from '../../oauth/grant.ts';
import {
  FAMILY_NUMBERS,
  familyText,
  parseFamilyId,
  type RefreshTokenId,
} from '../../oauth/refresh-token-id.ts';
import type { RotatedGrant, TokenFamilyStore } from '../../oauth/token-family-store.ts';
import { deleteWithCoverage, HAS_CODE } from '../accounts/account-groups.ts';
import { auditFor, subjectOfUser } from '../audit/append-audit.ts';
import type { BatchStatement, Database, Statements } from '../drivers/database.ts';

const FIND_LIVING: BatchStatement = {
  columns: { familyId: 'BIGINT' },
  sql: ({ value, andFrom }) => `
    SELECT f.family_id, f.client_id, f.user_id, f.scope, f.coverage_id
      FROM token_family AS f${andFrom}
     WHERE f.family_id = ${value('familyId')} AND f.ended_at IS NULL`,
  key: 'familyId',
  writes: false,
  readsTables: ['token_family'],
};

// The WHERE clause is the guard: the loser of a race finds another hash in the row. If one batch has several calls for
// one row, PostgreSQL uses any one of them; the new hash in the result shows which.
const ROTATE: BatchStatement = {
  columns: { familyId: 'BIGINT', presented: 'TEXT', successor: 'TEXT', at: 'BIGINT' },
  sql: ({ value, from }) => `
    UPDATE token_family SET token_hash = ${value('successor')}, refreshed_at = ${value('at')}
      ${from}
     WHERE family_id = ${value('familyId')} AND token_hash = ${value('presented')} AND ended_at IS NULL
    RETURNING token_hash AS successor, family_id, client_id, user_id, scope, coverage_id`,
  key: 'successor',
  writes: true,
};

const FIND_ROTATED = `
  SELECT family_id, client_id, user_id, scope, coverage_id, refreshed_at AS rotated_at
    FROM token_family
   WHERE family_id = :familyId AND token_hash = :current AND refreshed_at BETWEEN :from AND :until AND ended_at IS NULL`;

const BEGIN = `
  INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, coverage_id, created_at, refreshed_at,
    ended_at, redirect_uri, code_challenge, finishes, approved_at)
  VALUES (:familyId, '', :clientId, :userId, :scope, :coverageId, :now, :now,
    :now, :redirectUri, :codeChallenge, :finishes, :now)
  ON CONFLICT (family_id) DO NOTHING`;

const END_OF_USER = `
  UPDATE token_family SET ended_at = :now
   WHERE client_id = :clientId AND user_id = :userId AND ended_at IS NULL`;
// A code that is redeemed meanwhile is a living grant when its row is unlocked, and the row ends as such.
const END_ACCESS = `
  UPDATE token_family SET ended_at = COALESCE(ended_at, :now),
         withdrawn_at = CASE WHEN token_hash = '' THEN CAST(:now AS BIGINT) END
   WHERE client_id = :clientId AND user_id = :userId
     AND (ended_at IS NULL OR (${HAS_CODE} AND withdrawn_at IS NULL))
  RETURNING token_hash`;
const END_WITH = `${END_OF_USER}
   AND EXISTS (SELECT 1 FROM token_family AS own
                WHERE own.family_id = :familyId AND own.client_id = :clientId AND own.user_id = :userId
                  AND own.ended_at IS NULL)`;
const END_ALONE = `${END_OF_USER} AND family_id = :familyId`;

const COUNT_LIVING = `
  SELECT COUNT(*) AS count
    FROM (SELECT 1 FROM token_family WHERE client_id = :clientId AND ended_at IS NULL LIMIT :most) AS living`;

const DELETE_ENDED = `
  DELETE FROM token_family
   WHERE family_id IN (SELECT family_id FROM token_family
                        WHERE ended_at < :endedBefore AND token_hash <> '' LIMIT :limit)
  RETURNING coverage_id`;

export function tokenFamilyStore(db: Database): TokenFamilyStore {
  return {
    async rotateRefreshToken(id, next, now) {
      const values = { presented: hashOfTokenId(id), successor: hashOfTokenId(next), at: now };
      const row = await db.batch<Grant>(ROTATE, { familyId: parseFamilyId(id), ...values });
      return row && toGrant(row);
    },

    findRotatedGrant(current, now, withinMs) {
      const values = { familyId: parseFamilyId(current), current: hashOfTokenId(current) };
      return db.get<RotatedGrant>(FIND_ROTATED, { ...values, from: now - withinMs, until: now + withinMs });
    },

    findLivingGrant(familyId) {
      return db.batch<Grant>(FIND_LIVING, { familyId });
    },

    async endGrantsWith({ familyId, clientId, userId }, now, reach) {
      return db.change(reach === 'alone' ? END_ALONE : END_WITH, { familyId, clientId, userId, now });
    },

    async endGrantsOf(clientId, userId, { now, by }) {
      return db.transaction(async (tx) => {
        // First, since it locks the user.
        const subject = by && (await subjectOfUser(tx, { clientId, userId }));
        const ended = await endAccess(tx, { clientId, userId, now });
        const after = { ended_grants: ended };
        await auditFor(tx, by, { action: 'user.revoked', clientId, subject, after });
        return ended;
      });
    },

    async countLivingGrants(clientId, most) {
      return (await db.get<{ count: number }>(COUNT_LIVING, { clientId, most }))?.count ?? 0;
    },

    deleteEndedGrants(endedBefore) {
      return deleteWithCoverage(db, DELETE_ENDED, { endedBefore });
    },
  };
}

/** Family numbers per millisecond. */
const NUMBERS_AT_ONCE = 1024;

/** A family whose code waits for its redemption. `finishes`: 1 if that makes accounts the user's, otherwise 0. */
type PendingFamily = Omit<Grant, 'familyId' | 'coverageId'> & {
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly finishes: number;
};

/**
 * Creates a family with a code approved at `now`, in epoch milliseconds; returns the id of its coverage. Its number is
 * drawn from those of this millisecond: families that begin together are close together in the table. If a number is in
 * use, the range grows.
 */
export async function beginFamily(tx: Statements, family: PendingFamily, now: number): Promise<string> {
  for (let range = NUMBERS_AT_ONCE; ; range *= 2) {
    const familyId = (now * NUMBERS_AT_ONCE + randomInt(range)) % FAMILY_NUMBERS;
    const coverageId = familyText(familyId);
    if ((await tx.change(BEGIN, { ...family, familyId, coverageId, now })) > 0) return coverageId;
  }
}

/** Withdraws pending codes, and ends and counts grants, in one statement: a running redemption is either. */
export async function endAccess(
  tx: Statements,
  user: { clientId: string; userId: string; now: number },
): Promise<number> {
  const ended = await tx.all<{ tokenHash: string }>(END_ACCESS, user);
  return ended.filter(({ tokenHash }) => tokenHash !== '').length;
}

/** Returns the stored form of a refresh token's id: its SHA-256 hash, from which no token can be made. */
export const hashOfTokenId = (id: RefreshTokenId): string => hash('sha256', id);

/** Returns the row of a grant without other columns. */
export const toGrant = ({ familyId, clientId, userId, scope, coverageId }: Grant): Grant => ({
  familyId,
  clientId,
  userId,
  scope,
  coverageId,
});
