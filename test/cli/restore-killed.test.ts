/**
 * Kills `kalends restore` while it runs: afterwards the old database or the new one is whole, and restore can run
 * again.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { makeUsers } from '../contract/calendar-rows.ts';
import { rounds } from '../harness/rounds.ts';
import { type CommandLine, openCommandLine } from './cli-run.ts';

/** The number of users, large enough that copying and checking take some time. */
const USERS = 10_000;
const MAIN = path.resolve(import.meta.dirname, '../../src/start.js');

describe('kalends restore that is killed', () => {
  let cli: CommandLine;
  let database: string;
  let backup: string;
  let old: string;
  before(async () => {
    cli = await openCommandLine();
    [database = '', backup = '', old = ''] = ['kalends.db', 'copy.db', 'copy-old.db'].map((name) =>
      path.join(cli.dataDir, name),
    );
    const storage = await openStorage(loadConfig({ KALENDS_DATA_DIR: cli.dataDir }));
    await makeUsers(storage.db);
    await storage.db.write(`
      INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
      WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < ${USERS})
      SELECT 'acme', 'user-' || i, 1, 1 FROM n`);
    await storage.close();
    assert.equal((await cli.json('backup', backup)).exitCode, 0);
    await copyFile(backup, old);
    const db = new DatabaseSync(old);
    db.exec(
      "INSERT INTO application_user (client_id, user_id, created_at, last_seen_at) VALUES ('acme', 'since', 1, 1)",
    );
    db.close();
  });
  after(() => cli.close());

  /** Writes a separate file: a database that was set aside may be the same file under another name. */
  const putOldDatabase = async () => {
    for (const name of await readdir(cli.dataDir))
      if (/^kalends/.test(name)) await rm(path.join(cli.dataDir, name));
    await copyFile(old, database);
  };
  /** Returns which of the two databases is present. It has to be whole. */
  const stateOf = (): 'old' | 'new' => {
    const db = new DatabaseSync(database);
    try {
      const [check] = db.prepare('PRAGMA integrity_check').all();
      assert.deepEqual({ ...check }, { integrity_check: 'ok' });
      const count = (from: string) => db.prepare(`SELECT COUNT(*) AS n FROM ${from}`).get()?.n;
      const found = [
        count('application_user'),
        count("application_user WHERE user_id = 'since'"),
        count("audit_entry WHERE action = 'backup.restored'"),
      ];
      const isNew = found[2] === 1;
      assert.deepEqual(found, isNew ? [USERS, 0, 1] : [USERS + 1, 1, 0]);
      return isNew ? 'new' : 'old';
    } finally {
      db.close();
    }
  };
  /** Starts restore and waits until it has begun its copy. */
  const startRestore = async () => {
    const child = spawn(process.execPath, [MAIN, 'restore', backup, '--yes'], {
      env: { PATH: process.env.PATH, KALENDS_DATA_DIR: cli.dataDir },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    while (child.exitCode === null && !existsSync(`${database}.restoring`)) await sleep(1);
    return { child, ended };
  };

  it('a restore that is killed at any moment leaves the old database or the new one whole, and can be run again', async () => {
    await putOldDatabase();
    const { ended: whole } = await startRestore();
    const from = performance.now();
    await whole;
    const took = Math.ceil(performance.now() - from);
    assert.equal(stateOf(), 'new');

    for (let round = 0; round < rounds(3); round += 1) {
      await putOldDatabase();
      const { child, ended } = await startRestore();
      const moment = randomInt(took);
      await sleep(moment);
      child.kill('SIGKILL');
      await ended;

      const left = stateOf();
      const { exitCode, document } = await cli.json('restore', backup, '--yes');

      const what = `killed after ${moment} of ${took} ms: ${left}, then ${JSON.stringify(document)}`;
      assert.equal(exitCode, 0, what);
      assert.equal(stateOf(), 'new', what);
      assert.ok(!existsSync(`${database}.restoring`), what);
    }
  });
});
