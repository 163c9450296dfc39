/** PostgreSQL or a proxy that says that a statement may have taken effect. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DatabaseAwayError } from '../../src/lib/database-away-error.ts';
import type { BatchStatement } from '../../src/store/drivers/database.ts';
import { onEachDatabase } from '../harness/databases.ts';

const CALLS = 'SELECT last_value AS calls FROM calls';
const BATCH: BatchStatement = {
  columns: { code: 'TEXT' },
  sql: ({ value, from }) =>
    `UPDATE setting SET value = fail_with(${value('code')}) ${from} WHERE name = 'sample' RETURNING ${value('code')}`,
  key: 'code',
  writes: true,
};

onEachDatabase((name, open) => {
  if (name !== 'PostgreSQL') return;

  /** A function that counts its calls, which no rollback undoes, and fails with a SQLSTATE. */
  const openFailing = async () => {
    const db = await open();
    await db.script(
      `DROP SEQUENCE IF EXISTS calls; CREATE SEQUENCE calls MINVALUE 0 START 0;
       INSERT INTO setting (name, value) VALUES ('sample', '');
       CREATE OR REPLACE FUNCTION fail_with(code TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$ BEGIN
         PERFORM nextval('calls');
         RAISE EXCEPTION 'no outcome' USING ERRCODE = code;
       END $$`,
      async () => {},
    );
    await db.all("SELECT nextval('calls')");
    return db;
  };

  describe('A write whose outcome is unknown', () => {
    for (const code of ['08006', '08007', '08P01', '40003'])
      it(`a write that fails with ${code} is not repeated, and its error says that the database is away`, async () => {
        const db = await openFailing();
        const sql = 'SELECT fail_with(:code)';
        const writes = [
          () => db.write(sql, { code }),
          () => db.change(sql, { code }),
          () => db.transaction((tx) => tx.all(sql, { code })),
          () => db.batch(BATCH, { code }),
        ];

        for (const write of writes) await assert.rejects(write(), DatabaseAwayError);

        assert.deepEqual(await db.all(CALLS), [{ calls: writes.length }]);
      });

    it('a batch whose outcome is unknown is not repeated for each caller', async () => {
      const db = await openFailing();
      const calls = ['40003', '08006'].map((code) => db.batch(BATCH, { code }));

      const results = await Promise.allSettled(calls);

      assert.ok(
        results.every((result) => result.status === 'rejected' && result.reason instanceof DatabaseAwayError),
      );
      assert.deepEqual(await db.all(CALLS), [{ calls: 1 }]);
    });
  });
});
