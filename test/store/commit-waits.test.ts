/** A PostgreSQL whose commits wait for a synchronous standby that does not exist. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';

import { databaseProblem } from '../../src/lib/database-away-error.ts';
import type { BatchStatement, Database } from '../../src/store/drivers/database.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { administer } from '../harness/migrated.ts';
import { type Postgres, startPostgres } from '../harness/postgres.ts';
import { type Program, startProgram } from '../harness/program.ts';
import { until } from '../harness/until.ts';

const CONNECTIONS = 10;
const METRICS = 'a-token-for-scrapes';
const INSERT = 'INSERT INTO note (name) VALUES (:name)';
const BATCH: BatchStatement = {
  columns: { name: 'TEXT' },
  sql: ({ value, from }) => `INSERT INTO note (name) SELECT ${value('name')} ${from} RETURNING name`,
  key: 'name',
  writes: true,
};

describe('A PostgreSQL without its synchronous standby', () => {
  let postgres: Postgres;
  let db: Database;
  let noted = 0;
  before(async () => {
    postgres = await startPostgres();
    await administer(postgres.url, 'CREATE TABLE note (name TEXT NOT NULL)');
    db = openPostgres(postgres.url, CONNECTIONS, { commitWaits: () => (noted += 1) });
  });
  afterEach(() => awaitStandby(false));
  after(async () => {
    await db?.close();
    await postgres?.stop();
  });

  async function awaitStandby(waits: boolean): Promise<void> {
    const names = waits ? 'nowhere' : '';
    await administer(postgres.url, `ALTER SYSTEM SET synchronous_standby_names = '${names}'`);
    await administer(postgres.url, 'SELECT pg_reload_conf()');
    // Each connection reads the setting by itself, soon after the reload; the sleep keeps them apart.
    const read = `SELECT current_setting('synchronous_standby_names') AS names FROM pg_sleep(0.05)`;
    const isSet = async () => {
      const reads = Array.from({ length: waits ? CONNECTIONS : 1 }, () => db.get<{ names: string }>(read));
      return (await Promise.all(reads)).every((row) => row?.names === names);
    };
    await until('the server has the setting', isSet);
    // The checkpointer makes commits wait: it reads the setting before it does what it is asked for.
    await administer(postgres.url, 'CHECKPOINT');
  }
  const isAway = (reason: unknown) => databaseProblem(reason) === 'away';
  const isSettled = () => until('no commit waits', () => db.server?.commitsWaiting() === 0);

  it('fails each kind of write once as one with an unknown outcome, and keeps its connection until PostgreSQL responds', async () => {
    await awaitStandby(true);
    const writes = [
      db.write(`${INSERT} RETURNING name`, { name: 'write' }),
      db.change(INSERT, { name: 'change' }),
      db.transaction((tx) => tx.change(INSERT, { name: 'transaction' })),
      db.batch(BATCH, { name: 'batch' }),
    ];
    await Promise.all(writes.map((write) => assert.rejects(write, isAway)));

    assert.deepEqual([db.server?.commitsWaiting(), noted], [4, 4]);
    const waiting = `SELECT COUNT(*) AS "count" FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
    assert.deepEqual(await db.all(waiting), [{ count: 4 }]);
    await awaitStandby(false);
    await isSettled();
    const names = await db.all<{ name: string }>('SELECT name FROM note ORDER BY name');
    assert.deepEqual(
      names.map(({ name }) => name),
      ['batch', 'change', 'transaction', 'write'],
    );
  });

  it('refuses further writes at once while half of the connections wait, and still reads', async () => {
    await awaitStandby(true);
    const write = (i: number) => db.change(INSERT, { name: `many ${i}` });
    const writes = Array.from({ length: CONNECTIONS / 2 }, (_, i) => write(i));
    await Promise.all(writes.map((one) => assert.rejects(one, isAway)));
    const begun = noted;

    await assert.rejects(write(CONNECTIONS), isAway);

    assert.equal(noted, begun);
    assert.deepEqual(await db.all('SELECT 1 AS "one"'), [{ one: 1 }]);
    await awaitStandby(false);
    await isSettled();
    assert.equal(await write(CONNECTIONS), 1);
  });

  it('does not take a statement that runs long for a commit that waits', async () => {
    const slow = `INSERT INTO note (name) SELECT 'slow' FROM pg_sleep(6.5)`;

    assert.equal(await db.change(slow), 1);
  });

  it('closes although a commit waits', async () => {
    const other = openPostgres(postgres.url, 2);
    await awaitStandby(true);
    await assert.rejects(other.change(INSERT, { name: 'closed' }), isAway);

    await other.close();
  });

  it('makes the program respond with 503 and say why', async (t) => {
    await administer(postgres.url, 'CREATE DATABASE program');
    const databaseUrl = Object.assign(new URL(postgres.url), { pathname: '/program' }).href;
    const env = { KALENDS_METRICS_TOKEN: METRICS };
    const program: Program = await startProgram({ databaseUrl, env });
    t.after(() => program.dispose());
    const { clientId, clientSecret } = await program.createClient();
    const authorization = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    const push = () => {
      const body = new URLSearchParams({ user_id: 'ada', state: 'xyz' });
      return fetch(`${program.url}/par`, { method: 'POST', headers: { authorization }, body });
    };
    await awaitStandby(true);

    const refused = await push();

    assert.equal(refused.status, 503);
    assert.match(await refused.text(), /temporarily_unavailable/);
    const isLogged = () => /"level":40.*"event":"commit_waits","count":1/.test(program.output().stderr);
    await until('the wait is logged', isLogged);
    const headers = { authorization: `Bearer ${METRICS}` };
    const metrics = await (await fetch(`${program.url}/metrics`, { headers })).text();
    assert.match(metrics, /^kalends_database_commits_waiting [1-9]/m);
    await awaitStandby(false);
    await until('writes are accepted', async () => (await push()).status === 201);
  });
});
