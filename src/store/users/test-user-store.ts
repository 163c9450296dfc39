/** TestUserStore in SQL; held to test/contract/test-user-store.contract.ts on both databases. */
import { type Sealer, sealedField } from '../../lib/sealing.ts';
import type {
  NewFlow,
  TestTokens,
  TestUser,
  TestUserKey,
  TestUserStore,
} from '../../playground/test-user-store.ts';
import { auditFor, subjectOfUser } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';

type Row = Omit<TestUser, 'isConnected'> & { readonly connected: number };

const USER = `
  client_id, user_id, created_at, ends_at,
  CASE WHEN tokens IS NULL THEN 0 ELSE 1 END AS connected`;
const FIND = `SELECT ${USER} FROM playground_user WHERE person_id = :personId AND client_id = :clientId`;
const LIST = `SELECT ${USER} FROM playground_user WHERE person_id = :personId ORDER BY client_id`;
/** Serializes flows that one member begins at the same time: the second finds the user of the first. */
const LOCK_PERSON = 'UPDATE person SET name = name WHERE person_id = :personId';
const ADD_USER = `
  INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
  SELECT client_id, :userId, CAST(:now AS BIGINT), CAST(:now AS BIGINT) FROM application
   WHERE client_id = :clientId`;
const ADD = `
  INSERT INTO playground_user (client_id, user_id, person_id, created_at, ends_at)
  VALUES (:clientId, :userId, :personId, :now, :endsAt)`;
const BEGIN = `
  UPDATE playground_user
     SET session_id = :sessionId, state_hash = :stateHash, verifier = :verifier, begun_at = :now, ends_at = :endsAt
   WHERE person_id = :personId AND client_id = :clientId`;
const FLOW = `
  SELECT ${USER}, verifier FROM playground_user
   WHERE state_hash = :stateHash AND session_id = :sessionId AND begun_at > :begunAfter AND person_id IS NOT NULL`;
// The WHERE clause is the guard: of concurrent calls, one finds the state.
const TAKE = `
  UPDATE playground_user SET session_id = NULL, state_hash = NULL, verifier = NULL, begun_at = NULL
   WHERE state_hash = :stateHash`;
const OF_USER = 'client_id = :clientId AND user_id = :userId';
const CONNECT = `
  UPDATE playground_user SET tokens = :tokens, ends_at = :endsAt WHERE ${OF_USER}`;
const RENEW = `UPDATE playground_user SET tokens = :tokens WHERE ${OF_USER}`;
const TOKENS = `SELECT tokens FROM playground_user WHERE ${OF_USER}`;
const ENDED = `
  SELECT client_id, user_id FROM playground_user
   WHERE ends_at <= :now OR person_id IS NULL ORDER BY ends_at, client_id, user_id LIMIT :limit`;

export function testUserStore(db: Database, sealer: Sealer): TestUserStore {
  const sealed = (user: TestUserKey, tokens: TestTokens) =>
    sealer.seal(JSON.stringify(tokens), testUserContext(user, 'tokens'));
  return {
    async findTestUser(personId, clientId) {
      const row = await db.get<Row>(FIND, { personId, clientId });
      return row && toTestUser(row);
    },

    async listTestUsers(personId) {
      return (await db.all<Row>(LIST, { personId })).map(toTestUser);
    },

    beginFlow(flow) {
      return db.transaction((tx) => beginFlow(tx, flow, sealer));
    },

    takeFlow(stateHash, { sessionId, begunAfter }) {
      return db.transaction(async (tx) => {
        const row = await tx.get<Row & { verifier: string }>(FLOW, { stateHash, sessionId, begunAfter });
        if (row === undefined || (await tx.change(TAKE, { stateHash })) === 0) return undefined;
        const user = toTestUser(row);
        return { user, verifier: sealer.open(row.verifier, testUserContext(user, 'verifier')) };
      });
    },

    connect({ clientId, userId }, { tokens, endsAt, by }) {
      return db.transaction(async (tx) => {
        const values = { clientId, userId, tokens: sealed({ clientId, userId }, tokens), endsAt };
        if ((await tx.change(CONNECT, values)) === 0) return false;
        const subject = await subjectOfUser(tx, { clientId, userId });
        await auditFor(tx, by, { action: 'playground.connected', clientId, subject });
        return true;
      });
    },

    async tokensOf({ clientId, userId }) {
      const { tokens } = (await db.get<{ tokens: string | undefined }>(TOKENS, { clientId, userId })) ?? {};
      if (!tokens) return undefined;
      // Written by `connect` and `renewTokens`.
      return JSON.parse(sealer.open(tokens, testUserContext({ clientId, userId }, 'tokens'))) as TestTokens;
    },

    async renewTokens({ clientId, userId }, tokens) {
      await db.change(RENEW, { clientId, userId, tokens: sealed({ clientId, userId }, tokens) });
    },

    async noteCall({ clientId, userId }, { operation, status, by }) {
      await db.transaction(async (tx) => {
        const subject = await subjectOfUser(tx, { clientId, userId });
        const after = { operation, status };
        await auditFor(tx, by, { action: 'playground.called', clientId, subject, after });
      });
    },

    async listEnded(now, limit) {
      return db.all<TestUserKey>(ENDED, { now, limit });
    },
  };
}

async function beginFlow(tx: Statements, flow: NewFlow, sealer: Sealer): Promise<TestUser | undefined> {
  const { clientId, personId, newUserId, sessionId, stateHash, verifier, now, endsAt } = flow;
  if ((await tx.change(LOCK_PERSON, { personId })) === 0) return undefined;
  let row = await tx.get<Row>(FIND, { personId, clientId });
  if (row === undefined) {
    const user = { clientId, userId: newUserId, now };
    if ((await tx.change(ADD_USER, user)) === 0) return undefined;
    await tx.change(ADD, { ...user, personId, endsAt });
    row = { clientId, userId: newUserId, createdAt: now, endsAt, connected: 0 };
  }
  const sealed = sealer.seal(verifier, testUserContext(row, 'verifier'));
  await tx.change(BEGIN, { personId, clientId, sessionId, stateHash, verifier: sealed, now, endsAt });
  return { ...toTestUser(row), endsAt };
}

const FIELDS = {
  verifier: sealedField('playground_user.verifier'),
  tokens: sealedField('playground_user.tokens'),
};
const testUserContext = ({ clientId, userId }: TestUserKey, field: keyof typeof FIELDS) =>
  FIELDS[field](clientId, userId);

const toTestUser = ({ clientId, userId, createdAt, endsAt, connected }: Row): TestUser => ({
  ...{ clientId, userId, createdAt, endsAt },
  isConnected: connected === 1,
});
