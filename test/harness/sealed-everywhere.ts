/** A database with a value in every sealed column, in many rows if real tables have many. */
import { type Sealer, sealedField } from '../../src/lib/sealing.ts';
import type { Database, Value } from '../../src/store/drivers/database.ts';
import { SEALED_COLUMNS, type SealedColumn } from '../../src/store/keys/sealed-columns.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { columnsOf, plantUser } from './planted-user.ts';

/** The other columns of sealed tables that have no user's data. */
const ROWS: Readonly<Record<string, Readonly<Record<string, Value>>>> = {
  signing_key: { kid: 'signs', algorithm: 'HS256', sealed: '', status: 'active', created_at: NOW },
  webhook_key: { key_id: 'whk_1', public_key: 'p', sealed: '', status: 'active', activated_at: NOW },
  application_webhook_key: {
    ...{
      key_id: 'whk_2',
      client_id: 'acme',
      public_key: 'p',
      sealed: '',
      status: 'active',
      activated_at: NOW,
    },
  },
  derived_key: { purpose: 'planted', sealed: '' },
  provider_app: {
    ...{ client_id: 'acme', provider: 'google', app_client_id: 'id', app_client_secret: '', updated_at: NOW },
  },
  ended_access: {
    ...{ account_key: 'ended', client_id: 'acme', provider: 'google', account_id: 'i', credentials: '' },
    ended_at: NOW,
  },
  playground_user: {
    ...{ client_id: 'acme', user_id: 'a0-user', created_at: NOW, ends_at: NOW, verifier: '', tokens: '' },
  },
  admin_request: {
    ...{ key_id: 'ak_1', key_hash: 'k', request_hash: 'r', seed: 's', answer: '' },
    ...{ lease_until: 0, created_at: NOW },
  },
};

/** The text in every sealed column. */
export const SEALED_TEXT = 'canary';

/** Creates `users` users and fills every sealed column, sealed by `sealer`. */
export async function sealEverywhere(db: Database, sealer: Sealer, users: number): Promise<void> {
  for (let i = 0; i < users; i++) await plantUser(db, sealer, `a${i}`);
  for (const [table, values] of Object.entries(ROWS)) {
    const names = Object.keys(values);
    await db.write(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`,
      values,
    );
  }
  await db.write(`UPDATE webhook_endpoint SET secrets = ''`);
  for (const column of SEALED_COLUMNS) await sealColumn(db, sealer, column);
}

async function sealColumn(db: Database, sealer: Sealer, { table, column, ...of }: SealedColumn) {
  const row = of.row ?? of.key;
  const names = [...new Set([...of.key, ...row])];
  const rows = await db.storedRows(`SELECT ${names.join(', ')} FROM ${table}`);
  if (rows.length === 0) throw new Error(`Nothing stands in ${table}`);
  for (const one of rows) {
    const context = sealedField(of.context)(...row.map((name) => String(one[name])));
    await db.write(
      `UPDATE ${table} SET ${column} = :sealed WHERE ${of.key.map((name) => `${name} = :${name}`).join(' AND ')}`,
      { ...one, sealed: sealer.seal(SEALED_TEXT, context) },
    );
  }
}

/** Returns the columns that have sealed values, known or not, by the id of the key. */
export async function sealedUnder(db: Database): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, string[]>();
  for (const { table, column, isText } of await columnsOf(db)) {
    if (!isText) continue;
    const rows = await db.all<{ sealed: string }>(
      `SELECT ${column} AS "sealed" FROM ${table} WHERE ${column} LIKE 'k1.%'`,
    );
    for (const { sealed } of rows) {
      const keyId = sealed.split('.')[1] ?? '';
      found.set(keyId, [...(found.get(keyId) ?? []), `${table}.${column}`]);
    }
  }
  return found;
}

/** Opens every sealed column and returns the texts, except derived keys; throws if a value does not open. */
export async function openEverything(db: Database, sealer: Sealer): Promise<string[]> {
  const opened: string[] = [];
  for (const { table, column, context, key, row = key } of SEALED_COLUMNS) {
    const rows = await db.storedRows(
      `SELECT ${row.join(', ')}, ${column} AS sealed FROM ${table} WHERE ${column} IS NOT NULL`,
    );
    const texts = rows.map((one) =>
      sealer.open(String(one.sealed), sealedField(context)(...row.map((part) => String(one[part])))),
    );
    if (table !== 'derived_key') opened.push(...texts);
  }
  return opened;
}
