/** Contract tests for ActivityStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { type Activity, deleteOldActivity, HOUR_MS, startOfHour } from '../../src/activity/activity.ts';
import type { LoadOrder } from '../../src/activity/activity-store.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

const HOUR = startOfHour(NOW);

export function activityStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const { activity, clients, endpoints } = openStores(db, { sealer: createSealer(randomBytes(32)) });
    for (const clientId of ['acme', 'other'])
      await db.write(
        `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
         VALUES (:clientId, :clientId, 'https://acme.example/cb', :now, :now) RETURNING client_id`,
        { clientId, now: NOW },
      );
    const call = (clientId: string, count: number) => ({ clientId, activity: 'calls' as const, count });
    /** Adds an endpoint, and returns how its attempts are counted. */
    const addEndpoint = async (endpointId: string, clientId = 'acme') => {
      const hears = { events: true, calendars: false, connections: false, own: false };
      const endpoint = { endpointId, clientId, url: 'https://acme.example/in', hears, secret: 'whsec_a' };
      await endpoints.addEndpoint({ ...endpoint, createdAt: NOW }, undefined);
      return (attempts: number, failures: number) => ({ endpointId, attempts, failures });
    };
    const attemptsOf = async (endpointId: string, since = HOUR) => {
      const { attempts, failures } = await endpoints.figuresOf(endpointId, since);
      return { attempts, failures };
    };
    return { db, activity, clients, endpoints, call, addEndpoint, attemptsOf };
  };

  describe(`ActivityStore on ${database}`, () => {
    it('counts add up by application, and of all together', async () => {
      const { activity, call } = await prepare();
      const refusal = { clientId: 'acme', activity: 'refusals' as const, count: 3 };

      await activity.addCounts([call('acme', 2), call('other', 5), refusal], HOUR);
      await activity.addCounts([call('acme', 1)], HOUR + HOUR_MS);

      const sums = async (...clientIds: string[]) =>
        Object.fromEntries(await activity.sumsSince(HOUR, clientIds));
      assert.deepEqual(await sums('acme'), { calls: 3, refusals: 3 });
      assert.deepEqual(await sums('acme', 'other'), { calls: 8, refusals: 3 });
      assert.deepEqual(await sums(), {});
      assert.deepEqual(Object.fromEntries(await activity.sumsSince(HOUR)), { calls: 8, refusals: 3 });
      assert.deepEqual(await activity.hoursSince(HOUR + HOUR_MS), [
        { hour: HOUR + HOUR_MS, activity: 'calls', count: 1 },
      ]);
    });

    it('lists the applications with the most of each kind of load, without those that have none', async () => {
      const { activity } = await prepare();
      const count = (clientId: string, activity: Activity, count: number) => ({ clientId, activity, count });
      const acme = [count('acme', 'calls', 5), count('acme', 'call_ms', 9), count('acme', 'delivered', 3)];
      const other = [count('other', 'calls', 2), count('other', 'refusals', 2), count('other', 'failed', 4)];
      const syncs = [count('other', 'syncs', 2), count('other', 'sync_ms', 800)];
      await activity.addCounts([...acme, ...other, ...syncs], HOUR);
      await activity.addCounts([count('other', 'calls', 50)], HOUR - HOUR_MS);
      const first = async (by: LoadOrder, limit = 20) =>
        (await activity.mostActive(HOUR, by, limit)).map(({ clientId }) => clientId);

      assert.deepEqual(await first('requests'), ['acme', 'other']);
      assert.deepEqual(await first('requests', 1), ['acme']);
      for (const by of ['errors', 'syncs'] as const) assert.deepEqual(await first(by), ['other'], by);
      for (const by of ['time', 'deliveries'] as const)
        assert.deepEqual(await first(by), ['other', 'acme'], by);
      assert.deepEqual((await activity.mostActive(HOUR, 'syncs', 1))[0], {
        ...{ clientId: 'other', name: 'other', requests: 4, errors: 2, callMs: 0 },
        ...{ syncs: 2, syncMs: 800, deliveries: 4, failures: 4 },
      });
    });

    it('counts of many applications are written together', async () => {
      const { db, activity, call } = await prepare();
      const ids = Array.from({ length: 60 }, (_, index) => `app-${index}`);
      for (const clientId of ids)
        await db.write(
          `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
           VALUES (:clientId, 'A', 'https://acme.example/cb', 1, 1) RETURNING client_id`,
          { clientId },
        );

      await activity.addCounts(
        ids.map((clientId) => call(clientId, 1)),
        HOUR,
      );

      assert.equal((await activity.sumsSince(HOUR, ids)).get('calls'), 60);
      assert.equal((await activity.sumsSince(HOUR)).get('calls'), 60);
    });

    it('ten at once lose nothing of each other', async () => {
      const { activity, call } = await prepare();

      await tenTimes(() => activity.addCounts([call('acme', 1), call('other', 2)], HOUR));

      assert.equal((await activity.sumsSince(HOUR, ['acme'])).get('calls'), 10);
      assert.equal((await activity.sumsSince(HOUR)).get('calls'), 30);
    });

    it('an application takes its counts with it, and none are added after', async () => {
      const { db, activity, clients, call } = await prepare();
      await activity.addCounts([call('acme', 1)], HOUR);

      await clients.deleteClient('acme', NOW, undefined);
      await activity.addCounts([call('acme', 1)], HOUR);

      const rows = await db.all(`SELECT 1 AS "one" FROM activity_count WHERE client_id = 'acme'`);
      assert.deepEqual(rows, []);
    });

    it('attempts add up by endpoint and hour, also those of many endpoints', async () => {
      const { activity, addEndpoint, attemptsOf } = await prepare();
      const ids = Array.from({ length: 60 }, (_, index) => `we_${index}`);
      const counts = await Promise.all(ids.map(async (id) => (await addEndpoint(id))(3, 1)));

      await activity.addCounts([], HOUR - HOUR_MS, counts);
      await activity.addCounts([], HOUR, counts);
      await activity.addCounts([], HOUR + HOUR_MS, counts);

      for (const id of ids) assert.deepEqual(await attemptsOf(id), { attempts: 6, failures: 2 }, id);
    });

    it('ten writes of attempts at once lose none, in whatever order they name the endpoints', async () => {
      const { activity, call, addEndpoint, attemptsOf } = await prepare();
      const counts = [(await addEndpoint('we_1'))(2, 1), (await addEndpoint('we_2', 'other'))(1, 0)];

      await tenTimes((i) =>
        activity.addCounts([call('acme', 1)], HOUR, i % 2 === 0 ? counts : counts.toReversed()),
      );

      assert.deepEqual(await attemptsOf('we_1'), { attempts: 20, failures: 10 });
      assert.deepEqual(await attemptsOf('we_2'), { attempts: 10, failures: 0 });
    });

    it('an endpoint takes its attempts with it, and none are added after', async () => {
      const { db, activity, endpoints, call, addEndpoint, attemptsOf } = await prepare();
      const count = await addEndpoint('we_1');
      await activity.addCounts([], HOUR, [count(1, 1)]);

      await endpoints.removeEndpoint('we_1', undefined);
      await activity.addCounts([call('acme', 1)], HOUR, [count(1, 1)]);

      assert.deepEqual(await db.all('SELECT hour FROM endpoint_hour'), []);
      assert.deepEqual(await attemptsOf('we_1'), { attempts: 0, failures: 0 });
      assert.equal((await activity.sumsSince(HOUR)).get('calls'), 1);
    });

    it('attempts of hours before nine days ago are deleted by housekeeping, and no others', async () => {
      const { activity, addEndpoint, attemptsOf } = await prepare();
      const count = await addEndpoint('we_1');
      await activity.addCounts([], HOUR - HOUR_MS, [count(1, 1)]);
      await activity.addCounts([], HOUR, [count(5, 2)]);

      const now = () => HOUR + 9 * 24 * HOUR_MS;
      assert.equal(await deleteOldActivity({ activity, now }), 1);

      assert.deepEqual(await attemptsOf('we_1', 0), { attempts: 5, failures: 2 });
    });

    it('old hours are deleted and no others', async () => {
      const { activity, call } = await prepare();
      await activity.addCounts([call('acme', 1)], HOUR - HOUR_MS);
      await activity.addCounts([call('acme', 4)], HOUR);

      assert.equal(await activity.deleteOldCounts(HOUR), 2);

      assert.equal((await activity.sumsSince(0)).get('calls'), 4);
    });
  });
}
