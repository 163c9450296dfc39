/** IdempotencyStore in SQL; held to test/contract/idempotency-store.contract.ts on both databases. */
import type { IdempotencyStore, RepeatableRequest } from '../writing/idempotency-store.ts';
import type { Database } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

const OF_REQUEST = 'client_id = :clientId AND user_id = :userId AND key_hash = :keyHash';
/** Whether the grant may write to the account that the stored response is about. */
const IS_COVERED = `CASE WHEN EXISTS (
  SELECT 1 FROM account a JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL
    JOIN grant_coverage v ON v.group_id = a.group_id
   WHERE a.account_key = idempotency.account_key AND v.coverage_id = :coverageId AND v.scope = 'read-write'
  ) THEN 1 ELSE 0 END`;
const CLAIMED_BY = `${OF_REQUEST} AND lease_holder = :holder`;

export function idempotencyStore(db: Database): IdempotencyStore {
  const toClaim = ({ clientId, userId, keyHash }: RepeatableRequest, holder: string) => ({
    clientId,
    userId,
    keyHash,
    holder,
  });

  return {
    async claim({ clientId, userId, coverageId, keyHash, requestHash }, terms) {
      // The conflict's WHERE decides the race: a claim that is active or has a response is not replaced.
      const [claimed] = await db.write<{ seed: string }>(
        `INSERT INTO idempotency (client_id, user_id, key_hash, request_hash, seed, lease_holder, lease_until, created_at)
         VALUES (:clientId, :userId, :keyHash, :requestHash, :seed, :holder, :until, :now)
         ON CONFLICT (client_id, user_id, key_hash) DO UPDATE SET
           seed = CASE WHEN idempotency.created_at <= :forgottenAt THEN excluded.seed ELSE idempotency.seed END,
           created_at = CASE WHEN idempotency.created_at <= :forgottenAt THEN excluded.created_at
                             ELSE idempotency.created_at END,
           request_hash = excluded.request_hash, answer = NULL, account_key = NULL,
           lease_holder = excluded.lease_holder, lease_until = excluded.lease_until
         WHERE idempotency.created_at <= :forgottenAt
            OR (idempotency.answer IS NULL AND idempotency.lease_until <= :now
                AND idempotency.request_hash = excluded.request_hash)
         RETURNING seed`,
        { clientId, userId, keyHash, requestHash, ...terms },
      );
      if (claimed !== undefined) return { state: 'claimed', seed: claimed.seed };

      const row = await db.get<{ requestHash: string; answer: string | undefined; isCovered: number }>(
        `SELECT request_hash, answer, ${IS_COVERED} AS is_covered FROM idempotency
          WHERE ${OF_REQUEST}`,
        { clientId, userId, keyHash, coverageId },
      );
      // The request may have been deleted in the meantime; a retry then claims it.
      if (row === undefined) return { state: 'under_way' };
      if (row.requestHash !== requestHash) return { state: 'other_request' };
      if (row.answer === undefined) return { state: 'under_way' };
      return row.isCovered === 1 ? { state: 'answered', answer: row.answer } : { state: 'other_request' };
    },

    async keepAnswer(request, holder, { body, accountKey }) {
      // If the account was disconnected in the meantime, nobody can request the response.
      await db.change(
        `UPDATE idempotency SET answer = :answer, account_key = :accountKey, lease_holder = NULL, lease_until = 0
          WHERE ${CLAIMED_BY} AND EXISTS (SELECT 1 FROM account WHERE account_key = :accountKey)`,
        { ...toClaim(request, holder), answer: body, accountKey },
      );
    },

    async release(request, holder) {
      await db.change(
        `UPDATE idempotency SET lease_holder = NULL, lease_until = 0 WHERE ${CLAIMED_BY}`,
        toClaim(request, holder),
      );
    },

    async forget(request, holder) {
      await db.change(`DELETE FROM idempotency WHERE ${CLAIMED_BY}`, toClaim(request, holder));
    },

    deleteOldRequests: (before) =>
      deleteInParts(
        db,
        `DELETE FROM idempotency WHERE (client_id, user_id, key_hash) IN
           (SELECT client_id, user_id, key_hash FROM idempotency WHERE created_at <= :before LIMIT :limit)`,
        { before },
      ),
  };
}
