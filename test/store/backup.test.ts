/** `backup` on a live database: a copy of one moment that opens by itself. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';

import { migrate } from '../../src/store/drivers/migrate.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';

const PUT = 'INSERT INTO setting (name, value) VALUES (:name, :value)';
const LARGE = 'x'.repeat(20_000);

onEachDatabase((name, _, place) => {
  describe(`A backup of ${name}`, () => {
    if (name === 'PostgreSQL') {
      it('a backup of PostgreSQL is left to pg_dump', async () => {
        const settings = await place();
        const db = connect(settings);

        await assert.rejects(db.backup(path.join(settings.dataDir, 'copy.db')), /pg_dump/);

        await db.close();
      });
      return;
    }

    it('a backup has every row acknowledged before it began and no half of a transaction, while writes go on', async () => {
      const settings = await place();
      const db = connect(settings);
      await migrate(db, Date.now, async () => {});
      for (let i = 0; i < 300; i++) await db.write(PUT, { name: `before ${i}`, value: LARGE });
      let copying = true;
      let writes = 0;
      const writing = Array.from({ length: 8 }, async (__, stream) => {
        for (let i = 0; copying; i++, writes++) {
          await db.transaction(async (tx) => {
            for (const half of ['a', 'b'])
              await tx.all(PUT, { name: `${half} ${stream} ${i}`, value: LARGE });
          });
        }
      });

      const file = path.join(settings.dataDir, 'copy.db');
      await db.backup(file);
      copying = false;
      await Promise.all(writing);
      await db.close();

      const copy = new DatabaseSync(file, { readOnly: true });
      const names = copy
        .prepare('SELECT name FROM setting')
        .all()
        .map((row) => String(row.name));
      assert.deepEqual({ ...copy.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
      assert.equal(names.filter((each) => each.startsWith('before')).length, 300);
      const halves = (half: string) => names.filter((each) => each.startsWith(half)).length;
      assert.equal(halves('a '), halves('b '));
      assert.ok(writes > 0, 'writes went on meanwhile');
      copy.close();
    });

    it('a backup never replaces a file', async () => {
      const settings = await place();
      const db = connect(settings);
      await db.script('CREATE TABLE setting (name TEXT)', async () => {});
      const file = path.join(settings.dataDir, 'precious');
      await writeFile(file, 'precious');

      await assert.rejects(db.backup(file), /exists already/);

      await db.close();
    });
  });
});
