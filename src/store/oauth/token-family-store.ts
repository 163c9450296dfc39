/** TokenFamilyStore in SQL; held to test/contract/token-family-store.contract.ts on both databases. */
import { hash, randomInt } from 'node:crypto';

import type { Grant } from '../../oauth/grant.ts';
import {
  FAMILY_NUMBERS,
  familyText,
  parseFamilyId,
  type RefreshTokenId,
} from '../../oauth/refresh-token-id.ts';
import type { TokenFamilyStore } from '../../oauth/token-family-store.ts';
import { deleteWithCoverage, HAS_CODE } from '../accounts/account-groups.ts';
import { addReused } from '../accounts/health-history.ts';
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
  columns: {
    ...{ familyId: 'BIGINT', presented: 'TEXT', successor: 'TEXT', at: 'BIGINT' },
    ...{ refreshedAfter: 'BIGINT', createdAfter: 'BIGINT' },
  },
  sql: ({ value, from }) => `
    UPDATE token_family SET token_hash = ${value('successor')}, refreshed_at = ${value('at')}
      ${from}
     WHERE family_id = ${value('familyId')} AND token_hash = ${value('presented')} AND ended_at IS NULL
       AND refreshed_at > ${value('refreshedAfter')} AND created_at > ${value('createdAfter')}
    RETURNING token_hash AS successor, family_id, client_id, user_id, scope, coverage_id`,
  key: 'successor',
  writes: true,
};

const FIND_DATED: BatchStatement = {
  columns: { familyId: 'BIGINT' },
  sql: ({ value, andFrom }) => `
    SELECT f.family_id, f.client_id, f.user_id, f.scope, f.coverage_id, f.token_hash, f.created_at, f.refreshed_at
      FROM token_family AS f${andFrom}
     WHERE f.family_id = ${value('familyId')} AND f.ended_at IS NULL`,
  key: 'familyId',
  writes: false,
};

const NOTE_USE = `
  UPDATE token_family SET refreshed_at = :now
   WHERE family_id = :familyId AND ended_at IS NULL AND refreshed_at < :notedBefore`;

const END_REUSED = `
  UPDATE token_family SET ended_at = :now
   WHERE family_id = :familyId AND client_id = :clientId AND user_id = :userId AND ended_at IS NULL
     AND token_hash <> :presented AND refreshed_at < :issuedBefore
  RETURNING coverage_id`;

const BEGIN = `
  INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, coverage_id, created_at, refreshed_at,
    ended_at, redirect_uri, code_challenge, finishes, approved_at, code_hash, resource, dpop_jkt)
  VALUES (:familyId, '', :clientId, :userId, :scope, :coverageId, :now, :now,
    :now, :redirectUri, :codeChallenge, :finishes, :now, :codeHash, :resource, :dpopJkt)
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
    async rotateRefreshToken(id, next, { now, refreshedAfter = 0, createdAfter = 0 }) {
      const values = { presented: hashOfTokenId(id), successor: hashOfTokenId(next), at: now };
      const terms = { familyId: parseFamilyId(id), refreshedAfter, createdAfter };
      const row = await db.batch<Grant>(ROTATE, { ...values, ...terms });
      return row && toGrant(row);
    },

    async findDatedGrant(tokens) {
      const row = await db.batch<DatedRow>(FIND_DATED, { familyId: parseFamilyId(tokens[0]) });
      if (row === undefined) return undefined;
      const { tokenHash, createdAt, refreshedAt } = row;
      const current = tokens.find((id) => hashOfTokenId(id) === tokenHash);
      return { ...toGrant(row), current, createdAt, refreshedAt };
    },

    async noteUse(familyId, now, notedBefore) {
      await db.change(NOTE_USE, { familyId, now, notedBefore });
    },

    async endReusedGrant({ id, clientId, userId }, now, issuedBefore) {
      const spent = { familyId: parseFamilyId(id), presented: hashOfTokenId(id), clientId, userId };
      return db.transaction(async (tx) => {
        // First, since it locks the user.
        const user = await subjectOfUser(tx, { clientId, userId });
        const ended = await tx.get<{ coverageId: string }>(END_REUSED, { ...spent, now, issuedBefore });
        if (ended === undefined) return undefined;
        await addReused(tx, ended.coverageId, now);
        return { user };
      });
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

type DatedRow = Grant & { tokenHash: string; createdAt: number; refreshedAt: number };

/** Family numbers per millisecond. */
const NUMBERS_AT_ONCE = 1024;

/** A family whose code waits for its redemption. `finishes`: 1 if that makes accounts the user's, otherwise 0. */
type PendingFamily = Omit<Grant, 'familyId' | 'coverageId'> & {
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly dpopJkt?: string | null;
  readonly finishes: number;
  /** The SHA-256 of an opaque code. */
  readonly codeHash?: string | undefined;
  readonly resource?: string | null;
};

/**
 * Creates a family with a code approved at `now`, in epoch milliseconds; returns the id of its coverage. Its number is
 * drawn from those of this millisecond: families that begin together are close together in the table. If a number is in
 * use, the range grows.
 */
export async function beginFamily(tx: Statements, family: PendingFamily, now: number): Promise<string> {
  const codeHash = family.codeHash ?? null;
  for (let range = NUMBERS_AT_ONCE; ; range *= 2) {
    const familyId = (now * NUMBERS_AT_ONCE + randomInt(range)) % FAMILY_NUMBERS;
    const coverageId = familyText(familyId);
    const values = { resource: null, dpopJkt: null, ...family, codeHash, familyId, coverageId, now };
    if ((await tx.change(BEGIN, values)) > 0) return coverageId;
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
