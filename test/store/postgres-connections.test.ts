/** PostgreSQL that has no connection left for the program. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import pg from 'pg';

import { databaseProblem } from '../../src/lib/database-away-error.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { administer } from '../harness/migrated.ts';
import { type Postgres, startPostgres } from '../harness/postgres.ts';
import { until } from '../harness/until.ts';

describe('A PostgreSQL without a free connection', () => {
  let postgres: Postgres;
  let url: string;
  let db: Database;
  before(async () => {
    postgres = await startPostgres();
    await administer(postgres.url, `CREATE ROLE narrow LOGIN PASSWORD 'narrow' CONNECTION LIMIT 1`);
    url = Object.assign(new URL(postgres.url), { username: 'narrow', password: 'narrow' }).href;
    db = openPostgres(url, 2);
  });
  after(async () => {
    await db?.close();
    await postgres?.stop();
  });

  const ask = () => db.all('SELECT 1 AS "one"');
  const isRefused = () => assert.rejects(ask(), (reason) => databaseProblem(reason) === 'away');
  const untilServed = () =>
    until('the server is used again', () =>
      ask().then(
        () => true,
        () => false,
      ),
    );

  it('is away at the start, and is used once a connection is free', async () => {
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await isRefused();
    await other.end();

    await untilServed();
  });

  it('is away for callers without a connection, and still serves those that have one', async () => {
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    await admin.query('SELECT pg_advisory_lock(1)');
    await untilServed();
    const served = db.all('SELECT pg_advisory_xact_lock(1)');
    await isRefused();
    await isRefused();
    await admin.end();

    await served;
    await untilServed();
  });
});
