/** WebhookKeyStore in SQL; held to test/contract/webhook-key-store.contract.ts on both databases. */
import { differingFields } from '../../audit/differing-fields.ts';
import { instantText } from '../../lib/rendered-json.ts';
import type { WebhookKeyRecord, WebhookKeyStore, WebhookKeyUse } from '../../webhooks/webhook-key-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';

// Serializes changes of the instance's keys: on PostgreSQL, two rotations could each see a half of the other.
const TAKE_TURN = `
  INSERT INTO setting (name, value) VALUES ('webhook_keys_changed', :keyId)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

const USE = `client_id, CASE own_webhook_keys WHEN 1 THEN 'own' ELSE 'instance' END AS keys,
         COALESCE(webhook_keys_overlap_until, 0) AS overlap_until`;
const LIST_USES = `SELECT ${USE} FROM application WHERE client_id = COALESCE(:clientId, client_id)`;
const LOCK_USE = `UPDATE application SET updated_at = updated_at WHERE client_id = :clientId RETURNING ${USE}`;
const SET_USE = `
  UPDATE application SET own_webhook_keys = :own, webhook_keys_overlap_until = :overlapUntil, updated_at = updated_at + 1
   WHERE client_id = :clientId`;

/** The statements on a table of keys. `owner` is the column of their application, or '' if they are the instance's. */
const keysIn = (table: string, owner: '' | 'client_id') => ({
  retire: `
  UPDATE ${table} SET status = 'previous', retires_at = :retiresAt
   WHERE status = 'active'${owner && ` AND ${owner} = :clientId`} RETURNING key_id`,
  add: `
  INSERT INTO ${table} (${owner && `${owner}, `}key_id, public_key, sealed, status, activated_at)
  VALUES (${owner && ':clientId, '}:keyId, :publicKey, :sealed, 'active', :activatedAt)`,
  list: `
  SELECT ${owner || "''"} AS client_id, key_id, public_key, sealed, status, activated_at, retires_at
    FROM ${table} WHERE status = 'active' OR retires_at > :now`,
  deleteRetired: `
  DELETE FROM ${table} WHERE key_id IN (SELECT key_id FROM ${table} WHERE retires_at < :before LIMIT :limit)`,
});
const INSTANCE_KEYS = keysIn('webhook_key', '');
const OWN_KEYS = keysIn('application_webhook_key', 'client_id');
const LIST = `
  SELECT * FROM (${INSTANCE_KEYS.list} UNION ALL ${OWN_KEYS.list}) AS webhook_keys
   ORDER BY client_id, status, activated_at DESC, key_id`;

export function webhookKeyStore(db: Database): WebhookKeyStore {
  return {
    listWebhookKeys: (now) => db.all<WebhookKeyRecord>(LIST, { now }),

    listKeyUses: (clientId) => db.all<WebhookKeyUse>(LIST_USES, { clientId: clientId ?? null }),

    switchWebhookKeys({ clientId, keys, overlapUntil, by }) {
      return db.transaction(async (tx) => {
        const before = await tx.get<WebhookKeyUse>(LOCK_USE, { clientId });
        if (before === undefined) return undefined;
        const until = before.keys === keys ? Math.min(before.overlapUntil, overlapUntil) : overlapUntil;
        const after = { clientId, keys, overlapUntil: until };
        await tx.change(SET_USE, { ...after, own: keys === 'own' ? 1 : 0 });
        const changed = differingFields(auditedUse(before), auditedUse(after));
        if (changed) await auditFor(tx, by, { action: 'webhook_keys.switched', clientId, ...changed });
        return after;
      });
    },

    addFirstWebhookKey(key) {
      return db.transaction(async (tx) => {
        const keys = await lockedKeys(tx, key);
        if (keys !== undefined) await tx.change(`${keys.add} ON CONFLICT DO NOTHING`, key);
      });
    },

    rotateWebhookKeys(fresh, retiresAt, by) {
      return db.transaction(async (tx) => {
        const keys = await lockedKeys(tx, fresh);
        if (keys === undefined) return false;
        const retired = await tx.get<{ keyId: string }>(keys.retire, { ...fresh, retiresAt });
        await tx.change(keys.add, fresh);
        await auditFor(tx, by, {
          action: 'webhook_keys.rotated',
          clientId: fresh.clientId || undefined,
          before: { active_key: retired?.keyId ?? null },
          after: { active_key: fresh.keyId, previous_retires_at: instantText(retiresAt) },
        });
        return true;
      });
    },

    async deleteRetiredWebhookKeys(before) {
      const deleted = await deleteInParts(db, INSTANCE_KEYS.deleteRetired, { before });
      return deleted + (await deleteInParts(db, OWN_KEYS.deleteRetired, { before }));
    },
  };
}

/** Locks the keys of an owner. Returns their statements, or `undefined` if an application uses the instance's keys. */
async function lockedKeys(tx: Statements, { clientId, keyId }: Pick<WebhookKeyRecord, 'clientId' | 'keyId'>) {
  if (clientId !== '')
    return (await tx.get<WebhookKeyUse>(LOCK_USE, { clientId }))?.keys === 'own' ? OWN_KEYS : undefined;
  await tx.change(TAKE_TURN, { keyId });
  return INSTANCE_KEYS;
}

const auditedUse = ({ keys, overlapUntil }: WebhookKeyUse) => ({
  own_webhook_keys: keys === 'own',
  overlap_until: overlapUntil === 0 ? null : instantText(overlapUntil),
});
