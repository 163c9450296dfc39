/** SignInStore in SQL; held to test/contract/sign-in-store.contract.ts on both databases. */
import type { SignInId, SignInStore } from '../../connect/flow/sign-in-store.ts';
import { type Sealer, sealedField } from '../../lib/sealing.ts';
import type { Database, Statements } from '../drivers/database.ts';

const BEGIN = `
  INSERT INTO sign_in (transaction_id, provider, state_hash, kept, outcome)
  SELECT transaction_id, CAST(:kind AS TEXT), CAST(:stateHash AS TEXT), CAST(:sealed AS TEXT), NULL
    FROM authorization_request WHERE transaction_id = :transactionId
  ON CONFLICT (transaction_id, provider) DO UPDATE SET
    state_hash = excluded.state_hash, kept = excluded.kept, outcome = NULL`;

const ONE = 'transaction_id = :transactionId AND provider = :kind AND state_hash = :stateHash';

const FIND = `SELECT kept AS sealed, outcome FROM sign_in WHERE ${ONE}`;
// The WHERE clause decides a race: the loser changes no row.
const TAKE = `UPDATE sign_in SET kept = NULL WHERE ${ONE} AND kept IS NOT NULL`;
const END = `UPDATE sign_in SET outcome = :outcome WHERE ${ONE}`;

type Row = { readonly sealed: string | undefined; readonly outcome: string | undefined };

export const signInStore = (db: Database, sealer: Sealer): SignInStore => ({
  async beginSignIn(id, signIn) {
    await db.change(BEGIN, { ...id, sealed: sealer.seal(JSON.stringify(signIn), signInContext(id)) });
  },

  async takeSignIn(id) {
    const row = await db.transaction((tx) => take(tx, id));
    if (row === undefined) return undefined;
    if (row.sealed === undefined) return { outcome: row.outcome };
    return { signIn: JSON.parse(sealer.open(row.sealed, signInContext(id))) };
  },

  async endSignIn(id, outcome) {
    await db.change(END, { ...id, outcome });
  },
});

async function take(tx: Statements, id: SignInId): Promise<Row | undefined> {
  const [row] = await tx.all<Row>(FIND, { ...id });
  if (row === undefined || row.sealed === undefined) return row;
  const updated = await tx.change(TAKE, { ...id });
  return updated > 0 ? row : { sealed: undefined, outcome: undefined };
}

/** Returns the context of sealed values. It includes the state: a value of one sign-in opens for no other. */
const signInContext = ({ transactionId, kind, stateHash }: SignInId) =>
  sealedRow(transactionId, kind, stateHash);
const sealedRow = sealedField('sign_in');
