/** WebhookKeyStore in SQL; held to test/contract/webhook-key-store.contract.ts on both databases. */
import type { Caller } from '../audit/audit-entry.ts';
import { instantText } from '../lib/rendered-json.ts';
import type { WebhookKeyRecord, WebhookKeyStore } from '../webhooks/webhook-key-store.ts';
import { auditFor } from './append-audit.ts';
import type { Database } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

// On PostgreSQL two rotations could see each other's half done. So every change of keys writes this row first, and they
// take turns.
const TAKE_TURN = `
  INSERT INTO setting (name, value) VALUES ('webhook_keys_changed', :keyId)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

const RETIRE = `
  UPDATE webhook_key SET status = 'previous', retires_at = :retiresAt WHERE status = 'active'
  RETURNING key_id AS "keyId"`;

const ADD = `
  INSERT INTO webhook_key (key_id, public_key, sealed, status, activated_at)
  VALUES (:keyId, :publicKey, :sealed, 'active', :activatedAt)`;

const LIST = `
  SELECT key_id AS "keyId", public_key AS "publicKey", sealed, status, activated_at AS "activatedAt",
         retires_at AS "retiresAt"
    FROM webhook_key WHERE status = 'active' OR retires_at > :now
   ORDER BY status, activated_at DESC, key_id`;

const DELETE_RETIRED = `
  DELETE FROM webhook_key
   WHERE key_id IN (SELECT key_id FROM webhook_key WHERE retires_at < :before LIMIT :limit)
  RETURNING key_id`;

type Row = Omit<WebhookKeyRecord, 'retiresAt'> & { readonly retiresAt: number | null };

/** Webhook keys in `db`, as their maker sealed them. What `caller` changes is audited. */
export function webhookKeyStore(db: Database, caller?: Caller): WebhookKeyStore {
  return {
    async listWebhookKeys(now) {
      const rows = await db.all<Row>(LIST, { now });
      return rows.map((row) => ({ ...row, retiresAt: row.retiresAt ?? undefined }));
    },

    addFirstWebhookKey(key) {
      return db.transaction(async (tx) => {
        await tx.all(TAKE_TURN, { keyId: key.keyId });
        await tx.all(`${ADD} ON CONFLICT DO NOTHING`, key);
      });
    },

    rotateWebhookKeys(fresh, retiresAt) {
      return db.transaction(async (tx) => {
        await tx.all(TAKE_TURN, { keyId: fresh.keyId });
        const retired = await tx.get<{ keyId: string }>(RETIRE, { retiresAt });
        await tx.all(ADD, fresh);
        await auditFor(tx, caller, {
          action: 'webhook_keys.rotated',
          before: { active_key: retired?.keyId ?? null },
          after: { active_key: fresh.keyId, previous_retires_at: instantText(retiresAt) },
        });
      });
    },

    deleteRetiredWebhookKeys(before) {
      return deleteInParts(db, DELETE_RETIRED, { before });
    },
  };
}
