/** MasterKeyStore in SQL; held to test/contract/master-key-store.contract.ts on both databases. */
import { type Sealer, type SealingContext, sealedField, sealedPrefix } from '../../lib/sealing.ts';
import type { NextKey } from '../../system/master-key.ts';
import type { MasterKeyStore, Resealed, RowPlace } from '../../system/master-key-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { addDerivedKeys, removeDerivedKeys } from '../drivers/derived-keys.ts';
import { masterKeyOfOpened } from '../drivers/master-key.ts';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns.ts';

const ANNOUNCE = `
  INSERT INTO setting (name, value) VALUES ('master_key_next', :next) ON CONFLICT (name) DO NOTHING`;
const WITHDRAW = `DELETE FROM setting WHERE name = 'master_key_next' AND value = :next`;
const USE = `UPDATE setting SET value = :inUse WHERE name = 'master_key_next' AND value = :next`;
const SET_KEY = `UPDATE setting SET value = :keyId WHERE name = 'master_key'`;
const SET_BEFORE = `
  INSERT INTO setting (name, value) VALUES ('master_key_before', :before)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

/** Returns the store of the master key. `sealer` has both keys during a change. */
export function masterKeyStore(db: Database, sealer: Sealer): MasterKeyStore {
  const columns = new Map(SEALED_COLUMNS.map((one) => [`${one.table}.${one.column}`, resealing(one)]));
  const announced = async (keyId: string): Promise<NextKey | undefined> => {
    const { next } = await masterKeyOfOpened(db);
    return next?.keyId === keyId && next.phase === 'announced' ? next : undefined;
  };
  return {
    masterKeyState: () => masterKeyOfOpened(db),

    announceKey: (keyId, now) =>
      db.transaction(async (tx) => {
        const fresh: NextKey = { keyId, phase: 'announced', startedAt: now };
        const rows = await tx.change(ANNOUNCE, { next: JSON.stringify(fresh) });
        if (rows > 0) await addDerivedKeys(tx, sealer);
        const { next } = await masterKeyOfOpened(tx);
        return next ?? fresh;
      }),

    async withdrawKey(keyId) {
      const next = await announced(keyId);
      return next !== undefined && (await db.change(WITHDRAW, { next: JSON.stringify(next) })) > 0;
    },

    async useKey(keyId) {
      const next = await announced(keyId);
      if (next === undefined) return false;
      const inUse = JSON.stringify({ ...next, phase: 'in_use' });
      return (await db.change(USE, { next: JSON.stringify(next), inUse })) > 0;
    },

    finishKey: (keyId, now, by) =>
      db.transaction(async (tx) => {
        const { keyId: before = '', next } = await masterKeyOfOpened(tx);
        if (next?.keyId !== keyId || next.phase !== 'in_use') return false;
        if ((await tx.change(WITHDRAW, { next: JSON.stringify(next) })) === 0) return false;
        await tx.change(SET_KEY, { keyId });
        await tx.change(SET_BEFORE, { before: JSON.stringify({ keyId: before, until: now }) });
        await removeDerivedKeys(tx);
        await auditFor(tx, by, {
          action: 'master_key.rotated',
          before: { key_id: before },
          after: { key_id: keyId },
        });
        return true;
      }),

    sealedColumns: [...columns.keys()],

    async resealColumn(column, after, limit) {
      const reseal = columns.get(column);
      if (reseal === undefined) throw new Error(`${column} has no sealed value`);
      return reseal(db, sealer, { after, limit });
    },
  };
}

type Part = { readonly after: RowPlace | undefined; readonly limit: number };

/** Returns a function that reseals a column. Its statements are built once. */
function resealing({ table, column, context, key, row = key }: SealedColumn) {
  const contextOf = sealedField(context);
  const select = (where: string) => `
    SELECT ${[...new Set([...key, ...row])].join(', ')}, ${column} AS sealed_value
      FROM ${table} WHERE SUBSTR(${column}, 1, ${sealedPrefix('0'.repeat(16)).length}) <> :prefix ${where}
     ORDER BY ${key.join(', ')} LIMIT :limit`;
  const first = select('');
  const next = select(`AND (${key.join(', ')}) > (${key.map((name) => `:${name}`).join(', ')})`);
  // Compares the value, so that one that was written in the meantime stays.
  const update = `
    UPDATE ${table} SET ${column} = :sealed
     WHERE ${key.map((name) => `${name} = :${name}`).join(' AND ')} AND ${column} = :before`;

  return async (db: Database, sealer: Sealer, { after, limit }: Part): Promise<Resealed> => {
    const opened = (one: RowPlace, bound: SealingContext): string => {
      try {
        return sealer.open(String(one.sealed_value), bound);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const place = JSON.stringify(toRowPlace(one, key));
        throw new Error(`${table}.${column} cannot be opened in the row ${place}: ${reason}`, { cause });
      }
    };
    const values = { prefix: sealedPrefix(sealer.keyId), limit };
    const text = after === undefined ? first : next;
    const rows = (await db.storedRows(text, { ...values, ...after })) as RowPlace[]; // No key is NULL, and no sealed value.
    const changes = rows.map((one) => {
      const bound = contextOf(...row.map((name) => String(one[name])));
      const sealed = sealer.seal(opened(one, bound), bound);
      return { ...toRowPlace(one, key), sealed, before: String(one.sealed_value) };
    });
    const count = changes.length === 0 ? 0 : await db.transaction((tx) => updateAll(tx, update, changes));
    const last = rows.length < limit ? undefined : rows.at(-1);
    return { count, after: last && toRowPlace(last, key) };
  };
}

async function updateAll(tx: Statements, update: string, changes: readonly RowPlace[]): Promise<number> {
  let count = 0;
  for (const change of changes) count += await tx.change(update, change);
  return count;
}

const toRowPlace = (row: RowPlace, key: readonly string[]): RowPlace =>
  Object.fromEntries(key.map((name) => [name, row[name] ?? '']));
