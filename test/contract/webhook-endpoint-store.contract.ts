/** Contract tests for EndpointStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { ApiError } from '../../src/http/refusal.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { DEFAULT_SETTINGS } from '../../src/oauth/client.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import type { NewEndpoint } from '../../src/webhooks/endpoint-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';
import { makeCalendars, rowsIn } from './grant-rows.ts';

const HOUR = 3_600_000;
const URL = 'https://hook.example/in?tenant=7';
const ADDRESS = 'https://hook.example/in';

const added = (change: Partial<NewEndpoint> = {}): NewEndpoint => ({
  endpointId: 'we_1',
  clientId: 'acme',
  url: URL,
  hears: { events: true, calendars: false, connections: true, own: false },
  secret: 'whsec_first',
  createdAt: NOW,
  ...change,
});
const listener = (endpointId: string, createdAt = NOW) => added({ endpointId, createdAt });
const nameOf = ({ endpointId, clientId }: NewEndpoint) => ({ endpointId, clientId });

export function endpointStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const db = await open();
    const { endpoints, clients } = openStores(db, { sealer: createSealer(randomBytes(32)) });
    await makeCalendars(db, [NOW, NOW]);
    const other = { ...DEFAULT_SETTINGS, clientId: 'other', name: 'other', displayName: undefined };
    await clients.createClient(
      { ...other, redirectUri: 'https://other.example/cb', webhookUrl: URL, createdAt: NOW },
      'hash',
      undefined,
    );
    const limited = (endpointsPerApplication: number) =>
      openStores(db, { sealer: createSealer(randomBytes(32)), endpointsPerApplication });
    return { db, endpoints, limited };
  };
  const idsOf = (listed: readonly { endpointId: string }[]) => listed.map(({ endpointId }) => endpointId);

  describe(`EndpointStore on ${database}`, () => {
    it('an endpoint is answered as it was added, and its secret by itself', async () => {
      const { endpoints } = await prepare();
      const { secret: _, ...endpoint } = added();
      await endpoints.addEndpoint(added(), undefined);

      assert.deepEqual(await endpoints.findEndpoint('we_1'), {
        ...endpoint,
        ...{
          privateNetwork: 0,
          isFirst: false,
          state: 'active',
          pausedReason: undefined,
          pausedAt: undefined,
        },
        ...{ failures: 0, failingSince: undefined, expiresAt: undefined, waiting: 0, lastFault: undefined },
      });
      assert.deepEqual(await endpoints.secretsOf('we_1'), [{ secret: 'whsec_first' }]);
      assert.deepEqual(await endpoints.secretsOf('we_other'), []);
    });

    it('endpoints are listed of one application or of all, the first of each first, then the oldest', async () => {
      const { endpoints } = await prepare();
      await endpoints.addEndpoint(
        added({ endpointId: 'we_a', clientId: 'other', createdAt: NOW - 1 }),
        undefined,
      );
      await endpoints.addEndpoint(added({ endpointId: 'we_b', createdAt: NOW + 1 }), undefined);
      await endpoints.addEndpoint(added({ endpointId: 'we_c' }), undefined);

      assert.deepEqual(idsOf(await endpoints.listEndpoints('acme')), ['we_c', 'we_b']);
      assert.deepEqual(idsOf(await endpoints.listEndpoints(undefined)), ['we_c', 'we_b', 'we_other', 'we_a']);
      assert.deepEqual(await endpoints.listEndpoints('nobody'), []);
    });

    it('nothing is of an endpoint that is not there', async () => {
      const { endpoints } = await prepare();

      assert.equal(await endpoints.findEndpoint('we_1'), undefined);
      assert.equal(await endpoints.secretsOf('we_1'), undefined);
      assert.equal(await endpoints.changeSecrets('we_1', () => [], undefined), false);
      assert.equal(await endpoints.pauseEndpoint('we_1', NOW, undefined), false);
      assert.equal(await endpoints.resumeEndpoint('we_1', undefined), false);
      assert.equal(await endpoints.removeEndpoint('we_1', undefined), false);
      assert.equal(await endpoints.changeEndpoint('we_1', { hears: added().hears }, undefined), false);
      assert.deepEqual(await endpoints.figuresOf('we_1', 0), {
        attempts: 0,
        failures: 0,
        hours: [],
        oldestWaiting: undefined,
      });
    });

    it('one that gets another address is resumed there; that of the first endpoint stays', async () => {
      const { endpoints } = await prepare();
      await endpoints.addEndpoint(added(), undefined);
      await endpoints.pauseEndpoint('we_1', NOW, undefined);
      const hears = { events: false, calendars: true, connections: false, own: true };

      assert.equal(await endpoints.changeEndpoint('we_1', { hears }, undefined), true);
      const { state, url, hears: heard } = (await endpoints.findEndpoint('we_1')) ?? {};
      assert.deepEqual({ state, url, heard }, { state: 'paused', url: URL, heard: hears });
      await endpoints.changeEndpoint('we_1', { hears, url: 'https://new.example/in?a=1' }, undefined);
      const moved = await endpoints.findEndpoint('we_1');
      assert.equal(moved?.state, 'active');
      assert.equal(moved?.url, 'https://new.example/in?a=1');
      assert.equal(await endpoints.isElsewhere('https://new.example/in', 'other'), true);
      await endpoints.changeEndpoint('we_other', { hears, url: 'https://new.example/other' }, undefined);
      assert.equal((await endpoints.findEndpoint('we_other'))?.url, URL);
    });

    it('the figures of an endpoint say since when its oldest delivery waits', async () => {
      const { db, endpoints } = await prepare();
      await endpoints.addEndpoint(added(), undefined);
      const rows = [
        ['dead', 10, 4],
        ['pending', 2, 5],
        ['pending', 0, 6],
        ['withheld', 0, 3],
        ['delivered', 1, -9],
      ] as const;
      for (const [index, [state, attempts, at]] of rows.entries())
        await db.write(
          `INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, provider, sequence, change_type,
             event_count, shows, body, state, attempts, next_at, created_at)
           VALUES (:id, 'we_1', 'acme', 'ada', 'google', 1, 'updated', 1, 'events', '', :state, :attempts, 1, :at)
           RETURNING message_id`,
          { id: `m${index}`, state, attempts, at: NOW + at },
        );

      assert.equal((await endpoints.figuresOf('we_1', NOW)).oldestWaiting, NOW + 5);
    });

    it('of ten who change the secrets at once each sees what the one before made', async () => {
      const { endpoints } = await prepare();
      await endpoints.addEndpoint(added(), undefined);

      await tenTimes((i) =>
        endpoints.changeSecrets('we_1', (before) => [{ secret: `s${i}` }, ...before], undefined),
      );

      const secrets = (await endpoints.secretsOf('we_1')) ?? [];
      assert.deepEqual(secrets.map(({ secret }) => secret).toSorted(), [
        ...Array.from({ length: 10 }, (_, i) => `s${i}`),
        'whsec_first',
      ]);
      assert.equal(secrets.at(-1)?.secret, 'whsec_first');
    });

    it('of ten who make the first secret at once one does', async () => {
      const { endpoints } = await prepare();
      let made = 0;

      await tenTimes((i) =>
        endpoints.changeSecrets(
          'we_other',
          (before) => {
            if (before.length > 0) return before;
            made += 1;
            return [{ secret: `s${i}` }];
          },
          undefined,
        ),
      );

      assert.equal(made, 1);
      assert.equal((await endpoints.secretsOf('we_other'))?.length, 1);
    });

    it('secrets stay as they were where the change fails', async () => {
      const { endpoints } = await prepare();
      await endpoints.addEndpoint(added(), undefined);
      const change = () => {
        throw new Error('It could not be made');
      };

      await assert.rejects(endpoints.changeSecrets('we_1', change, undefined), /could not be made/);

      assert.deepEqual(await endpoints.secretsOf('we_1'), [{ secret: 'whsec_first' }]);
    });

    it('an endpoint that is paused by its operator says so, until it is resumed', async () => {
      const { db, endpoints } = await prepare();
      await endpoints.addEndpoint(added(), undefined);
      await endpoints.addEndpoint(added({ endpointId: 'we_2' }), undefined);
      await db.write(
        'UPDATE webhook_endpoint SET failures = 7, failing_since = 1, gate_at = 9 RETURNING url',
      );

      assert.equal(await endpoints.pauseEndpoint('we_1', NOW + 1, undefined), true);
      const paused = await endpoints.findEndpoint('we_1');
      assert.deepEqual(
        [paused?.state, paused?.pausedReason, paused?.pausedAt],
        ['paused', 'operator', NOW + 1],
      );
      assert.equal((await endpoints.findEndpoint('we_2'))?.state, 'active');

      assert.equal(await endpoints.resumeEndpoint('we_1', undefined), true);
      const resumed = await endpoints.findEndpoint('we_1');
      assert.deepEqual(
        [resumed?.state, resumed?.pausedReason, resumed?.pausedAt, resumed?.failures, resumed?.failingSince],
        ['active', undefined, undefined, 0, undefined],
      );
      assert.equal((await endpoints.findEndpoint('we_2'))?.failures, 7);
    });

    it('resuming an endpoint makes what waits for it due at once, and leaves alone what is being worked', async () => {
      const { db, endpoints } = await prepare();
      await endpoints.addEndpoint(added(), undefined);
      await endpoints.addEndpoint(added({ endpointId: 'we_2' }), undefined);
      await makeStream(db, { id: 'waits', endpointId: 'we_1', dueAt: NOW + HOUR });
      await makeStream(db, { id: 'worked', endpointId: 'we_1', dueAt: NOW + HOUR, holder: 'somebody' });
      await makeStream(db, { id: 'idle', endpointId: 'we_1', dueAt: null });
      await makeStream(db, { id: 'elsewhere', endpointId: 'we_2', dueAt: NOW + HOUR });
      assert.equal((await endpoints.findEndpoint('we_1'))?.waiting, 2);

      await endpoints.resumeEndpoint('we_1', undefined);

      const rows = await db.all<{ id: string; dueAt: number | undefined }>(
        'SELECT stream_id AS "id", due_at AS "dueAt" FROM webhook_stream',
      );
      assert.deepEqual(Object.fromEntries(rows.map(({ id, dueAt }) => [id, dueAt])), {
        waits: 0,
        worked: NOW + HOUR,
        idle: undefined,
        elsewhere: NOW + HOUR,
      });
    });

    it('an endpoint is removed once, with what waits for it; that of the webhook URL is not', async () => {
      const { db, endpoints } = await prepare();
      await endpoints.addEndpoint(added(), undefined);
      await makeStream(db, { id: 'waits', endpointId: 'we_1', dueAt: 0 });

      const removed = await tenTimes(() => endpoints.removeEndpoint('we_1', undefined));

      assert.equal(removed.filter(Boolean).length, 1);
      assert.equal(await rowsIn(db, 'webhook_stream'), 0);
      assert.equal(await endpoints.removeEndpoint('we_other', undefined), false);
      assert.deepEqual(idsOf(await endpoints.listEndpoints(undefined)), ['we_other']);
    });

    it('an address is elsewhere if an endpoint of another application has it, in any spelling', async () => {
      const { endpoints } = await prepare();

      for (const url of [URL, ADDRESS, `${ADDRESS}/`, ADDRESS.toUpperCase(), `${ADDRESS}?another=query`])
        assert.equal(await endpoints.isElsewhere(url, 'acme'), true, url);
      assert.equal(await endpoints.isElsewhere(ADDRESS, 'other'), false);
      assert.equal(await endpoints.isElsewhere(`${ADDRESS}/more`, 'acme'), false);
    });

    it('an address is elsewhere because of endpoints alone, not of listeners', async () => {
      const { endpoints } = await prepare();
      await endpoints.addListener(added({ endpointId: 'we_l', url: `${ADDRESS}/listener` }), NOW + 1, 5);

      assert.equal(await endpoints.isElsewhere(`${ADDRESS}/listener`, 'other'), false);
    });

    it('of ten listeners that are added at once as many are as an application may have', async () => {
      const { endpoints } = await prepare();

      const answers = await tenTimes((i) => endpoints.addListener(listener(`we_${i}`), NOW + HOUR, 3));

      assert.equal(answers.filter(Boolean).length, 3);
      assert.equal((await endpoints.listEndpoints('acme')).length, 3);
    });

    it('a listener that has ended, another application’s and an endpoint take no room of listeners', async () => {
      const { endpoints } = await prepare();
      await endpoints.addListener(listener('we_ended', NOW - HOUR), NOW, 1);
      await endpoints.addListener(added({ endpointId: 'we_theirs', clientId: 'other' }), NOW + HOUR, 1);
      await endpoints.addEndpoint(added(), undefined);

      assert.equal(await endpoints.addListener(listener('we_2'), NOW + HOUR, 1), true);
      assert.equal(await endpoints.addListener(listener('we_3'), NOW + HOUR, 1), false);
      assert.equal((await endpoints.findEndpoint('we_2'))?.expiresAt, NOW + HOUR);
    });

    it('a listener lives on when its own application asks in time', async () => {
      const { endpoints } = await prepare();
      const name = nameOf(listener('we_2'));
      await endpoints.addListener(listener('we_2'), NOW + HOUR, 1);
      await endpoints.addEndpoint(added(), undefined);

      assert.equal(await endpoints.renewListener({ ...name, clientId: 'other' }, NOW + 9 * HOUR, NOW), false);
      assert.equal(await endpoints.renewListener(nameOf(added()), NOW + 9 * HOUR, NOW), false);
      assert.equal(await endpoints.renewListener(name, NOW + 2 * HOUR, NOW), true);
      assert.equal((await endpoints.findEndpoint('we_2'))?.expiresAt, NOW + 2 * HOUR);
      assert.equal(await endpoints.renewListener(name, NOW + 9 * HOUR, NOW + 2 * HOUR), false);
      assert.equal((await endpoints.findEndpoint('we_1'))?.expiresAt, undefined);
    });

    it('a listener is removed once, by its own application', async () => {
      const { endpoints } = await prepare();
      const name = nameOf(listener('we_2'));
      await endpoints.addListener(listener('we_2'), NOW + HOUR, 1);
      await endpoints.addEndpoint(added(), undefined);

      assert.equal(await endpoints.removeListener({ ...name, clientId: 'other' }), false);
      assert.equal(await endpoints.removeListener(nameOf(added())), false, 'it is no listener');
      const removed = await tenTimes(() => endpoints.removeListener(name));

      assert.equal(removed.filter(Boolean).length, 1);
      assert.deepEqual(idsOf(await endpoints.listEndpoints('acme')), ['we_1']);
    });

    it('of ten calls that race to add endpoints, those up to the limit succeed, whatever listeners there are', async () => {
      const { limited } = await prepare();
      const { endpoints, clients } = limited(3);
      await clients.updateClient('acme', { webhookUrl: URL }, { now: NOW, by: undefined });
      await endpoints.addListener(listener('we_listener'), NOW + HOUR, 9);

      const outcomes = await tenTimes((i) =>
        codeOf(endpoints.addEndpoint(added({ endpointId: `we_${i}` }), undefined)),
      );

      assert.equal(outcomes.filter((code) => code === 'too_many_endpoints').length, 8);
      assert.equal((await endpoints.listEndpoints('acme')).length, 4);
      await endpoints.addListener(listener('we_another'), NOW + HOUR, 9);
    });

    it('a webhook URL is an endpoint too: a further one above the limit is refused, and the application stays', async () => {
      const { limited } = await prepare();
      await limited(9).endpoints.addEndpoint(added(), undefined);
      const { clients } = limited(1);

      const refused = clients.updateClient(
        'acme',
        { webhookUrl: URL, name: 'New' },
        { now: NOW, by: undefined },
      );

      assert.equal(await codeOf(refused), 'too_many_endpoints');
      assert.notEqual((await clients.findClient('acme'))?.name, 'New');
    });

    it('existing endpoints above a lowered limit stay, and their addresses can be changed', async () => {
      const { limited } = await prepare();
      await limited(9).endpoints.addEndpoint(added({ clientId: 'other' }), undefined);
      const { clients, endpoints } = limited(1);

      await clients.updateClient(
        'other',
        { webhookUrl: 'https://new.example/in' },
        { now: NOW, by: undefined },
      );
      await endpoints.changeEndpoint(
        'we_1',
        { hears: added().hears, url: 'https://new.example/2' },
        undefined,
      );

      const urls = (await endpoints.listEndpoints('other')).map(({ url }) => url);
      assert.deepEqual(urls, ['https://new.example/in', 'https://new.example/2']);
    });

    it('listeners that have ended are removed, and nothing else is', async () => {
      const { endpoints } = await prepare();
      await endpoints.addListener(listener('we_2'), NOW + HOUR, 9);
      await endpoints.addListener(listener('we_3'), NOW + 2 * HOUR, 9);
      await endpoints.addEndpoint(added(), undefined);

      assert.equal(await endpoints.removeEndedListeners(NOW + HOUR + 1), 1);
      assert.equal(await endpoints.removeEndedListeners(NOW + HOUR + 1), 0);
      assert.deepEqual(idsOf(await endpoints.listEndpoints('acme')), ['we_1', 'we_3']);
    });
  });
}

/** Returns the code of the ApiError that a call fails with; `undefined` if it succeeds. */
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (reason) => (reason instanceof ApiError ? reason.body.code : reason),
  );

type Stream = {
  readonly id: string;
  readonly endpointId: string;
  readonly dueAt: number | null;
  readonly holder?: string;
};

function makeStream(db: Database, { holder = '', ...stream }: Stream) {
  return db.write(
    `INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, calendar_key, told_seq, due_at, lease_holder)
     VALUES (:id, :endpointId, 'acme', 'ada', 'c0', 0, :dueAt, NULLIF(CAST(:holder AS TEXT), ''))
     RETURNING stream_id`,
    { ...stream, holder },
  );
}
