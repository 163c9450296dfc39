/** Looks for work on PostgreSQL read an index, whatever the table's statistics say of rows that lie elsewhere by now. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { makeCalendars } from '../contract/grant-rows.ts';
import { KINDS, takeAll } from '../contract/job-terms.ts';
import { takeTerms } from '../contract/take-terms.ts';
import { onEachDatabase } from '../harness/databases.ts';

const ROWS = 20_000;
const LATER = NOW + 1_000_000;

onEachDatabase((database, open) => {
  if (database !== 'PostgreSQL') return;
  describe('a look for work on PostgreSQL', () => {
    it('reads no turns but those that are due, though all that were expected were moved to the end of the table', async () => {
      const db = await open();
      await db.write('TRUNCATE job_turn');
      await db.write(
        `INSERT INTO job_turn (owner, kind, host, turn_at)
         SELECT 'owner' || n, 'sync-account', '', CASE WHEN n % 20 = 0 THEN 1 ELSE CAST(:later AS BIGINT) END
           FROM generate_series(1, ${ROWS}) AS n`,
        { later: LATER },
      );
      await db.write('ANALYZE job_turn');
      await db.write('UPDATE job_turn SET turn_at = 2 WHERE turn_at = 1');
      const { jobs } = openStores(db, { sealer: createSealer(randomBytes(32)) });

      const read = await readFrom(db, 'job_turn', () => takeAll(jobs, { kinds: KINDS, limit: 0 }));

      assert.ok(read < ROWS / 10, `${read} rows`);
      await db.write('TRUNCATE job_turn');
    });

    it('reads no streams but those that changed, though many had when the table was last counted', async () => {
      const db = await open();
      await makeStreams(db, 0);
      const { streams } = openStores(db, { sealer: createSealer(randomBytes(32)) });

      const none = await readFrom(db, 'webhook_stream', () => streams.scheduleChanged(NOW));
      await db.write("UPDATE webhook_stream SET due_at = 0 WHERE stream_id = 'stream77'");
      const one = await readFrom(db, 'webhook_stream', () => streams.scheduleChanged(NOW));

      assert.ok(none < ROWS / 10, `${none} rows`);
      assert.ok(one < ROWS / 10, `${one} rows`);
    });

    it('reads no streams but those that are due, though many were when the table was last counted', async () => {
      const db = await open();
      await makeStreams(db, NOW);
      const { streams } = openStores(db, { sealer: createSealer(randomBytes(32)) });
      const look = async () => {
        await streams.takeStreams(takeTerms(NOW, { leaseUntil: LATER }));
        await streams.nextDueAt();
      };

      const none = await readFrom(db, 'webhook_stream', look);
      await db.write("UPDATE webhook_stream SET due_at = 5 WHERE stream_id = 'stream77'");
      const one = await readFrom(db, 'webhook_stream', look);

      assert.ok(none < ROWS / 10, `${none} rows`);
      assert.ok(one < ROWS / 10, `${one} rows`);
    });
  });
});

/** Creates streams of one endpoint: a third were due at `dueAt` when the table was analyzed, and none is now. */
async function makeStreams(db: Database, dueAt: number): Promise<void> {
  await makeCalendars(db, []);
  await db.write(
    `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
     VALUES ('we_acme', 'acme', 'https://hook.example/', 'https://hook.example/', 1, 1)`,
  );
  await db.write(
    `INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, told_seq, due_at)
     SELECT 'stream' || n, 'we_acme', client_id, user_id, 0, CASE WHEN n % 3 = 0 THEN CAST(:dueAt AS BIGINT) END
       FROM generate_series(1, ${ROWS}) AS n, (SELECT * FROM application_user LIMIT 1) AS u`,
    { dueAt },
  );
  await db.write('ANALYZE webhook_stream');
  await db.write('UPDATE webhook_stream SET due_at = NULL');
}

/** How many rows of a table `work` has visited by reading it from end to end. */
async function readFrom(db: Database, table: string, work: () => Promise<unknown>): Promise<number> {
  const before = await visited(db, table);
  await work();
  return (await visited(db, table)) - before;
}

async function visited(db: Database, table: string): Promise<number> {
  // Each connection tells its own, and the pool has several.
  await Promise.all(Array.from({ length: 10 }, () => db.all('SELECT pg_stat_force_next_flush()')));
  const row = await db.get<{ rows: number }>(
    'SELECT seq_tup_read::float8 AS "rows" FROM pg_stat_user_tables WHERE relname = :table',
    { table },
  );
  return row?.rows ?? Number.NaN;
}
