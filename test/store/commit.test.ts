/** Group commit: many writes in few commits, none acknowledged before its commit, none lost to a kill. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';

import type { Database, Statements } from '../../src/store/drivers/database.ts';
import { migrate } from '../../src/store/drivers/migrate.ts';
import { type DatabaseSettings, sqliteFileIn } from '../../src/store/drivers/open-database.ts';
import { tokenFamilyStore } from '../../src/store/oauth/token-family-store.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { makeFamily, successorOf } from '../contract/grant-rows.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { rounds } from '../harness/rounds.ts';

const CHILD = path.resolve(import.meta.dirname, 'database-child.ts');
const PUT = 'INSERT INTO setting (name, value) VALUES (:name, :value)';
const AT_ONCE = 64;
const ROUNDS = 20;

onEachDatabase((name, _, place) => {
  async function withDatabase(work: (db: Database, settings: DatabaseSettings) => Promise<void>) {
    const settings = await place();
    const db = connect(settings);
    await migrate(db, Date.now, async () => {});
    await work(db, settings).finally(() => db.close());
  }

  describe(`A write on ${name}`, () => {
    it('a write is seen by every other connection as soon as it is acknowledged', async () => {
      await withDatabase(async (db, settings) => {
        const other = connect(settings);
        const kinds = [
          (id: string) => db.write(PUT, { name: id, value: '' }),
          (id: string) => db.transaction((tx) => tx.all(PUT, { name: id, value: '' })),
        ];

        await Promise.all(
          Array.from({ length: 100 }, async (__, i) => {
            await kinds[i % 2]?.(`n${i}`);
            const row = await other.get('SELECT 1 AS "one" FROM setting WHERE name = :name', {
              name: `n${i}`,
            });
            assert.ok(row, `n${i}`);
          }),
        );

        await other.close();
      });
    });

    it('a write shares its commit with the writes that come at the same time', async () => {
      await withDatabase(async (db, settings) => {
        const families = await Promise.all(
          Array.from({ length: AT_ONCE }, (__, i) => makeFamily(db, { clientId: 'c', userId: `u${i}` })),
        );
        const before = name === 'SQLite' ? commitsInLog(settings) : 0;

        const spent = await Promise.all(
          families.map(({ first }) =>
            tokenFamilyStore(db).rotateRefreshToken(first, successorOf(first), { now: NOW }),
          ),
        );

        assert.equal(spent.filter(Boolean).length, AT_ONCE);
        const commits = name === 'SQLite' ? commitsInLog(settings) - before : await writersOfFamilies(db);
        assert.ok(commits >= 1 && commits <= 4, `${commits} commits for ${AT_ONCE} writes`);
      });
    });
  });

  describe(`The flush of a transaction on ${name}`, () => {
    it('is waited for, unless the transaction says that it may come later', async () => {
      await withDatabase(async (db) => {
        assert.equal(await db.transaction(waitsForFlush), true);
        assert.equal(await db.transaction(waitsForFlush, { flush: 'later' }), false);
        assert.equal(await db.transaction(waitsForFlush), true);
      });
    });

    it('is waited for by all who share a commit with one that waits', async () => {
      await withDatabase(async (db) => {
        const later = db.transaction(waitsForFlush, { flush: 'later' });
        const [first, second] = await Promise.all([later, db.transaction(waitsForFlush)]);

        // PostgreSQL commits each by itself.
        assert.deepEqual([first, second], [name === 'SQLite', true]);
      });
    });

    it('is shared on SQLite by what could be flushed later and what comes a moment after it', async () => {
      await withDatabase(async (db) => {
        let shared = 0;
        for (let round = 0; round < ROUNDS; round += 1) {
          const later = db.transaction(waitsForFlush, { flush: 'later' });
          for (let turn = 0; turn < 3; turn += 1) await immediate();
          await db.transaction(waitsForFlush);
          if (await later) shared += 1;
        }

        // A busy machine may miss the moment occasionally.
        assert.equal(shared > 0, name === 'SQLite', `${shared} of ${ROUNDS}`);
      });
    });
  });

  describe(`A process killed while it writes to ${name}`, () => {
    it('a process killed while it writes loses nothing it acknowledged and leaves no half of a transaction', async () => {
      const settings = await place();
      const acknowledged: string[] = [];
      for (let round = 0; round < rounds(5); round++) {
        const names = await writeUntilKilled(settings);
        acknowledged.push(...names);
        await assertAllThere(settings, acknowledged);
      }
      assert.ok(acknowledged.length > 0);
    });
  });
});

/** Whether the transaction's commit waits for the disk, as its engine says. */
async function waitsForFlush(tx: Statements): Promise<boolean> {
  const isSqlite = tx.dialect.engine === 'sqlite';
  const text = isSqlite
    ? 'PRAGMA synchronous'
    : `SELECT current_setting('synchronous_commit') AS "synchronous"`;
  const row = await tx.get<{ synchronous: number | string }>(text);
  return row?.synchronous === (isSqlite ? 2 : 'on');
}

/** Commits that the write-ahead log holds: frames whose second field is not 0 (sqlite.org/fileformat2.html §4.1). */
function commitsInLog({ dataDir }: DatabaseSettings): number {
  const log = readFileSync(`${sqliteFileIn(dataDir)}-wal`);
  const frame = 24 + log.readUInt32BE(8);
  let commits = 0;
  for (let at = 32; at + frame <= log.length; at += frame) {
    const current = log.subarray(at + 8, at + 16).equals(log.subarray(16, 24));
    if (current && log.readUInt32BE(at + 4) !== 0) commits += 1;
  }
  return commits;
}

/** Transactions that wrote the rows as they stand: PostgreSQL keeps the writer's id with each. */
async function writersOfFamilies(db: Database): Promise<number> {
  const row = await db.get<{ writers: number }>(
    'SELECT COUNT(DISTINCT CAST(xmin AS TEXT)) AS "writers" FROM token_family',
  );
  return row?.writers ?? 0;
}

/** The names a writing process had acknowledged when it was killed, at a random moment. */
async function writeUntilKilled({ masterKey: _, ...settings }: DatabaseSettings): Promise<string[]> {
  const child = spawn(process.execPath, [CHILD, 'write', JSON.stringify(settings)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let output = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    output += text;
  });
  await once(child.stdout, 'data');
  await sleep(20 + Math.random() * 250);
  child.kill('SIGKILL');
  await closed;
  // The first line says that it opened; a last line without its end was cut while it was printed.
  return output.split('\n').slice(1, -1);
}

async function assertAllThere(settings: DatabaseSettings, acknowledged: readonly string[]): Promise<void> {
  const db = connect(settings);
  try {
    const rows = await db.all<{ name: string; value: string }>('SELECT name, value FROM setting');
    const there = new Set(rows.map(({ name }) => name));
    assert.deepEqual(
      acknowledged.filter((name) => !there.has(name)),
      [],
    );
    const firsts = rows.filter(({ name }) => name.endsWith(' first')).map(({ name }) => name.slice(0, -6));
    const pairs = rows.filter(({ value }) => value === 'pair').map(({ name }) => name);
    assert.deepEqual(firsts.toSorted(), pairs.toSorted());
  } finally {
    await db.close();
  }
}
