/** The drivers: what both promise, then what only one of them can get wrong. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { BatchStatement, Database } from '../../src/store/drivers/database.ts';
import { sqliteFileIn } from '../../src/store/drivers/open-database.ts';
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { openSqlite } from '../../src/store/drivers/sqlite-driver.ts';
import { databaseContract } from '../contract/database.contract.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { startPostgres } from '../harness/postgres.ts';

const PUT = 'INSERT INTO setting (name, value) VALUES (:name, :value)';

onEachDatabase((name, open) => {
  const empty = async () => {
    const db = await open();
    await db.write('DELETE FROM setting');
    return db;
  };
  databaseContract(name, empty);
});

/** Warnings of the process during this whole file. */
const warnings: string[] = [];
process.on('warning', ({ message }) => warnings.push(message));

/** Two statements that share a transaction. */
const PUT_TWO: BatchStatement = {
  columns: { name: 'TEXT' },
  sql: ({ value, from }) => `
    INSERT INTO setting (name, value) SELECT ${value('name')}, '' ${from} WHERE 1 = 1 RETURNING name AS "name"`,
  followedBy: [
    ({ value, andFrom }) => `
      INSERT INTO setting (name, value) SELECT s.name || ' too', '' FROM setting AS s${andFrom} WHERE s.name = ${value('name')}`,
  ],
  key: 'name',
  writes: true,
};

onEachDatabase((name, open, place) => {
  if (name === 'SQLite') sqliteRules(open, place);
  else postgresRules(open);
});

type Opens = Parameters<Parameters<typeof onEachDatabase>[0]>;

function sqliteRules(open: Opens[1], place: Opens[2]): void {
  describe('The SQLite driver', () => {
    it('the SQLite driver makes integer keys the rowid itself', async () => {
      const db = await open();

      const row = await db.get<{ sql: string }>("SELECT sql FROM sqlite_master WHERE name = 'token_family'");

      assert.match(row?.sql ?? '', /family_id\s+INTEGER PRIMARY KEY/);
    });

    it('the SQLite driver rejects every write of a commit if the disk is full, and works again later', async () => {
      const db = await open();
      await db.transaction((tx) => tx.all('PRAGMA max_page_count = 1'));
      const large = 'x'.repeat(1_000_000);

      const results = await Promise.allSettled([
        db.write(PUT, { name: 'a', value: large }),
        db.transaction((tx) => tx.all(PUT, { name: 'b', value: large })),
        db.write(PUT, { name: 'c', value: large }),
      ]);

      assert.deepEqual(
        results.map(({ status }) => status),
        ['rejected', 'rejected', 'rejected'],
      );
      await db.transaction((tx) => tx.all('PRAGMA max_page_count = 1000000'));
      await db.write(PUT, { name: 'd', value: large });
      assert.equal((await db.all("SELECT name FROM setting WHERE name IN ('a', 'b', 'c', 'd')")).length, 1);
    });

    it('a write is refused that waited for another process as long as it may, and those that may wait for longer do', async () => {
      const settings = await place();
      const patience = { lockWaitMs: 1_000_000 };
      const file = sqliteFileIn(settings.dataDir);
      const db = openSqlite(file, patience);
      await db.write('CREATE TABLE setting (name TEXT, value TEXT)');
      const other = new DatabaseSync(file);
      other.exec('BEGIN IMMEDIATE');

      const patient = db.write(PUT, { name: 'patient', value: '' });
      patience.lockWaitMs = 0;
      const refused = db.write(PUT, { name: 'refused', value: '' });
      await assert.rejects(refused, /database is locked/);
      other.exec('ROLLBACK');
      await patient;

      const rows = await db.all<{ name: string }>('SELECT name FROM setting');
      assert.deepEqual(
        rows.map(({ name: written }) => written),
        ['patient'],
      );
      other.close();
      await db.close();
    });

    it('the SQLite driver reads where it writes, unless a transaction is open there', async () => {
      const db = await open();
      const where = async () => (await db.get<{ queryOnly: number }>('PRAGMA query_only'))?.queryOnly;
      const [APART, WITH_WRITES] = [1, 0];

      assert.equal(await where(), APART, 'where nothing can be written it runs first');
      assert.equal(await where(), WITH_WRITES);
      await db.transaction(async (tx) => {
        await tx.all(PUT, { name: 'n', value: '' });
        assert.equal(await where(), APART);
      });
      assert.equal(await where(), WITH_WRITES);
    });

    it('the SQLite driver refuses a read that writes, each time', async () => {
      const db = await open();
      const attempt = async () => db.all("DELETE FROM setting WHERE name = 'no such name'");

      await assert.rejects(attempt, /readonly/);
      await assert.rejects(attempt, /readonly/);
    });

    it('the SQLite driver waits with writes, and not with reads, while another process writes', async () => {
      const settings = await place();
      const db = connect(settings);
      await db.script('CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT)', async () => {});
      const other = new DatabaseSync(sqliteFileIn(settings.dataDir));
      other.exec('BEGIN IMMEDIATE');

      let isWritten = false;
      const write = db.write(PUT, { name: 'n', value: '' }).then(() => {
        isWritten = true;
      });
      await sleep(50);
      assert.deepEqual(await db.all('SELECT name FROM setting'), []);
      assert.equal(isWritten, false);
      other.exec('ROLLBACK');
      await write;

      assert.equal((await db.all('SELECT name FROM setting')).length, 1);
      other.close();
      await db.close();
    });
  });
}

function postgresRules(open: Opens[1]): void {
  describe('The PostgreSQL driver', () => {
    it('the PostgreSQL driver keeps no more prepared statements than the program has, however many texts there are', async () => {
      const db = await open();
      for (let i = 0; i < 1050; i++) await db.all(`SELECT ${i} AS "number"`);

      const row = await db.get<{ count: number }>(
        `SELECT COUNT(*) AS "count" FROM pg_prepared_statements WHERE statement LIKE 'SELECT % AS "number"'`,
      );

      assert.ok(row && row.count <= 1000, `${row?.count}`);
    });

    it('the PostgreSQL driver plans a batch once that says so, over an index however small its table is', async () => {
      const db = await open();
      await db.write(PUT, { name: 'a', value: 'x' });
      const find: BatchStatement = {
        columns: { name: 'TEXT' },
        sql: ({ value, andFrom }) =>
          `SELECT s.name AS "name", s.value AS "once" FROM setting AS s${andFrom} WHERE s.name = ${value('name')}`,
        key: 'name',
        writes: false,
        plan: 'once',
      };
      const scans = async () => {
        // Each of the pool's connections reports its own.
        await Promise.all(Array.from({ length: 10 }, () => db.all('SELECT pg_stat_force_next_flush()')));
        const row = await db.get<{ scans: number }>(
          `SELECT seq_scan::float8 AS "scans" FROM pg_stat_user_tables WHERE relname = 'setting'`,
        );
        return row?.scans;
      };
      const before = await scans();

      for (let i = 0; i < 3; i++)
        assert.deepEqual(await db.batch(find, { name: 'a' }), { name: 'a', once: 'x' });

      // Each connection has its own.
      const plans = await db.get<{ generic: number; custom: number }>(
        `SELECT generic_plans::float8 AS "generic", custom_plans::float8 AS "custom"
           FROM pg_prepared_statements WHERE statement LIKE '%AS "once" FROM setting%' AND name <> ''`,
      );
      assert.ok(plans !== undefined && plans.generic > 0);
      assert.equal(plans.custom, 0);
      assert.equal(await scans(), before);
    });

    it('the PostgreSQL driver keeps the connection of a statement that the server refused', async () => {
      const db = await open();
      const backends = async () =>
        await db.all(
          `SELECT pid FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend' ORDER BY pid`,
        );
      const before = await backends();

      for (let i = 0; i < 20; i++) await assert.rejects(db.all('SELECT 1 / (SELECT 0)'));

      assert.deepEqual(await backends(), before);
    });

    it('the PostgreSQL driver asks nothing of a library that it warns of', async () => {
      const db = await open();
      await Promise.all(['a', 'b', 'c'].map((name) => db.batch(PUT_TWO, { name })));
      await db.transaction((tx) => tx.all('SELECT 1 AS "one"'));

      // The process would emit such a warning, once.
      await sleep(10);
      assert.deepEqual(warnings, []);
    });

    it('the PostgreSQL driver runs a transaction again that the server ended for a deadlock', async () => {
      const db = await open();
      for (const name of ['a', 'b']) await db.write(PUT, { name, value: '' });
      const update = (name: string) => `UPDATE setting SET value = value || 'x' WHERE name = '${name}'`;
      const crossing = (one: string, other: string) =>
        db.transaction(async (tx) => {
          await tx.all(update(one));
          await tx.all('SELECT 1 AS "one" FROM pg_sleep(0.1)');
          await tx.all(update(other));
        });

      await Promise.all([crossing('a', 'b'), crossing('b', 'a')]);

      const rows = await db.all<{ value: string }>("SELECT value FROM setting WHERE name IN ('a', 'b')");
      assert.deepEqual(
        rows.map(({ value }) => value),
        ['xx', 'xx'],
      );
    });
  });

  describe('A PostgreSQL that restarts', () => {
    it('a PostgreSQL that restarts fails what was under way, and serves the next statement', async () => {
      const server = await startPostgres();
      after(() => server.stop());
      const db = openPostgres(server.url, 4);
      after(() => db.close());
      await db.script('CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT)', async () => {});
      await db.write(PUT, { name: 'before', value: '' });

      const underWay = assert.rejects(longTransaction(db));
      const reading = assert.rejects(db.all('SELECT 1 AS "one" FROM pg_sleep(30)'));
      const asleep = `SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)' AND wait_event = 'PgSleep'`;
      while ((await db.all(asleep)).length < 2) await sleep(10);
      await server.restart();
      await Promise.all([underWay, reading]);

      await db.write(PUT, { name: 'after', value: '' });
      const rows = await db.all<{ name: string }>('SELECT name FROM setting ORDER BY name');
      assert.deepEqual(
        rows.map(({ name }) => name),
        ['after', 'before'],
      );
    });
  });
}

function longTransaction(db: Database): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.all(PUT, { name: 'during', value: '' });
    await tx.all('SELECT 1 AS "one" FROM pg_sleep(30)');
  });
}
