/** UsedJtiStore in SQL; held to test/contract/used-jti-store.contract.ts on both databases. */
import type { UsedJtiStore } from '../../oauth/used-jti-store.ts';
import type { Database } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';

const USE = `
  INSERT INTO used_jti (jti_hash, expires_at) VALUES (:jtiHash, :expiresAt) ON CONFLICT (jti_hash) DO NOTHING`;
const DELETE_EXPIRED = `
  DELETE FROM used_jti
   WHERE jti_hash IN (SELECT jti_hash FROM used_jti WHERE expires_at < :now LIMIT :limit)`;

export function usedJtiStore(db: Database): UsedJtiStore {
  return {
    use: async (jtiHash, expiresAt) => (await db.change(USE, { jtiHash, expiresAt })) === 1,
    deleteExpired: (now) => deleteInParts(db, DELETE_EXPIRED, { now }),
  };
}
