/** Requests while the disk of SQLite is full. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readyRoute } from '../../src/http/ready.route.ts';
import { createServer } from '../../src/http/server.ts';
import { instanceMeters } from '../../src/start/instance-meters.ts';
import { databaseStates } from '../../src/store/drivers/migrate.ts';
import { onSqlite } from '../harness/databases.ts';
import { recordingLog } from '../servers/recording-log.ts';

onSqlite((open) => {
  describe('A full disk', () => {
    it('fails writes with 503, of which one line is logged and each is counted, and leaves reads and /ready', async (t) => {
      const db = await open();
      const { log, entries } = recordingLog();
      const meters = instanceMeters(() => 0);
      const app = createServer({ ...meters.listeners, log, trustProxy: undefined, secure: false });
      t.after(() => app.close());
      app.register(readyRoute({ readiness: databaseStates(db) }));
      app.get('/read', () => db.all('SELECT name FROM setting'));
      // More than the pages that migrations left free.
      const value = 'x'.repeat(1_000_000);
      app.post('/write', () => db.write(`INSERT INTO setting VALUES ('large', :value)`, { value }));
      await db.transaction((tx) => tx.all('PRAGMA max_page_count = 1'));
      t.after(() => db.transaction((tx) => tx.all('PRAGMA max_page_count = 1000000')));

      const statuses: number[] = [];
      for (const url of ['/write', '/write', '/write', '/read', '/ready'])
        statuses.push((await app.inject({ method: url === '/write' ? 'POST' : 'GET', url })).statusCode);

      assert.deepEqual(statuses, [503, 503, 503, 200, 200]);
      const [line] = entries;
      assert.equal(entries.length, 1);
      assert.partialDeepStrictEqual(line?.fields, { event: 'database_away', count: 1, route: '/write' });
      const counted = (await meters.families()).find(
        ({ name }) => name === 'kalends_database_refusals_total',
      );
      assert.deepEqual(counted?.samples, [{ labels: { reason: 'full' }, value: 3 }]);
    });
  });
});
