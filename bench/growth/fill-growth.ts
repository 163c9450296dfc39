/**
 * The tables that requests and jobs work with, filled to a number of rows: one user is made by the stores, and copied by
 * a statement for each table. Keys of one length come in the order of the indexes, which fills them fastest.
 */
import pg from 'pg';

import type { EventResource } from '../../src/calendars/event.ts';
import type { Stores } from '../../src/start/open-storage.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { meeting, seedUser } from '../mirror-seed.ts';

export const CLIENT_ID = 'bench';
/** The number of events of each user who has events. */
export const EVENTS_OF_USER = 100;
/** The number of users per user with events. */
export const USERS_PER_CALENDAR = 100;
/** Jobs that are due, however many there are: more than one look compares. */
const DUE = 2_000;
const HOUR_MS = 3_600_000;

export type Filling = {
  /** The number of users, each with an account, a calendar, a job and its turn; and the number of events in total. */
  readonly rows: number;
  /** The number of token families; those beyond `rows` belong to users who have nothing else. */
  readonly families: number;
  /** The application whose users they are; `CLIENT_ID` if absent. */
  readonly clientId?: string;
};

/** The text behind the prefix of every key of the user with this number, as SQL. */
const keyText = (n: string) => `(1000000000 + ${n})`;
export const keyOf = (prefix: string, n: number): string => `${prefix}-${1_000_000_000 + n}`;

type Copy = {
  readonly table: string;
  readonly count: number;
  /** The columns that differ from the copied row: expressions over `n`, the number of the copy. */
  readonly changes: Readonly<Record<string, string>>;
};

/** Fills an empty migrated database; on PostgreSQL, the one at `databaseUrl`. Existing rows stay. */
export async function fillGrowth(
  stores: Stores,
  filling: Filling,
  databaseUrl: string | undefined,
): Promise<void> {
  const { db } = stores;
  await makeTemplate(stores, filling);
  const copies = await Promise.all(copiesOf(filling, Date.now()).map((copy) => textOf(db, copy)));
  if (databaseUrl === undefined) {
    for (const text of copies) await db.script(text, async () => {});
    await db.clearLog();
    return;
  }
  // This connection is separate because the program's own would give up on a statement that runs for minutes.
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // The parents exist; without this setting PostgreSQL would look up each of them.
    await client.query('SET session_replication_role = replica');
    for (const text of copies) await client.query(text);
    // Does now what autovacuum and checkpoints do in the background.
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}

async function makeTemplate(stores: Stores, { clientId = CLIENT_ID }: Filling): Promise<void> {
  await stores.db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
     VALUES (:clientId, 'Bench', 'https://bench.example/callback', 1, 1) ON CONFLICT (client_id) DO NOTHING`,
    { clientId },
  );
  const events: EventResource[] = Array.from({ length: EVENTS_OF_USER }, (_, i) => meeting(i));
  await seedUser(stores, { clientId, userId: 'template' }, events);
  await stores.db.write(
    `INSERT INTO grant_coverage (coverage_id, group_id, scope) SELECT 'template', group_id, 'read' FROM account_group`,
  );
  await stores.db.write(
    `INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, created_at, refreshed_at, coverage_id)
     VALUES (0, 'hash', :clientId, 'template', 'read', 1, 1, 'template')`,
    { clientId },
  );
}

function copiesOf({ rows, families }: Filling, now: number): Copy[] {
  const key = (prefix: string, n = 'n') => `'${prefix}-' || ${keyText(n)}`;
  const [user_id, group_id, account_key] = [key('user'), key('group'), key('account')];
  const step = Math.max(1, Math.floor(rows / DUE));
  const dueAt = `CASE WHEN n % ${step} = 0 THEN ${now - HOUR_MS} ELSE ${now + HOUR_MS} + n END`;
  const job = { run_at: dueAt, owner: key('owner'), account_key, host: `''` };
  const turn = { turn_at: dueAt, owner: key('owner'), host: `''` };
  const account = {
    account_key,
    user_id,
    group_id,
    account_id: key('id'),
    identity: key('id'),
    display: key('id'),
  };
  return [
    { table: 'application_user', count: rows, changes: { user_id } },
    { table: 'account_group', count: rows, changes: { group_id, user_id } },
    { table: 'account', count: rows, changes: { ...account, key_in_group: key('in') } },
    { table: 'calendar', count: rows, changes: { calendar_key: key('calendar'), account_key } },
    { table: 'grant_coverage', count: rows, changes: { coverage_id: key('coverage'), group_id } },
    {
      table: 'event',
      count: rows / EVENTS_OF_USER,
      changes: { calendar_key: key('calendar', `n * ${USERS_PER_CALENDAR}`) },
    },
    { table: 'job', count: rows, changes: { ...job, key: account_key } },
    { table: 'job_turn', count: rows, changes: turn },
    {
      table: 'token_family',
      count: families,
      changes: { family_id: 'n + 1', user_id, coverage_id: key('coverage') },
    },
  ];
}

/** The conditions that choose one row to copy if the table may have more than the user's own. */
const ONE_OF: Readonly<Record<string, string>> = {
  job: "WHERE kind = 'sync-account'",
  job_turn: "WHERE kind = 'sync-account'",
};

async function textOf(db: Database, { table, count, changes }: Copy): Promise<string> {
  const copied = `SELECT * FROM ${table} ${ONE_OF[table] ?? ''}`;
  const [first] = await db.storedRows(`${copied} LIMIT 1`);
  if (first === undefined) throw new Error(`There is no row of ${table} to copy`);
  // The database computes it.
  const columns = Object.keys(first).filter((column) => column !== 'slice');
  const values = columns.map((column) => changes[column] ?? `t.${column}`);
  const last = Math.max(0, count - 1);
  const numbers = `WITH RECURSIVE numbers(n) AS
    (SELECT CAST(0 AS BIGINT) WHERE ${count} > 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${last})`;
  return `INSERT INTO ${table} (${columns.join(', ')}) ${numbers}
    SELECT ${values.join(', ')} FROM numbers CROSS JOIN (${copied}) AS t`;
}
