/** Deliveries of changes to an endpoint (docs/webhooks.md), from the mirror to an independent verifier. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { Webhook } from 'standardwebhooks';

import { verifyWebhook } from '../../packages/client/src/webhook-verification.ts';
import { sealSecrets } from '../../src/store/webhooks/webhook-sealing.ts';
import { newEndpointSecret } from '../../src/webhooks/endpoint-secret.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { get, link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';

const zone = 'Europe/Paris';
const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00`;

onEachDatabase((database, open) => {
  describe(`deliveries of changes, on ${database}`, () => {
    let telling: DeliveryServer;
    beforeEach(async () => {
      telling = await openDeliveryServer({ db: await open() });
      telling.server.provider.addCalendar(calendar('/work/'));
      telling.server.provider.put('/work/', resource('a', event(at(9))), resource('b', event(at(11))));
      await link(telling.server);
      await telling.server.token('read');
    });
    afterEach(() => telling.close());

    const bodies = () => telling.receiver.received.map(({ body }) => body);
    const begin = async () => {
      await telling.sync();
      await telling.deliver();
      telling.receiver.received.length = 0;
    };

    it('tells the first sync of a calendar as one message without events, and how many there are', async () => {
      await telling.sync();
      await telling.deliver();

      assert.equal(bodies().length, 1);
      const [body] = bodies();
      assert.deepEqual(body?.events, []);
      assert.equal(body?.changeType, 'created');
      assert.equal(body?.calendarId, '/work/');
      assert.equal(body?.userId, 'ada');
      assert.equal(body?.provider, 'caldav');
      assert.equal(body?.metadata.isInitialSync, true);
      assert.equal(body?.metadata.eventCount, 2);
      assert.equal(body?.metadata.sequence, 1);
      assert.equal(body?.metadata.clientId, 'acme');
    });

    it('tells what was created, updated and deleted, each as it is now, and which fields changed', async () => {
      await begin();
      telling.server.provider.put(
        '/work/',
        resource('a', event(at(10), { title: 'Moved' })),
        resource('c', event(at(15), { title: 'New' })),
      );
      telling.server.provider.remove('/work/', '/b.ics');
      await telling.sync();
      await telling.deliver();

      const events = bodies().flatMap((body) => body.events);
      const byId = new Map(events.map((one) => [one.id, one]));
      assert.deepEqual([...byId].map(([id, { changeType }]) => `${id} ${changeType}`).sort(), [
        'a updated',
        'b deleted',
        'c created',
      ]);
      assert.deepEqual([...((byId.get('a')?.changedFields ?? []) as string[])].sort(), [
        'end',
        'start',
        'title',
      ]);
      assert.equal(byId.get('a')?.title, 'Moved');
      assert.equal(byId.get('b')?.start, '2026-11-20T10:00:00.000Z');
      assert.equal(byId.get('b')?.calendarId, '/work/');
      assert.equal(byId.get('c')?.title, 'New');
      assert.ok(!('original' in (byId.get('a') ?? {})));
      assert.equal(bodies()[0]?.changeType, 'mixed');
      assert.deepEqual(
        bodies().map(({ metadata }) => metadata.sequence),
        [2],
      );
    });

    it('half a surrogate pair from a provider is U+FFFD in deliveries and responses', async () => {
      await begin();
      const original = { subject: 'Party \ud83d' };
      const custom = { 'a\udc00': '\ud83d' };
      const party = event(at(15), { title: original.subject, custom });
      telling.server.provider.addCalendar(calendar('/home/', { title: 'Home \ud83d', original }));
      telling.server.provider.put('/work/', { ...resource('c', party), original });
      telling.server.clock.now += 600_000;
      await telling.sync();
      await telling.deliver();
      const token = await telling.server.token('read');
      const events = await get(telling.server, '/events', token);
      const calendars = await get(telling.server, '/calendars', token);

      const delivered = bodies().flatMap((body) => body.events);
      assert.ok(delivered.some(({ title }) => title === 'Party \ufffd'));
      const listed = events.json().events.find(({ id }: { id: string }) => id === 'c');
      assert.deepEqual(listed.original, { subject: 'Party \ufffd' });
      assert.deepEqual(listed.custom, { 'a\ufffd': '\ufffd' });
      const home = calendars.json().find(({ id }: { id: string }) => id === '/home/');
      assert.deepEqual([home.title, home.original.subject], ['Home \ufffd', 'Party \ufffd']);
    });

    it('reports an event that was deleted, recreated and deleted again meanwhile as deleted', async () => {
      await begin();
      telling.server.provider.remove('/work/', '/b.ics');
      await telling.sync();
      telling.server.provider.put('/work/', resource('b', event(at(15))), resource('c', event(at(15))));
      await telling.sync();
      telling.server.provider.remove('/work/', '/b.ics');
      telling.server.provider.remove('/work/', '/c.ics');
      await telling.sync();
      await telling.deliver();

      const events = bodies().flatMap((body) => body.events);
      assert.deepEqual(
        events.map(({ id, changeType }) => `${id} ${changeType}`),
        ['b deleted'],
      );
    });

    it('is verified by the published client and by Standard Webhooks, by one line of signatures', async () => {
      const { db } = telling.server;
      const secret = newEndpointSecret();
      const secrets = sealSecrets('we_acme', [{ secret }], telling.sealer);
      await db.write(
        'UPDATE webhook_endpoint SET secrets = :secrets WHERE endpoint_id = :id RETURNING endpoint_id',
        { secrets, id: 'we_acme' },
      );
      await telling.sync();
      telling.server.clock.now = Date.now();
      await telling.deliver();
      const [delivery] = telling.receiver.received;
      assert.ok(delivery !== undefined);

      const headers = Object.fromEntries(
        Object.entries(delivery.headers).map(([name, value]) => [name, String(value)]),
      );
      const verified = await verifyWebhook(
        { headers, body: delivery.raw },
        { keys: telling.deps.webhookSigner.published(), clientId: 'acme' },
      );

      assert.deepEqual(verified, delivery.body);
      assert.deepEqual(new Webhook(secret).verify(delivery.raw, headers), delivery.body);
      assert.throws(() => new Webhook(newEndpointSecret()).verify(delivery.raw, headers));
      assert.match(headers['webhook-signature'] ?? '', /^v1a,\S+ v1,\S+$/);
      assert.match(headers['webhook-id'] ?? '', /^msg_[0-9a-f-]{36}$/);
    });

    it('tells a series as one item with its overrides', async () => {
      await begin();
      const recurrence = { rrules: ['FREQ=WEEKLY;COUNT=9'], rdates: [], exdates: [] };
      const recurrenceId = { type: 'zoned', local: '2026-11-27T09:00:00', zone } as const;
      telling.server.provider.put(
        '/work/',
        resource('s', event(at(9), { recurrence }), event('2026-11-27T12:00:00', { recurrenceId })),
      );
      await telling.sync();
      await telling.deliver();

      const [series] = bodies()[0]?.events ?? [];
      assert.equal(series?.id, 's');
      assert.equal(series?.changeType, 'created');
      assert.ok(Array.isArray(series?.overrides) && series.overrides.length === 1);
      assert.equal(series?.start, '2026-11-20T08:00:00.000Z');
    });

    it('sends 120 changes of one sync as messages in order, none of them twice', async () => {
      await begin();
      const many = Array.from({ length: 120 }, (_, index) => resource(`n${index}`, event(at(9))));
      telling.server.provider.put('/work/', ...many);
      await telling.sync();
      await telling.deliver();

      const ids = bodies().flatMap(({ events }) => events.map(({ id }) => id));
      assert.equal(ids.length, 120);
      assert.equal(new Set(ids).size, 120);
      assert.ok(bodies().every(({ events }) => events.length <= 50));
      const numbers = bodies().map(({ metadata }) => metadata.sequence);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 2),
      );
    });

    it('keeps a failed message and its id, tells later changes behind it, and coalesces them', async () => {
      await begin();
      const statuses = [500, 503];
      telling.receiver.answer = () => ({ status: statuses.shift() ?? 204 });
      const put = async (title: string) => {
        telling.server.provider.put('/work/', resource('a', event(at(9), { title })));
        await telling.sync();
        await telling.deliver();
      };
      await put('one');
      await put('two');
      await put('three');
      telling.server.clock.now += 6 * 60_000;
      await telling.deliver();

      const told = telling.receiver.received.map(({ headers, body }) => ({
        id: headers['webhook-id'],
        title: body.events[0]?.title,
        sequence: body.metadata.sequence,
      }));
      assert.deepEqual(
        told.map(({ title }) => title),
        ['one', 'one', 'one', 'three'],
      );
      assert.equal(new Set(told.slice(0, 3).map(({ id }) => id)).size, 1);
      assert.deepEqual(
        told.map(({ sequence }) => sequence),
        [2, 2, 2, 3],
      );
    });

    it('signs each attempt separately', async () => {
      await begin();
      const statuses = [500];
      telling.receiver.answer = () => ({ status: statuses.shift() ?? 204 });
      telling.server.provider.put('/work/', resource('a', event(at(12))));
      await telling.sync();
      await telling.deliver();
      telling.server.clock.now += 60_000;
      await telling.deliver();

      const [first, second] = telling.receiver.received;
      assert.equal(first?.raw, second?.raw);
      assert.equal(
        Number(second?.headers['webhook-timestamp']) - Number(first?.headers['webhook-timestamp']),
        60,
      );
      assert.notEqual(first?.headers['webhook-signature'], second?.headers['webhook-signature']);
    });

    it("does not tell the application's own writes, unless the endpoint wants them", async () => {
      await begin();
      const token = await telling.server.token('read-write');
      const create = (title: string) =>
        telling.server.app.inject({
          method: 'POST',
          url: '/event',
          headers: { authorization: `Bearer ${token}` },
          payload: {
            provider: 'caldav',
            calendarId: '/work/',
            title,
            start: '2026-11-22T09:00:00Z',
            end: '2026-11-22T10:00:00Z',
          },
        });
      assert.equal((await create('Own')).statusCode, 200);
      await telling.sync();
      await telling.deliver();
      assert.deepEqual(bodies(), []);

      await telling.server.db.write(
        'UPDATE webhook_endpoint SET hears_own = 1 WHERE endpoint_id = :id RETURNING endpoint_id',
        { id: 'we_acme' },
      );
      assert.equal((await create('Heard')).statusCode, 200);
      await telling.deliver();

      const events = bodies().flatMap((body) => body.events);
      assert.deepEqual(
        events.map(({ title, own, changeType }) => ({ title, own, changeType })),
        [{ title: 'Heard', own: true, changeType: 'created' }],
      );
    });

    it('tells what somebody else changed although the application wrote after', async () => {
      await begin();
      telling.server.provider.put('/work/', resource('a', event(at(9), { title: 'Theirs' })));
      await telling.sync();
      const token = await telling.server.token('read-write');
      const answer = await telling.server.app.inject({
        method: 'PUT',
        url: '/event',
        headers: { authorization: `Bearer ${token}` },
        payload: { provider: 'caldav', calendarId: '/work/', eventId: 'a', location: 'Here' },
      });
      assert.equal(answer.statusCode, 200, answer.body);
      await telling.deliver();

      const [told] = bodies()[0]?.events ?? [];
      assert.equal(told?.title, 'Theirs');
      assert.equal(told?.location, 'Here');
      assert.equal(told?.own, undefined);
    });
  });
});
