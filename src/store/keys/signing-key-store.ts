/** SigningKeyStore in SQL; held to test/contract/signing-key-store.contract.ts on both databases. */
import type { SigningKeyRecord, SigningKeyStore } from '../../oauth/signing-key-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database } from '../drivers/database.ts';

// Serializes changes of keys: on PostgreSQL, two rotations could each see a half of the other.
const TAKE_TURN = `
  INSERT INTO setting (name, value) VALUES ('signing_keys_changed', :kid)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

const RETIRE = `
  UPDATE signing_key SET status = 'previous' WHERE algorithm = :algorithm AND status = 'active'
  RETURNING kid`;
const PROMOTE = `
  UPDATE signing_key SET status = 'active' WHERE algorithm = :algorithm AND status = 'next'
  RETURNING kid`;
const ADD = `
  INSERT INTO signing_key (kid, algorithm, sealed, status, created_at)
  VALUES (:kid, :algorithm, :sealed, :status, :createdAt)`;

export function signingKeyStore(db: Database): SigningKeyStore {
  return {
    async listSigningKeys() {
      return db.all<SigningKeyRecord>(
        `SELECT kid, algorithm, sealed, status, created_at FROM signing_key ORDER BY created_at, kid`,
      );
    },

    addSigningKey(key) {
      return db.transaction(async (tx) => {
        await tx.change(TAKE_TURN, { kid: key.kid });
        await tx.change(`${ADD} ON CONFLICT DO NOTHING`, key);
      });
    },

    rotateSigningKeys(fresh, by) {
      return db.transaction(async (tx) => {
        await tx.change(TAKE_TURN, { kid: fresh.kid });
        const { algorithm } = fresh;
        const retired = await tx.get<{ kid: string }>(RETIRE, { algorithm });
        const active = await tx.get<{ kid: string }>(PROMOTE, { algorithm });
        await tx.change(ADD, { ...fresh, status: 'next' });
        await auditFor(tx, by, {
          action: 'signing_keys.rotated',
          subject: algorithm,
          before: { active_key: retired?.kid ?? null },
          after: { active_key: active?.kid ?? null },
        });
      });
    },
  };
}
