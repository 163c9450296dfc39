/** Emptying SQLite's log: what is deleted leaves the disk, and callers in a loop hold up no one. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';

import type { Database } from '../../src/store/drivers/database.ts';
import { openMigratedSqlite } from '../harness/migrated.ts';

describe('emptying the log of SQLite', () => {
  let file: string;
  let db: Database;
  beforeEach(async () => {
    file = path.join(await mkdtemp(path.join(tmpdir(), 'kalends-log-')), 'kalends.db');
    db = await openMigratedSqlite(file);
  });
  afterEach(async () => {
    await db.close();
    await rm(path.dirname(file), { recursive: true });
  });

  const write = (name: string) =>
    db.write("INSERT INTO setting (name, value) VALUES (:name, '')", { name: `${name} in the log` });
  const logBytes = () => statSync(`${file}-wal`).size;
  /** The first salt in the header of the log: each checkpoint that empties the log adds 1. */
  const checkpoints = async (name: string) => {
    await write(name);
    return readFileSync(`${file}-wal`).readUInt32BE(16);
  };

  it('calls of one moment share a checkpoint, and those that come while it waits share the next', async () => {
    const before = await checkpoints('before');

    await Promise.all(Array.from({ length: 20 }, () => db.clearLog()));
    const after = await checkpoints('after');
    const first = db.clearLog();
    const written = write('while it waits');
    await Promise.all([first, written, ...Array.from({ length: 20 }, () => db.clearLog())]);
    assert.equal(logBytes(), 0);
    const atLast = await checkpoints('at last');

    assert.deepEqual([after - before, atLast - after], [1, 1]);
  });

  it('a reader in another process is waited for, and holds up nothing else', async () => {
    await write('seen by the reader');
    const reader = new DatabaseSync(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT * FROM setting').all();
    await write('written later');

    await immediate();
    const cleared = db.clearLog();
    await write('written meanwhile');
    reader.exec('COMMIT');
    reader.close();

    assert.equal(await cleared, true);
    assert.equal(logBytes(), 0);
  });

  it('a call within a transaction of others waits for its end', async () => {
    let cleared: Promise<boolean> | undefined;

    await db.transaction(async (tx) => {
      cleared = db.clearLog();
      await tx.all("INSERT INTO setting (name, value) VALUES ('in a transaction', '')");
    });

    assert.equal(await cleared, true);
    assert.equal(logBytes(), 0);
  });
});
