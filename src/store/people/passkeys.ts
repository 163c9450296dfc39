/** PasskeyStore in SQL; held to test/contract/passkey-store.contract.ts on both databases. */
import type { NewPasskey, Passkey, PasskeyStore } from '../../people/passkey-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { LOCK_WAYS_IN } from './person-rows.ts';

const PASSKEY = `
  passkey_id, person_id, public_key, counter, transports, name, created_at, used_at`;
const ADD = `
  INSERT INTO passkey (passkey_id, person_id, public_key, counter, transports, name, created_at)
  VALUES (:passkeyId, :personId, :publicKey, :counter, :transports, :name, :now)
  ON CONFLICT (passkey_id) DO NOTHING`;
// The WHERE clause is the guard: if two requests show the same count, one passkey is a copy.
const USE = `
  UPDATE passkey SET counter = :counter, used_at = :now
   WHERE passkey_id = :passkeyId AND (counter < :counter OR (counter = 0 AND :counter = 0))`;
const COUNT_ALL = 'SELECT person_id, COUNT(*) AS count FROM passkey GROUP BY person_id';
const SPEND = `
  INSERT INTO spent_challenge (challenge_hash, expires_at) VALUES (:challengeHash, :expiresAt)
  ON CONFLICT (challenge_hash) DO NOTHING`;

type Row = Omit<Passkey, 'transports'> & { readonly transports: string };

export function passkeyStore(db: Database): PasskeyStore {
  return {
    async findPasskey(passkeyId) {
      const sql = `SELECT ${PASSKEY} FROM passkey WHERE passkey_id = :passkeyId`;
      const row = await db.get<Row>(sql, { passkeyId });
      return row && toPasskey(row);
    },
    async listPasskeys(personId) {
      const sql = `SELECT ${PASSKEY} FROM passkey WHERE person_id = :personId ORDER BY created_at, passkey_id`;
      return (await db.all<Row>(sql, { personId })).map(toPasskey);
    },
    async countPasskeys() {
      const rows = await db.all<{ personId: string; count: number }>(COUNT_ALL);
      return new Map(rows.map(({ personId, count }) => [personId, count]));
    },
    addPasskey(personId, passkey, { now, most, by }) {
      return db.transaction(async (tx) => {
        if ((await tx.change(LOCK_WAYS_IN, { personId })) === 0) return false;
        if ((await countPasskeys(tx, personId)) >= most) return false;
        if (!(await insertPasskey(tx, { personId, passkey, now }))) return false;
        const after = { name: passkey.name };
        await auditFor(tx, by, { action: 'person.passkey_added', subject: personId, after });
        return true;
      });
    },
    removePasskey(personId, passkeyId, by) {
      return db.transaction(async (tx) => {
        const person = await tx.get<{ password: string | undefined }>(LOCK_WAYS_IN, { personId });
        const sql = `SELECT ${PASSKEY} FROM passkey WHERE passkey_id = :passkeyId AND person_id = :personId`;
        const row = await tx.get<Row>(sql, { passkeyId, personId });
        if (person === undefined || row === undefined) return false;
        const identity = await tx.get('SELECT subject FROM person_identity WHERE person_id = :personId', {
          personId,
        });
        const hasOther = person.password !== undefined || identity !== undefined;
        if (!hasOther && (await countPasskeys(tx, personId)) < 2) return 'last_way';
        await tx.change('DELETE FROM passkey WHERE passkey_id = :passkeyId', { passkeyId });
        const before = { name: row.name };
        await auditFor(tx, by, { action: 'person.passkey_removed', subject: personId, before });
        return true;
      });
    },
    usePasskey(passkeyId, counter, { now, by }) {
      return db.transaction(async (tx) => {
        if ((await tx.change(USE, { passkeyId, counter, now })) > 0) return true;
        const sql = `SELECT ${PASSKEY} FROM passkey WHERE passkey_id = :passkeyId`;
        const row = await tx.get<Row>(sql, { passkeyId });
        if (row === undefined) return false;
        const facts = { before: { counter: row.counter }, after: { counter } };
        await auditFor(tx, by, { action: 'person.passkey_refused', subject: row.personId, ...facts });
        return false;
      });
    },
    async spendChallenge(challengeHash, expiresAt) {
      return (await db.change(SPEND, { challengeHash, expiresAt })) > 0;
    },
  };
}

/** Returns false if the passkey is registered already. The person's row is locked or new in this transaction. */
export async function insertPasskey(
  tx: Statements,
  {
    personId,
    passkey,
    now,
  }: { readonly personId: string; readonly passkey: NewPasskey; readonly now: number },
): Promise<boolean> {
  const { transports, ...facts } = passkey;
  const values = { ...facts, personId, now, transports: JSON.stringify(transports) };
  return (await tx.change(ADD, values)) > 0;
}

async function countPasskeys(tx: Statements, personId: string): Promise<number> {
  const sql = 'SELECT COUNT(*) AS count FROM passkey WHERE person_id = :personId';
  return (await tx.get<{ count: number }>(sql, { personId }))?.count ?? 0;
}

function toPasskey(row: Row): Passkey {
  // Written by insertPasskey.
  return { ...row, transports: JSON.parse(row.transports) as string[] };
}
