/** Listeners: what those get who cannot be called, as `kalends listen` asks for it. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { Webhook } from 'standardwebhooks';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';

type Handed = { readonly headers: Record<string, string>; readonly body: string };
type Call = { readonly payload?: object; readonly as?: string; readonly method?: 'GET' | 'POST' | 'DELETE' };

const MINUTE = 60_000;

onEachDatabase((database, open) => {
  describe(`listeners, on ${database}`, () => {
    let telling: DeliveryServer;
    beforeEach(async () => {
      telling = await openDeliveryServer({ db: await open() });
      for (const href of ['/work/', '/home/']) {
        telling.server.provider.addCalendar(calendar(href));
        telling.server.provider.put(href, resource('a', event('2026-11-20T09:00:00')));
      }
      await link(telling.server);
      await telling.server.token('read');
      await telling.sync();
      await telling.deliver();
      telling.receiver.received.length = 0;
    });
    afterEach(() => telling.close());

    const ask = async (url: string, { payload, as = 'acme', method = 'GET' }: Call = {}) => {
      const answer = await telling.server.app.inject({
        method,
        url,
        headers: { authorization: `Basic ${Buffer.from(`${as}:${as}`).toString('base64')}` },
        ...(payload && { payload }),
      });
      return { status: answer.statusCode, ...answer.json() };
    };
    const listen = (payload: object = {}) => ask('/webhooks/listeners', { method: 'POST', payload });
    const handed = async (id: string, query = ''): Promise<Handed[]> => {
      await telling.deps.streams.scheduleChanged(telling.server.clock.now);
      return (await ask(`/webhooks/listeners/${id}/deliveries${query}`)).deliveries;
    };
    const change = async (title: string, href = '/work/') => {
      telling.server.provider.put(href, resource('a', event('2026-11-20T09:00:00', { title })));
      await telling.sync();
    };
    const titles = (deliveries: readonly Handed[]) =>
      deliveries.flatMap(({ body }) => JSON.parse(body).events.map(({ title }: { title: string }) => title));

    it('gets what changes from now on, once, signed with its own secret, beside the webhook URL', async () => {
      await change('before');
      await telling.deliver();
      const { id, secret } = await listen();
      assert.deepEqual(await handed(id), []);
      await change('after');

      const deliveries = await handed(id);
      await telling.deliver();

      assert.deepEqual(titles(deliveries), ['after']);
      assert.ok(deliveries[0]);
      const { headers, body } = deliveries[0];
      const signed = { ...headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000)) };
      const verifier = new Webhook(secret);
      assert.throws(() => verifier.verify(body, signed), 'a timestamp of another time');
      assert.match(headers['webhook-signature'] ?? '', /^v1a,\S+ v1,\S+$/);
      assert.equal(
        verifier.sign(headers['webhook-id'] ?? '', new Date(telling.server.clock.now), body),
        headers['webhook-signature']?.split(' ')[1],
      );
      assert.deepEqual(await handed(id), []);
      assert.deepEqual(
        titles(telling.receiver.received.map(({ body }) => ({ headers: {}, body: JSON.stringify(body) }))),
        ['before', 'after'],
      );
    });

    it('a worker sends nothing to it, and it has the order of a calendar', async () => {
      const { id } = await listen();
      await change('one');
      await telling.deliver();
      await change('two', '/home/');
      const first = await handed(id);
      await change('three');
      const second = await handed(id);

      assert.deepEqual(titles(first).sort(), ['one', 'two']);
      assert.deepEqual(titles(second), ['three']);
      const sequences = [...first, ...second]
        .map(({ body }) => JSON.parse(body))
        .filter(({ calendarId }) => calendarId === '/work/')
        .map(({ metadata }) => metadata.sequence);
      assert.deepEqual(sequences, [1, 2]);
    });

    it('receives nothing once no grant lets its application see it, and nothing of another application', async () => {
      const { id } = await listen();
      const other = await ask('/webhooks/listeners', { method: 'POST', as: 'other' });
      await change('seen');
      assert.deepEqual(titles(await handed(id)), ['seen']);
      await telling.server.deps.families.endGrantsOf('acme', 'ada', {
        now: telling.server.clock.now,
        by: undefined,
      });
      await change('hidden');

      assert.deepEqual(await handed(id), []);
      assert.deepEqual(
        (await ask(`/webhooks/listeners/${other.id}/deliveries`, { as: 'other' })).deliveries,
        [],
      );
    });

    it('waits for as long as it says, and answers as soon as there is something', async () => {
      const { id } = await listen();
      const waiting = handed(id, '?wait=25');
      await change('soon');
      await telling.deps.streams.scheduleChanged(telling.server.clock.now);

      assert.deepEqual(titles(await waiting), ['soon']);
    });

    it('ends three minutes after it asked last, and is forgotten', async () => {
      const { id } = await listen();
      for (let minutes = 0; minutes < 6; minutes += 2) {
        telling.server.clock.now += 2 * MINUTE;
        assert.deepEqual(await handed(id), []);
      }
      telling.server.clock.now += 3 * MINUTE;
      const late = await ask(`/webhooks/listeners/${id}/deliveries`);

      assert.equal(late.status, 404);
      assert.equal(late.code, 'listener_not_found');
      assert.equal(await telling.deps.endpoints.removeEndedListeners(telling.server.clock.now + 1), 1);
      assert.equal(await telling.deps.endpoints.findEndpoint(id), undefined);
    });

    it('belongs to its application alone, and ends on request', async () => {
      const { id } = await listen();
      const path = `/webhooks/listeners/${id}`;

      assert.equal((await ask(`${path}/deliveries`, { as: 'other' })).status, 404);
      assert.equal((await ask(path, { as: 'other', method: 'DELETE' })).status, 404);
      assert.equal((await ask('/webhooks/listeners/we_acme/deliveries')).status, 404);
      assert.equal((await ask('/webhooks/listeners/we_acme', { method: 'DELETE' })).status, 404);
      assert.deepEqual(await ask(path, { method: 'DELETE' }), { status: 200, success: true });
      assert.equal((await ask(path, { method: 'DELETE' })).status, 404);
    });

    it('there are five of an application at most', async () => {
      for (let count = 0; count < 5; count += 1) assert.equal((await listen()).status, 200);
      const sixth = await listen();

      assert.equal(sixth.status, 429);
      assert.equal(sixth.code, 'too_many_listeners');
      telling.server.clock.now += 4 * MINUTE;
      assert.equal((await listen()).status, 200);
    });

    it('takes a secret of the caller’s, and refuses what is none', async () => {
      const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

      assert.equal((await listen({ secret })).secret, secret);
      const bad = await listen({ secret: 'whsec_short', hears: ['everything'], own: 'yes' });
      assert.equal(bad.status, 400);
      assert.deepEqual(Object.keys(bad.details).sort(), ['hears', 'own', 'secret']);
      const { id } = await listen();
      for (const wait of ['26', '-1', 'long'])
        assert.equal((await ask(`/webhooks/listeners/${id}/deliveries?wait=${wait}`)).status, 400);
    });
  });
});
