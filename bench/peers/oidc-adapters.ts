/**
 * Storage for oidc-provider as a reasonable person writes it from its documented adapter interface: a
 * Map, a table in node:sqlite with `synchronous=FULL`, a table in PostgreSQL. Each call is one
 * statement, prepared, committed by itself.
 */
import { DatabaseSync } from 'node:sqlite';

import type { Adapter, Payload } from 'oidc-provider';
import pg from 'pg';

export type AdapterFactory = (model: string) => Adapter;
/** `seeding` runs work that makes many records, in one transaction where there are transactions. */
export type OidcStorage = { adapter: AdapterFactory; seeding<T>(work: () => Promise<T>): Promise<T> };

const nowSeconds = () => Math.floor(Date.now() / 1000);

export function memoryStorage(): OidcStorage {
  const records = new Map<string, Payload>();
  const byUid = new Map<string, string>();
  const members = new Map<string, string[]>();
  return {
    seeding: (work) => work(),
    adapter: (model) => {
      const keyOf = (id: string) => `${model}:${id}`;
      return {
        async upsert(id, payload) {
          const key = keyOf(id);
          if (payload.uid !== undefined) byUid.set(payload.uid, key);
          if (payload.grantId !== undefined && !records.has(key)) {
            const keys = members.get(payload.grantId);
            if (keys === undefined) members.set(payload.grantId, [key]);
            else keys.push(key);
          }
          records.set(key, payload);
        },
        find: async (id) => records.get(keyOf(id)),
        findByUid: async (uid) => records.get(byUid.get(uid) ?? ''),
        findByUserCode: async () => undefined,
        async consume(id) {
          const record = records.get(keyOf(id));
          if (record !== undefined) record.consumed = nowSeconds();
        },
        async destroy(id) {
          records.delete(keyOf(id));
        },
        async revokeByGrantId(grantId) {
          for (const key of members.get(grantId) ?? []) records.delete(key);
          members.delete(grantId);
        },
      };
    },
  };
}

const TABLE = `
  CREATE TABLE oidc (
    id TEXT PRIMARY KEY, payload TEXT NOT NULL, grant_id TEXT, uid TEXT, consumed_at BIGINT, expires_at BIGINT
  );
  CREATE INDEX oidc_by_grant ON oidc (grant_id) WHERE grant_id IS NOT NULL;
  CREATE INDEX oidc_by_uid ON oidc (uid) WHERE uid IS NOT NULL;`;

const UPSERT = `
  INSERT INTO oidc (id, payload, grant_id, uid, expires_at) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
    uid = excluded.uid, expires_at = excluded.expires_at`;
const FIND = 'SELECT payload, consumed_at FROM oidc WHERE id = $1';
const FIND_BY_UID = 'SELECT payload, consumed_at FROM oidc WHERE uid = $1';
const CONSUME = 'UPDATE oidc SET consumed_at = $2 WHERE id = $1';
const DESTROY = 'DELETE FROM oidc WHERE id = $1';
const REVOKE = 'DELETE FROM oidc WHERE grant_id = $1';

type Row = { payload: string; consumed_at: number | string | null };
type Run = (name: string, sql: string, values: (string | number | null)[]) => Promise<Row | undefined>;

export function sqliteStorage(file: string): OidcStorage {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${TABLE}`);
  const prepared = new Map(
    [UPSERT, FIND, FIND_BY_UID, CONSUME, DESTROY, REVOKE].map((sql) => [
      sql,
      db.prepare(sql.replaceAll('$', '?')),
    ]),
  );
  const run: Run = async (_, sql, values) => prepared.get(sql)?.get(...values) as Row | undefined; // its columns
  return {
    adapter: (model) => sqlAdapter(model, run),
    async seeding(work) {
      db.exec('BEGIN');
      const made = await work();
      db.exec('COMMIT');
      return made;
    },
  };
}

export async function postgresStorage(url: string): Promise<OidcStorage> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query(TABLE);
  const run: Run = async (name, text, values) => (await pool.query<Row>({ name, text, values })).rows[0];
  return { adapter: (model) => sqlAdapter(model, run), seeding: (work) => work() };
}

function sqlAdapter(model: string, run: Run): Adapter {
  const keyOf = (id: string) => `${model}:${id}`;
  const payloadOf = (row: Row | undefined): Payload | undefined => {
    if (row === undefined) return undefined;
    const payload: Payload = JSON.parse(row.payload);
    return row.consumed_at === null ? payload : { ...payload, consumed: Number(row.consumed_at) };
  };
  return {
    async upsert(id, payload, expiresIn) {
      const expiresAt = expiresIn === undefined ? null : nowSeconds() + expiresIn;
      const indexed = [payload.grantId ?? null, payload.uid ?? null];
      await run('upsert', UPSERT, [keyOf(id), JSON.stringify(payload), ...indexed, expiresAt]);
    },
    find: async (id) => payloadOf(await run('find', FIND, [keyOf(id)])),
    findByUid: async (uid) => payloadOf(await run('find_by_uid', FIND_BY_UID, [uid])),
    findByUserCode: async () => undefined,
    async consume(id) {
      await run('consume', CONSUME, [keyOf(id), nowSeconds()]);
    },
    async destroy(id) {
      await run('destroy', DESTROY, [keyOf(id)]);
    },
    async revokeByGrantId(grantId) {
      await run('revoke', REVOKE, [grantId]);
    },
  };
}
