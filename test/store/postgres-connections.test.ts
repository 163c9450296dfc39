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

  it('is a database that is away, at the start and later, and is used again once one is free', async () => {
    const ask = () => db.all('SELECT 1 AS "one"');
    const isRefused = () => assert.rejects(ask(), (reason) => databaseProblem(reason) === 'away');
    const isServed = () =>
      ask().then(
        () => true,
        () => false,
      );

    for (const _ of ['at the start', 'later']) {
      const other = new pg.Client({ connectionString: url });
      await other.connect();
      await isRefused();
      await other.end();
      await until('the server is used again', isServed);
      await administer(
        postgres.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'narrow'`,
      );
    }
  });
});
