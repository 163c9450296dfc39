/** A start empties the log of a killed server, which has what that server deleted (docs/privacy.md). */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';

import { type Program, startProgram } from '../harness/program.ts';

describe('SQLite’s log after a kill', () => {
  let program: Program | undefined;
  after(() => program?.dispose());

  it('a start empties the log of a killed server, which still has what was deleted', async (t) => {
    program = await startProgram();
    const { dataDir } = program;
    await program.kill();
    // It stays open: the last connection that closes would empty the log itself.
    const db = new DatabaseSync(path.join(dataDir, 'kalends.db'));
    t.after(() => db.close());
    db.exec(`PRAGMA secure_delete = ON; INSERT INTO setting (name, value) VALUES ('canary', 'canary');
      DELETE FROM setting WHERE name = 'canary'`);
    const isOnDisk = async () => {
      const files = (await readdir(dataDir)).filter((name) => name.startsWith('kalends.db'));
      const contents = await Promise.all(files.map((name) => readFile(path.join(dataDir, name))));
      return contents.some((bytes) => bytes.includes('canary'));
    };
    const before = await isOnDisk();

    await program.start();

    assert.deepEqual([before, await isOnDisk()], [true, false]);
  });
});
