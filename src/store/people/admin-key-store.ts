/** AdminKeyStore in SQL; held to test/contract/admin-key-store.contract.ts on both databases. */
import type { AuditActor, AuditedChange, By } from '../../audit/audit-entry.ts';
import { databaseProblem } from '../../lib/database-away-error.ts';
import type { AdminKey, AdminKeyState, AdminKeyStore, ListedAdminKey } from '../../people/admin-key-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { preferOwnKeys, TAKE_TURN } from './person-rows.ts';

const LIVE = '(k.expires_at IS NULL OR k.expires_at > :now)';
// The keys that work: each was created by the command line, `environment`, a present owner, or a key that works.
const WORKING = `
  WITH RECURSIVE working (key_id) AS (
    SELECT k.key_id FROM admin_key k
     WHERE ${LIVE} AND COALESCE(k.created_by_key, 'environment') = 'environment'
       AND (k.created_by IS NULL
         OR EXISTS (SELECT 1 FROM person p WHERE p.person_id = k.created_by AND p.role = 'owner'))
     UNION ALL
    SELECT k.key_id FROM working w JOIN admin_key k ON k.created_by_key = w.key_id WHERE ${LIVE})`;
/** The ids of the keys that work at `:now`, as a subquery. */
export const WORKING_KEYS = `(${WORKING} SELECT key_id FROM working)`;
const KEY = 'k.key_id, k.name, k.role, k.client_ids, k.prefix, k.created_at, k.expires_at, k.used_at';
const USE = `${WORKING}
  SELECT ${KEY} FROM admin_key k
   WHERE (k.key_hash = :hash OR (k.previous_hash = :hash AND k.previous_until > :now))
     AND k.key_id IN (SELECT key_id FROM working)`;
const LIST = `${WORKING}
  SELECT ${KEY},
         COALESCE((SELECT p.login FROM person p WHERE p.person_id = k.created_by),
           (SELECT c.name FROM admin_key c WHERE c.key_id = k.created_by_key), k.created_by, k.created_by_key) AS creator,
         COALESCE(k.created_by, k.created_by_key) AS creator_id,
         CASE WHEN NOT ${LIVE} THEN 'expired' WHEN k.key_id IN (SELECT key_id FROM working) THEN 'valid'
              ELSE 'creator_ended' END AS state
    FROM admin_key k ORDER BY k.created_at, k.key_id`;
const ADD = `
  INSERT INTO admin_key (key_id, name, role, client_ids, prefix, key_hash, created_by, created_by_key, created_at, expires_at)
  VALUES (:keyId, :name, :role, :clientIds, :prefix, :hash, :createdBy, :createdByKey, :createdAt, :expiresAt)`;
const ROTATE = `
  UPDATE admin_key SET previous_hash = key_hash, previous_until = :previousUntil, key_hash = :hash, prefix = :prefix
   WHERE key_id = :keyId RETURNING name`;
const REMOVE = 'DELETE FROM admin_key WHERE key_id = :keyId RETURNING name, role';
const NOTE_USE = `
  UPDATE admin_key SET used_at = :now WHERE key_id = :keyId AND (used_at IS NULL OR used_at <= :before)`;
// A key that exists because of the member cannot become its own creator.
const DESCENDS = `
  WITH RECURSIVE chain (created_by, created_by_key) AS (
    SELECT k.created_by, k.created_by_key FROM admin_key k WHERE k.key_id = :createdByKey
     UNION ALL
    SELECT k.created_by, k.created_by_key FROM chain c JOIN admin_key k ON k.key_id = c.created_by_key)
  SELECT created_by FROM chain WHERE created_by = :personId`;
const KEEP = `
  UPDATE admin_key SET created_by = :createdBy, created_by_key = :createdByKey
   WHERE created_by = :personId RETURNING key_id`;
const MINUTE_MS = 60_000;

type Row = Omit<AdminKey, 'clientIds'> & { readonly clientIds: string; readonly usedAt: number | undefined };
type ListedRow = Row & Pick<ListedAdminKey, 'creator' | 'creatorId'> & { readonly state: AdminKeyState };

export function adminKeyStore(db: Database): AdminKeyStore {
  return {
    addKey({ clientIds, expiresAt, ...key }, hash, by) {
      const values = { clientIds: JSON.stringify(clientIds), expiresAt: expiresAt ?? null };
      return db.transaction(async (tx) => {
        await tx.change(ADD, { ...key, ...values, ...creatorColumns(by?.actor), hash });
        for (const clientId of clientIds) await preferOwnKeys(tx, clientId);
        const { name, role } = key;
        const expires = expiresAt === undefined ? null : new Date(expiresAt).toISOString();
        const after = { name, role, client_ids: clientIds, expires_at: expires };
        await auditFor(tx, by, { action: 'admin_key.created', subject: key.keyId, after });
      });
    },

    async useKey(hash, now) {
      const row = await db.get<Row>(USE, { hash, now });
      if (row === undefined) return undefined;
      const before = now - MINUTE_MS;
      const { keyId, usedAt = Number.NEGATIVE_INFINITY } = row;
      // A database that takes no writes still serves reads.
      if (usedAt <= before) await db.change(NOTE_USE, { keyId, now, before }).catch(throwUnlessReadOnly);
      return toAdminKey(row);
    },

    async listKeys(now) {
      const rows = await db.all<ListedRow>(LIST, { now });
      return rows.map(
        (row): ListedAdminKey => ({
          ...toAdminKey(row),
          ...{ state: row.state, creator: row.creator, creatorId: row.creatorId, usedAt: row.usedAt },
        }),
      );
    },

    rotateKey: (rotation, by) =>
      audited(db, by, { sql: ROTATE, action: 'admin_key.rotated', values: rotation }),

    removeKey: (keyId, by) =>
      audited(db, by, { sql: REMOVE, action: 'admin_key.revoked', values: { keyId } }),
  };
}

/** Makes the caller the creator of a member's keys, and returns their ids; `undefined` if the caller is one of these. */
export async function keepKeys(tx: Statements, personId: string, by: By['by']) {
  const values = { ...creatorColumns(by?.actor), personId };
  const { createdByKey } = values;
  if (createdByKey !== null && (await tx.get(DESCENDS, { createdByKey, personId })) !== undefined)
    return undefined;
  const rows = await tx.all<{ keyId: string }>(KEEP, values);
  return rows.map(({ keyId }) => keyId).toSorted();
}

function throwUnlessReadOnly(reason: unknown): void {
  if (databaseProblem(reason) !== 'read_only') throw reason;
}

type Change = Pick<AuditedChange, 'action'> & {
  readonly sql: string;
  readonly values: { readonly keyId: string };
};

/** Runs a change of one key, whose columns in RETURNING are audited. Returns false if the key does not exist. */
const audited = (db: Database, by: By['by'], { sql, action, values }: Change): Promise<boolean> =>
  db.transaction(async (tx) => {
    // A link of the key is not used meanwhile.
    await tx.change(TAKE_TURN);
    const before = await tx.get<Readonly<Record<string, string>>>(sql, values);
    if (before === undefined) return false;
    await auditFor(tx, by, { action, subject: values.keyId, before });
    return true;
  });

/** The creator of a key or a link. */
export const creatorColumns = (actor: AuditActor | undefined) => ({
  createdBy: actor?.kind === 'person' ? actor.id : null,
  createdByKey: actor?.kind === 'admin_key' ? actor.id : null,
});

function toAdminKey({ keyId, name, role, clientIds, prefix, createdAt, expiresAt }: Row): AdminKey {
  // Written by addKey.
  const ids = JSON.parse(clientIds) as string[];
  return { keyId, name, role, clientIds: ids, prefix, createdAt, expiresAt };
}
