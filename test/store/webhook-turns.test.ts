/** The cost of looking for streams if there is nothing to take (store/webhook-turns.ts). */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import { noteChanges } from '../../src/store/changes/webhook-streams.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { makeCalendar, makeCalendars } from '../contract/grant-rows.ts';
import { takeTerms } from '../contract/take-terms.ts';
import { onEachDatabase } from '../harness/databases.ts';

/** Opens stores with an endpoint and three changed calendars. `withOne` runs after the first calendar is created. */
async function openWithStreams(open: () => Promise<Database>, withOne = async (_: Database) => {}) {
  const db = await open();
  const { streams } = openStores(db, { sealer: createSealer(randomBytes(32)) });
  await makeCalendars(db, []);
  await db.write(
    `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
     VALUES ('we_acme', 'acme', 'https://hook.example/', 'https://hook.example/', 1, 0) RETURNING client_id`,
  );
  for (const key of ['c0', 'c1', 'c2']) {
    await makeCalendar(db, key, NOW);
    await db.transaction((tx) => noteChanges(tx, key, { seq: 5 }));
    if (key === 'c0') await withOne(db);
  }
  await streams.scheduleChanged(NOW);
  return { db, streams };
}

onEachDatabase((database, open) => {
  it(`an endpoint with all it may under way is not written to, on ${database}`, async () => {
    const { db, streams } = await openWithStreams(open);
    const take = (now: number) =>
      streams.takeStreams(takeTerms(now, { leaseUntil: NOW + 1_000, ofEndpoint: 2 }));
    const servedAt = async () =>
      (await db.get<{ at: number }>('SELECT served_at AS "at" FROM webhook_endpoint'))?.at;

    assert.equal((await take(NOW)).length, 2);
    assert.equal((await take(NOW + 1)).length, 0);
    assert.equal(await servedAt(), NOW);
    assert.equal((await take(NOW + 1_000)).length, 2);
    assert.equal(await servedAt(), NOW + 1_000);
  });

  it(`the limit of an endpoint holds while the statistics describe a table with one row, on ${database}`, async () => {
    // PostgreSQL then scans the table first, and would run a subquery for each of its rows.
    const { streams } = await openWithStreams(open, async (db) => {
      if (db.dialect.engine !== 'sqlite') await db.all('ANALYZE webhook_stream');
    });

    assert.equal((await streams.takeStreams(takeTerms(NOW, { ofEndpoint: 1 }))).length, 1);
  });
});
