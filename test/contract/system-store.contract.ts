/** Contract tests for SystemStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { DAY_MS, keepSizeOfDay, startOfDay } from '../../src/system/database-growth.ts';
import { NOW, sealer } from './calendar-rows.ts';
import { makeCalendars } from './grant-rows.ts';

const MINUTE = 60_000;

export function systemStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => openStores(await open(), { sealer });

  describe(`SystemStore on ${database}`, () => {
    it('instances are listed while they are seen, and forgotten when they stop or are gone', async () => {
      const { system } = await prepare();
      const one = {
        instanceId: 'one',
        host: 'a',
        version: '1',
        role: 'all',
        startedAt: 1,
        seenAt: NOW,
        keyIds: ['k1', 'k2'],
        keyId: 'k2',
      } as const;
      const other = { ...one, instanceId: 'other', startedAt: 2 };
      await system.noteInstance(one, 0);
      await system.noteInstance(other, 0);
      await system.noteInstance({ ...one, seenAt: NOW + MINUTE }, 0);

      assert.deepEqual(await system.listInstances(NOW), [{ ...one, seenAt: NOW + MINUTE }, other]);
      assert.deepEqual(await system.listInstances(NOW + 1), [{ ...one, seenAt: NOW + MINUTE }]);

      await system.forgetInstance('one');
      await system.noteInstance({ ...one, instanceId: 'third', seenAt: NOW + 2 }, NOW + 1);
      const left = await system.listInstances(0);
      assert.deepEqual(
        left.map(({ instanceId }) => instanceId),
        ['third'],
      );
    });

    it('jobs are counted by kind: those that wait, run, and are late, with since when', async () => {
      const { system, jobs } = await prepare();
      await jobs.schedule('sync-account', 'late', NOW - 5 * MINUTE);
      await jobs.schedule('sync-account', 'due', NOW);
      await jobs.schedule('sync-account', 'later', NOW + MINUTE);
      await jobs.schedule('housekeeping', '', NOW - 1);
      const most = { ofAccount: 2, ofHost: 2, ofOwner: 2 };
      const terms = {
        holder: 'h',
        kinds: ['housekeeping'] as const,
        limit: 1,
        most,
        running: [],
        abandoned: [],
      };
      await jobs.take({ ...terms, now: NOW, leaseUntil: NOW + MINUTE });

      const counts = await system.countJobs(NOW, NOW - MINUTE);

      const syncs = { kind: 'sync-account', waiting: 3, running: 0, late: 1, oldest: NOW - 5 * MINUTE };
      const housekeeping = { kind: 'housekeeping', waiting: 0, running: 1, late: 0, oldest: undefined };
      assert.deepEqual(counts, [syncs, housekeeping]);
      // Once its lease has expired, the job counts as waiting again.
      const after = await system.countJobs(NOW + 3 * MINUTE, NOW + 2 * MINUTE);
      assert.deepEqual(after[1], { ...housekeeping, waiting: 1, running: 0, late: 1, oldest: NOW + MINUTE });
    });

    it('streams are counted while they have something to tell', async () => {
      const db = await open();
      const { system } = openStores(db, { sealer });
      await makeCalendars(db, [NOW, NOW, NOW]);
      await db.write(
        `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
         VALUES ('we', 'acme', 'https://hook.example/', 'https://hook.example/', 1, :now) RETURNING client_id`,
        { now: NOW },
      );
      await db.write(
        `INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, calendar_key, told_seq, due_at)
         VALUES ('0', 'we', 'acme', 'ada', 'c0', 0, :now), ('1', 'we', 'acme', 'ada', 'c1', 0, 0),
                ('2', 'we', 'acme', 'ada', 'c2', 0, NULL) RETURNING stream_id`,
        { now: NOW },
      );

      assert.equal(await system.countStreams(), 2);
    });

    it('the size of a day is kept once, for thirty days', async () => {
      const { system } = await prepare();
      assert.ok((await system.databaseBytes()) > 10_000);

      for (const days of [0, 0, 1, 30]) await keepSizeOfDay(system, NOW + days * DAY_MS);

      const sizes = await system.listSizes();
      assert.deepEqual(
        sizes.map(({ day }) => day),
        [startOfDay(NOW) + DAY_MS, startOfDay(NOW) + 30 * DAY_MS],
      );
      assert.ok(sizes.every(({ bytes }) => bytes > 10_000));
    });

    it('budgets of apps are listed, and none of users', async () => {
      const { system, requestLimits } = await prepare();
      await requestLimits.takeTokens({ bucket: 'app google id.example', cost: 10, burst: 100 }, NOW);
      await requestLimits.takeTokens({ bucket: 'user 0123', cost: 10, burst: 100 }, NOW);

      assert.deepEqual(await system.listAppBudgets(), [{ app: 'google id.example', fullAt: NOW + 10 }]);
    });

    it('returns the addresses that were saved last, also of a server without a dashboard', async () => {
      const { system } = await prepare();
      assert.equal(await system.readAddresses(), undefined);
      const first = { url: 'https://a.example', dashboardUrl: 'https://admin.example' };
      const last = { url: 'https://b.example', dashboardUrl: undefined };

      await system.saveAddresses(first);
      await system.saveAddresses(first);
      const before = await system.readAddresses();
      await system.saveAddresses(last);

      assert.deepEqual([before, await system.readAddresses()], [first, last]);
    });

    it('the last result of the checks takes the place of the one before', async () => {
      const { system } = await prepare();
      assert.equal(await system.lastChecks(), undefined);
      const checks = [{ name: 'clock', status: 'warn', message: 'It is late' }] as const;
      await system.keepChecks({ at: NOW, checks: [] }, undefined);
      await system.keepChecks({ at: NOW + 1, checks }, undefined);

      assert.deepEqual(await system.lastChecks(), { at: NOW + 1, checks });
    });
  });
}
