/** AttemptStore in SQL; held to test/contract/attempt-store.contract.ts on both databases. */
import type { AttemptStore, AttemptTerms } from '../http/shared-attempts.ts';
import type { Database } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

// Without a back-off, `next_at` is the end of the window. The WHERE clause is the limit: a refused attempt changes nothing.
const IS_OVER = 'attempt.until <= :now';
const BACKS_OFF = 'attempt.count + 1 >= :backOffAt';
const PAUSE = `
  CASE WHEN attempt.count + 1 - :backOffAt < :doublings
       THEN CAST(:firstMs AS BIGINT) << CAST(attempt.count + 1 - :backOffAt AS INTEGER) ELSE :longestMs END`;
const COUNT = `
  INSERT INTO attempt (key_hash, count, until, next_at)
  VALUES (:keyHash, 1, CAST(:now AS BIGINT) + :windowMs, CAST(:now AS BIGINT) + :windowMs)
  ON CONFLICT (key_hash) DO UPDATE SET
    count = CASE WHEN ${IS_OVER} THEN 1 ELSE attempt.count + 1 END,
    until = CASE WHEN ${IS_OVER} THEN excluded.until
                 WHEN ${BACKS_OFF} THEN :now + ${PAUSE} + :forgetMs ELSE attempt.until END,
    next_at = CASE WHEN ${IS_OVER} THEN excluded.next_at
                   WHEN ${BACKS_OFF} THEN :now + ${PAUSE} ELSE attempt.until END
   WHERE ${IS_OVER} OR attempt.count < :attempts OR attempt.next_at <= :now
  RETURNING count`;
const FIND_NEXT = 'SELECT next_at FROM attempt WHERE key_hash = :keyHash';
const REFUND = `
  UPDATE attempt SET count = count - 1, next_at = :now,
         until = CASE WHEN count <= :attempts AND until > CAST(:now AS BIGINT) + :windowMs
                      THEN CAST(:now AS BIGINT) + :windowMs ELSE until END
   WHERE key_hash = :keyHash AND until > :now AND count > 0`;
const DELETE_ENDED = `
  DELETE FROM attempt WHERE key_hash IN (SELECT key_hash FROM attempt WHERE until <= :now LIMIT :limit)
    AND until <= :now`;

export function attemptStore(db: Database): AttemptStore {
  return {
    async countAttempt(keyHash, terms, now) {
      const values = { keyHash, now, ...toWindow(terms), ...toBackOff(terms) };
      const [counted] = await db.write(COUNT, values);
      if (counted !== undefined) return undefined;
      const row = await db.get<{ nextAt: number }>(FIND_NEXT, { keyHash });
      return Math.max(1, (row?.nextAt ?? now) - now);
    },

    async refundAttempt(keyHash, terms, now) {
      await db.change(REFUND, { keyHash, now, ...toWindow(terms) });
    },

    deleteEndedAttempts: (now) => deleteInParts(db, DELETE_ENDED, { now }),
  };
}

const toWindow = ({ attempts, seconds }: AttemptTerms) => ({ attempts, windowMs: seconds * 1000 });

/** No count reaches a back-off that is not set. */
function toBackOff({ attempts, backOff }: AttemptTerms) {
  if (backOff === undefined)
    return { backOffAt: Number.MAX_SAFE_INTEGER, doublings: 0, firstMs: 0, longestMs: 0, forgetMs: 0 };
  const doublings = Math.ceil(Math.log2(backOff.longestMs / backOff.firstMs));
  return { backOffAt: attempts, doublings, ...backOff };
}
