/** Migrations that are interrupted, and those that run while others write. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { applyMigration, type Migration } from '../../src/store/drivers/apply-migration.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { migrate, pendingMigrations } from '../../src/store/drivers/migrate.ts';
import type { DatabaseSettings } from '../../src/store/drivers/open-database.ts';
import { wrappedDatabase } from '../../src/store/drivers/wrapped-database.ts';
import { connect, onEachDatabase, type Place } from '../harness/databases.ts';
import { migrateUpTo } from '../harness/old-database.ts';
import { pretendOtherEngine } from '../harness/other-engine.ts';
import { scale } from '../harness/rounds.ts';
import { until } from '../harness/until.ts';

const AT_ONCE: Migration = {
  number: 9001,
  file: '9001-sample.sql',
  text: `-- A comment; it isn't a statement.
    CREATE TABLE sample_next (key BIGINT PRIMARY KEY, name TEXT NOT NULL DEFAULT 'a;b', done BIGINT);
    INSERT INTO sample_next (key, name) SELECT key, name FROM sample;
    DROP TABLE sample; -- and its index
    ALTER TABLE sample_next RENAME TO sample;
    ALTER TABLE sample ADD COLUMN count BIGINT NOT NULL DEFAULT 0;
    UPDATE sample SET count = count + 1;
    CREATE INDEX sample_by_name ON sample (name);`,
};
const ONLINE: Migration = {
  number: 9002,
  file: '9002-sample.online.sql',
  text: `CREATE INDEX CONCURRENTLY IF NOT EXISTS sample_undone ON sample (key) WHERE done IS NULL;
    UPDATE sample SET done = 1 WHERE key IN (SELECT key FROM sample WHERE done IS NULL LIMIT 1000);
    CREATE INDEX CONCURRENTLY IF NOT EXISTS sample_by_done ON sample (done);
    DROP INDEX CONCURRENTLY IF EXISTS sample_undone`,
};
const ROWS = `
  INSERT INTO sample (key, name)
    WITH RECURSIVE n (key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM n WHERE key < :rows) SELECT key, 'x' FROM n`;
const LEASE = { holder: 'test', now: Date.now };
const STEP_MS = 60_000;

/** Fails every write after the first ones, as a killed process does not write any more. */
function dyingAfter(db: Database, writes: number): Database {
  let left = writes;
  const alive = <T>(write: () => Promise<T>): Promise<T> =>
    left-- > 0 ? write() : Promise.reject(new Error('killed'));
  return wrappedDatabase(db, {
    change: (sql, values) => alive(() => db.change(sql, values)),
    write: (sql, values) => alive(() => db.write(sql, values)),
    script: (sql, after) => alive(() => db.script(sql, after)),
    transaction: (work, terms) => alive(() => db.transaction(work, terms)),
  });
}

/** Creates the table that the migrations change, as if they had never run. */
async function makeSample(db: Database, rows: number): Promise<void> {
  await db.script(
    `DROP TABLE IF EXISTS sample_next; DROP TABLE IF EXISTS sample;
     DELETE FROM migration WHERE number > 9000; DELETE FROM migration_step; DELETE FROM lease;
     INSERT INTO lease (name, holder, expires_at) VALUES ('migration', 'test', 0);
     CREATE TABLE sample (key BIGINT PRIMARY KEY, name TEXT NOT NULL, done BIGINT);
     CREATE INDEX sample_by_name ON sample (name)`,
    async () => {},
  );
  await db.change(ROWS, { rows });
}

const SCHEMA = {
  sqlite: `SELECT name, sql AS definition FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name`,
  postgres: `
    SELECT table_name || ' ' || column_name AS name,
           concat_ws(' ', data_type, column_default, is_nullable) AS definition
      FROM information_schema.columns WHERE table_schema = current_schema()
    UNION ALL
    SELECT indexname, replace(indexdef, current_schema() || '.', '')
      FROM pg_indexes WHERE schemaname = current_schema()
    UNION ALL
    SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = current_schema()::regnamespace
     ORDER BY 1, 2`,
} as const;
const readSchema = (db: Database) => db.storedRows(SCHEMA[db.dialect.engine]);

let reads = 0;
const readState = async (db: Database) => ({
  schema: await readSchema(db),
  rows: await db.storedRows(`SELECT * FROM sample ORDER BY key -- not prepared: ${reads++}`),
  applied: await db.storedRows('SELECT number FROM migration WHERE number > 9000'),
  steps: await db.storedRows('SELECT * FROM migration_step'),
});

async function openPlace(place: Place, t: TestContext, isOtherEngine = false): Promise<Database> {
  const settings: DatabaseSettings = await place();
  if (isOtherEngine && settings.databaseUrl !== undefined) await pretendOtherEngine(settings.databaseUrl);
  const db = connect(settings);
  t.after(() => db.close());
  await db.server?.isReadOnly();
  assert.equal(db.server?.isOtherEngine() ?? false, isOtherEngine);
  return db;
}

/** Applies the migration, killed after ever more writes, and compares each completed one with `expected`. */
async function killEverywhere(db: Database, migration: Migration): Promise<number> {
  await makeSample(db, 2500);
  await applyMigration(db, migration, LEASE);
  const expected = await readState(db);
  for (let writes = 1; ; writes++) {
    await makeSample(db, 2500);
    const first = await applyMigration(dyingAfter(db, writes), migration, LEASE).then(
      () => 'completed',
      (reason: Error) => reason.message,
    );
    if (first === 'completed') return writes;
    assert.equal(first, 'killed');
    await applyMigration(db, migration, LEASE);
    assert.deepEqual(await readState(db), expected, `killed after ${writes} writes`);
  }
}

onEachDatabase((name, open, place) => {
  describe(`A migration on ${name}`, () => {
    it('a migration that runs online and is killed between any two statements completes later with the same result', async () => {
      const writes = await killEverywhere(await open(), ONLINE);

      assert.ok(writes > 8, 'each statement was a write of its own');
    });

    it('a migration that failed in its transaction has changed nothing', async () => {
      const db = await open();
      await makeSample(db, 3);
      const before = await readState(db);
      const failing = { ...AT_ONCE, text: `${AT_ONCE.text} INSERT INTO missing (key) VALUES (1)` };

      await assert.rejects(applyMigration(db, failing, LEASE), /missing/);

      assert.deepEqual(await readState(db), before);
      await applyMigration(db, AT_ONCE, LEASE);
      assert.deepEqual(await db.all('SELECT DISTINCT count FROM sample'), [{ count: 1 }]);
    });

    it('a migration that runs online lets another instance write during and between its parts', async (t) => {
      const settings = await place();
      const [db, older] = [connect(settings), connect(settings)];
      t.after(() => Promise.all([db.close(), older.close()]));
      await migrate(db, Date.now, async () => {});
      const rows = scale() < 20 ? 20_000 : 1_000_000;
      await makeSample(db, rows);
      const sizes: number[] = [];
      const migrating = wrappedDatabase(db, {
        change: async (sql, values) => {
          if (!sql.startsWith('UPDATE sample')) return db.change(sql, values);
          const key = rows - sizes.length;
          const write = older.change(`UPDATE sample SET name = 'y' WHERE key = :key`, { key });
          const [changed] = await Promise.all([db.change(sql, values), write]);
          assert.equal(await write, 1);
          sizes.push(changed);
          return changed;
        },
      });

      await applyMigration(migrating, ONLINE, LEASE);

      const written = await db.get("SELECT COUNT(*) AS count FROM sample WHERE name = 'y' AND done = 1");
      assert.deepEqual(written, { count: sizes.length });
      assert.deepEqual([Math.max(...sizes), sizes.length], [1000, rows / 1000 + 1]);
    });

    it('a migration stops if another instance has its lease', async () => {
      const db = await open();
      for (const migration of [AT_ONCE, ONLINE]) {
        await makeSample(db, 3);
        const before = await readState(db);
        await assert.rejects(applyMigration(db, migration, { ...LEASE, holder: 'late' }), /took over/);
        const { schema, rows, applied } = await readState(db);
        assert.deepEqual([rows, applied], [before.rows, before.applied]);
        if (migration === AT_ONCE) assert.deepEqual(schema, before.schema);
      }
    });

    it('pending migrations are applied once if two instances start at the same time', async (t) => {
      const settings = await place();
      const instances = [connect(settings), connect(settings)];
      t.after(() => Promise.all(instances.map((db) => db.close())));
      await migrateUpTo(instances[0] ?? assert.fail(), 60);
      const created: string[] = [];
      const starts = instances.map((db) => {
        const script: Database['script'] = async (sql, after) => {
          await db.script(sql, after);
          created.push(
            ...sql.matchAll(/CREATE TABLE (alert|attempt|admin_key) /g).map(([, table]) => table ?? ''),
          );
        };
        return migrate(wrappedDatabase(db, { script }), Date.now, async () => {});
      });

      await Promise.all(starts);

      assert.deepEqual(created.toSorted(), ['admin_key', 'alert', 'attempt']);
    });
  });

  if (name !== 'PostgreSQL') return;
  describe('A migration on an engine that is not PostgreSQL itself', () => {
    it('a migration killed between any two statements completes later with the same result', async (t) => {
      const db = await openPlace(place, t, true);
      await migrate(db, Date.now, async () => {});

      assert.ok((await killEverywhere(db, AT_ONCE)) > 20, 'each statement was a write of its own');
      assert.ok((await killEverywhere(db, ONLINE)) > 8);
    });

    it('all migrations make the schema of PostgreSQL if each start is killed, after a few statements', async (t) => {
      const [db, whole] = [await openPlace(place, t, true), await openPlace(place, t)];
      await migrate(whole, Date.now, async () => {});
      let now = Date.now();
      let starts = 0;

      for (let pending = [0]; pending.length > 0; starts++) {
        now += STEP_MS;
        // Enough for one statement and half of the next, which the next start repeats.
        const start = migrate(
          dyingAfter(db, 10),
          () => now,
          async () => {},
        );
        await start.catch((reason: Error) => assert.equal(reason.message, 'killed'));
        pending = await pendingMigrations(db);
      }

      assert.ok(starts > 100, `${starts} starts`);
      assert.deepEqual(await readSchema(db), await readSchema(whole));
    });

    it('a statement that failed is not taken for done unless it was begun before', async (t) => {
      const db = await openPlace(place, t, true);
      await migrate(db, Date.now, async () => {});
      await makeSample(db, 3);
      const again = { ...AT_ONCE, text: 'CREATE INDEX sample_by_name ON sample (name)' };

      await assert.rejects(applyMigration(db, again, LEASE), { code: '42P07' });
      await applyMigration(db, again, LEASE);
    });

    it('an index that an interrupted migration left invalid is created again', async (t) => {
      const db = await openPlace(place, t);
      await migrate(db, Date.now, async () => {});
      await makeSample(db, 3);
      const unique = 'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS sample_name ON sample (name)';
      const migration = { ...ONLINE, text: unique };
      await assert.rejects(applyMigration(db, migration, LEASE), { code: '23505' });

      await db.change('DELETE FROM sample WHERE key > 1');
      await applyMigration(db, migration, LEASE);

      const valid = "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'sample_name'::regclass";
      assert.deepEqual(await db.all(valid), [{ valid: true }]);
    });

    it('the lease of a migration is extended while one of its statements takes long', async (t) => {
      const db = await openPlace(place, t);
      await migrate(db, Date.now, async () => {});
      await makeSample(db, 3);
      let now = 1_000_000;
      t.mock.timers.enable({ apis: ['setInterval'] });
      const isExtended = async () => {
        const sql = `SELECT expires_at FROM lease WHERE name = 'migration'`;
        const lease = await db.get<{ expiresAt: number }>(sql);
        return (lease?.expiresAt ?? 0) > now;
      };
      const slow = wrappedDatabase(db, {
        change: async (sql, values) => {
          if (sql.startsWith('CREATE INDEX')) {
            now += STEP_MS;
            // An extension that fails is repeated with the next one.
            await until('the lease is extended', isExtended, async () => {
              t.mock.timers.tick(STEP_MS);
              await sleep(20);
            });
          }
          return db.change(sql, values);
        },
      });

      await applyMigration(slow, ONLINE, { holder: 'test', now: () => now });
    });

    it('planner settings are sent to PostgreSQL only', async (t) => {
      const values = async (isOtherEngine: boolean) => {
        const db = await openPlace(place, t, isOtherEngine);
        return db.transaction((tx) => tx.all("SELECT current_setting('enable_seqscan') AS value"), {
          flush: 'now',
          plan: 'once',
        });
      };

      assert.deepEqual([await values(false), await values(true)], [[{ value: 'off' }], [{ value: 'on' }]]);
    });
  });
});
