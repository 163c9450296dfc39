/** Contract tests for RequestLog. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import type { NewRequestEntry } from '../../src/request-log/request-entry.ts';
import type { RequestFilter, RequestLog, RequestPlace } from '../../src/request-log/request-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

/** A refused request of the application `acme`. */
export const REFUSED: NewRequestEntry = {
  ...{ requestId: 'r1', at: NOW, method: 'GET', route: '/events', status: 403, durationMs: 12 },
  ...{ clientId: 'acme', userId: 'ada', network: '192.0.2.0/24', body: '{"code":"insufficient_scope"}' },
  ...{ repeated: 1, isClaimed: false },
};

export function requestLogContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const stores = openStores(db, { sealer: createSealer(randomBytes(32)) });
    for (const clientId of ['acme', 'other']) {
      await addApplication(db, clientId);
      await stores.users.loadOrCreateUser(clientId, 'ada', NOW);
    }
    const add = (...changes: Partial<NewRequestEntry>[]) =>
      stores.requestLog.addRequests(changes.map((change) => ({ ...REFUSED, ...change })));
    return { db, ...stores, add };
  };
  const list = async (log: RequestLog, filter: RequestFilter = {}) =>
    (await log.listRequests(filter, { limit: 1000 })).map(({ requestId }) => requestId);

  describe(`RequestLog on ${database}`, () => {
    it('an entry is returned as it was written, with the hash of its user instead of the id', async () => {
      const { requestLog, add } = await prepare();
      const bare = {
        repeated: 980,
        route: undefined,
        clientId: undefined,
        userId: undefined,
        network: undefined,
      };
      await add({}, { requestId: 'r2', at: NOW - 1, status: 200, body: undefined, ...bare });

      const entries = await requestLog.listRequests({}, { limit: 10 });

      const { userId: _, ...kept } = REFUSED;
      const user = await requestLog.userOf('acme', 'ada');
      assert.match(user ?? '', /^user_[\w-]{16}$/);
      const { clientId, route, network, repeated } = bare;
      const other = { ...kept, requestId: 'r2', at: NOW - 1, status: 200, body: undefined };
      assert.deepEqual(entries, [
        { ...kept, user },
        { ...other, clientId, route, network, repeated, user: undefined },
      ]);
    });

    it('entries are listed the newest first, in pages without gap or repetition', async () => {
      const { requestLog, add } = await prepare();
      const ids = Array.from({ length: 130 }, (_, index) => `r${String(index).padStart(3, '0')}`);
      await add(...ids.map((requestId, index) => ({ requestId, at: NOW + (index % 3) })));

      const paged: string[] = [];
      for (let after: RequestPlace | undefined; ; ) {
        const page = await requestLog.listRequests({ clientIds: ['acme', 'other'] }, { after, limit: 7 });
        paged.push(...page.map(({ requestId }) => requestId));
        after = page.at(-1);
        if (after === undefined) break;
      }

      const at = (id: string) => ids.indexOf(id) % 3;
      const expected = ids.toSorted((a, b) => at(b) - at(a) || (a < b ? 1 : -1));
      assert.deepEqual(paged, expected);
    });

    it('each filter leaves out what is not meant', async () => {
      const { requestLog, add } = await prepare();
      await add(
        { requestId: 'r1' },
        { requestId: 'r2', status: 429, route: '/token', userId: undefined, at: NOW + 10 },
        { requestId: 'r3', status: 200, body: undefined, at: NOW + 20 },
        { requestId: 'r4', clientId: 'other', at: NOW + 30 },
        { requestId: 'r5', clientId: undefined, route: undefined, status: 404, at: NOW + 40 },
      );
      const user = await requestLog.userOf('acme', 'ada');

      const filters: readonly [RequestFilter, readonly string[]][] = [
        [{}, ['r5', 'r4', 'r3', 'r2', 'r1']],
        [{ clientIds: ['acme'] }, ['r3', 'r2', 'r1']],
        [{ clientIds: ['other', 'acme', 'acme'] }, ['r4', 'r3', 'r2', 'r1']],
        [{ clientIds: [] }, []],
        [{ statusClass: 4 }, ['r5', 'r4', 'r2', 'r1']],
        [{ clientIds: ['acme'], statusClass: 4 }, ['r2', 'r1']],
        [{ isError: true }, ['r5', 'r4', 'r2', 'r1']],
        [{ clientIds: ['other', 'acme'], isError: true }, ['r4', 'r2', 'r1']],
        [{ status: 429 }, ['r2']],
        [{ clientIds: ['acme'], status: 200 }, ['r3']],
        [{ status: 429, statusClass: 2 }, []],
        [{ route: '/token' }, ['r2']],
        [{ clientIds: ['acme'], route: '/events' }, ['r3', 'r1']],
        [{ requestId: 'r4' }, ['r4']],
        [{ requestId: 'r4', clientIds: ['acme'] }, []],
        [{ user }, ['r3', 'r1']],
        [{ user, clientIds: ['other'] }, []],
        [{ from: NOW + 10, to: NOW + 30 }, ['r3', 'r2']],
        [{ clientIds: ['acme'], statusClass: 4, from: NOW + 1 }, ['r2']],
      ];
      for (const [filter, ids] of filters)
        assert.deepEqual(await list(requestLog, filter), ids, JSON.stringify(filter));
    });

    it('an entry that ten write at once, or that is written again, is there once', async () => {
      const { requestLog, add } = await prepare();
      const entries = Array.from({ length: 60 }, (_, index) => ({ requestId: `r${index}`, userId: 'ada' }));

      await tenTimes(() => add(...entries));
      await add(...entries);

      assert.equal((await list(requestLog)).length, 60);
      const users = new Set((await requestLog.listRequests({}, { limit: 100 })).map(({ user }) => user));
      assert.equal(users.size, 1, 'one key was made');
    });

    it('entries of an application go with it, and those that come later are left out', async () => {
      const { requestLog, clients, add } = await prepare();
      await add(...Array.from({ length: 51 }, (_, index) => ({ requestId: `r${index}` })));
      await add({ requestId: 'kept', clientId: 'other' });

      await clients.deleteClient('acme', NOW, undefined);
      await add({ requestId: 'late' }, { requestId: 'known', clientId: 'other' });

      assert.deepEqual(await list(requestLog), ['known', 'kept']);
    });

    it('the hash of a deleted user identifies no user, not even a later one with the same id', async () => {
      const { requestLog, users, db, add } = await prepare();
      await add({});
      const before = await requestLog.userOf('acme', 'ada');

      await users.deleteUser('acme', 'ada', { now: NOW, by: undefined });
      await add({ requestId: 'r2' });
      assert.equal(await requestLog.userOf('acme', 'ada'), undefined);
      await users.loadOrCreateUser('acme', 'ada', NOW);
      await add({ requestId: 'r3' });

      const [third, second, first] = await requestLog.listRequests({}, { limit: 10 });
      assert.deepEqual([first?.user, second?.user], [before, undefined]);
      assert.notEqual(third?.user, before);
      assert.equal((await requestLog.listRequests({ user: before }, { limit: 10 })).length, 1);
      const rows = await db.all('SELECT * FROM request_log');
      assert.doesNotMatch(JSON.stringify(rows), /ada/);
    });

    it('what is older than that is deleted, however much it is', async () => {
      const { requestLog, add } = await prepare();
      const old = Array.from({ length: 1001 }, (_, index) => ({ requestId: `r${index}`, at: NOW - 1 }));
      await add(...old, { requestId: 'kept' });

      assert.equal(await requestLog.deleteOldRequests(NOW), 1001);

      assert.deepEqual(await list(requestLog), ['kept']);
    });

    it('the oldest entries of each application above its limit are deleted, unknown callers counting as one', async () => {
      const { requestLog, add } = await prepare();
      const rows = [...entries('acme', 510), ...entries('other', 5), ...entries(undefined, 8)];
      await add(...rows.toReversed());

      assert.equal(await requestLog.deleteExcessRequests(5), 505 + 3);

      const left = [
        ...entries('acme', 510).slice(-5),
        ...entries('other', 5),
        ...entries(undefined, 8).slice(-5),
      ];
      assert.deepEqual((await list(requestLog)).toSorted(), idsOf(left).toSorted());
      assert.equal(await requestLog.deleteExcessRequests(5), 0);
    });

    it('claimed entries count as those of unknown callers and never push out the application’s own', async () => {
      const { requestLog, add } = await prepare();
      const claims = entries('acme', 300, 500).map((entry) => {
        return { ...entry, requestId: `claim-${entry.at}`, isClaimed: true, userId: undefined };
      });
      const own = entries('acme', 5);
      await add(...own, ...claims, ...entries(undefined, 2, 900), ...entries('other', 7));

      assert.equal(await requestLog.deleteExcessRequests(5), 297 + 2);

      const left = await requestLog.listRequests({}, { limit: 100 });
      assert.deepEqual(await list(requestLog, { clientIds: ['acme'] }), [
        ...claims
          .slice(-3)
          .map(({ requestId }) => requestId)
          .toReversed(),
        ...idsOf(own).toReversed(),
      ]);
      assert.equal(left.filter(({ clientId }) => clientId === undefined).length, 2);
    });

    it('above ten times that limit the oldest entries of the applications with the most are deleted', async () => {
      const { db, requestLog, add } = await prepare();
      const crowd = Array.from({ length: 11 }, (_, index) => `app${index}`);
      for (const clientId of crowd) await addApplication(db, clientId);
      const rows = crowd.flatMap((clientId) => entries(clientId, 270));
      // The entries of `acme` and of unknown callers are the oldest.
      await add(...rows, ...entries('acme', 3, -999), ...entries(undefined, 220, -999));

      assert.equal(await requestLog.deleteExcessRequests(300), 193);

      const left = await requestLog.listRequests({}, { limit: 10_000 });
      const deleted = rows.filter(({ requestId }) => !left.some((row) => row.requestId === requestId));
      assert.equal(deleted.length, 193);
      // The deleted entries are the oldest of each application.
      assert.ok(deleted.every(({ at }) => at < NOW + 20));
    });
  });
}

const addApplication = (db: Database, clientId: string) =>
  db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
     VALUES (:clientId, :clientId, 'https://acme.example/cb', :now, :now) RETURNING client_id`,
    { clientId, now: NOW },
  );

/** Returns one entry per millisecond, starting `after` milliseconds after `NOW`. */
const entries = (clientId: string | undefined, count: number, after = 0) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ requestId: `${clientId}-${index}`, clientId, at: NOW + after + index },
  }));
const idsOf = (rows: readonly Pick<NewRequestEntry, 'requestId'>[]) => rows.map(({ requestId }) => requestId);
