/** POST /subscribe-webhook, /unsubscribe-webhook and GET /subscriptions (docs/wire.md 1.12). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { get, link } from '../harness/calendar-server.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';

describe('webhook subscriptions', () => {
  let telling: DeliveryServer;
  let token: string;
  beforeEach(async () => {
    telling = await openDeliveryServer();
    for (const href of ['/work/', '/home/']) {
      telling.server.provider.addCalendar(calendar(href));
      telling.server.provider.put(href, resource(`${href}a`, event('2026-11-20T09:00:00')));
    }
    await link(telling.server);
    token = await telling.server.token('free-busy');
    await telling.server.token('read');
    await telling.sync();
    await telling.deliver();
    telling.receiver.received.length = 0;
  });
  afterEach(() => telling.close());

  const post = async (url: string, payload: unknown, bearer = token) => {
    const answer = await telling.server.app.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    });
    return { status: answer.statusCode, ...answer.json() };
  };
  const work = { provider: 'caldav', calendarId: '/work/' };
  const subscribe = (change: object = {}) => post('/api/subscribe-webhook', { ...work, ...change });
  const unsubscribe = (channelId: string) =>
    post('/unsubscribe-webhook', { provider: 'caldav', channelId, resourceId: 'any' });
  const listed = async () =>
    (await get(telling.server, '/subscriptions', token)).json().subscriptions as {
      calendarId: string;
      channelId: string;
    }[];
  const change = async (title: string) => {
    telling.server.provider.put('/work/', resource('/work/a', event('2026-11-20T09:00:00', { title })));
    await telling.sync();
    await telling.deliver();
  };

  for (const url of [
    '/subscribe-webhook',
    '/webhooks/subscribe',
    '/api/subscribe-webhook',
    '/api/webhooks/subscribe',
  ]) {
    it(`answers what every published client reads at ${url}`, async () => {
      const expiration = telling.server.clock.now + 86_400_000;
      const answer = await post(url, { ...work, channelId: 'mine', expiration });

      assert.deepEqual(answer, {
        status: 200,
        success: true,
        provider: 'caldav',
        subscription: { channelId: 'mine', expiration: new Date(expiration).toISOString() },
        serverWebhookUrl: 'https://kalends.example/api/webhook-receiver/caldav',
        channelId: 'mine',
      });
    });
  }

  it('deliveries carry the chosen channel id, or a generated one that never changes', async () => {
    await change('before');
    const before = telling.receiver.received[0]?.body.metadata.channelId;
    const [{ channelId } = { channelId: '' }] = (await listed()).filter(
      ({ calendarId }) => calendarId === '/work/',
    );
    assert.equal(before, channelId);

    await subscribe({ channelId: 'mine' });
    await change('after');

    assert.equal(telling.receiver.received[1]?.body.metadata.channelId, 'mine');
    assert.equal(telling.receiver.received[1]?.body.metadata.isInitialSync, false);
  });

  it('sends nothing of an unsubscribed calendar, not even what waited, and restarts when resubscribed', async () => {
    await subscribe({ channelId: 'mine' });
    telling.receiver.answer = () => ({ status: 500 });
    await change('waits');
    telling.receiver.answer = () => ({ status: 204 });
    assert.equal((await unsubscribe('mine')).success, true);
    telling.receiver.received.length = 0;
    telling.server.clock.now += 20 * 60_000;
    await change('unheard');
    assert.equal(telling.receiver.received.length, 0);
    assert.deepEqual(
      (await listed()).map(({ calendarId }) => calendarId),
      ['/home/'],
    );

    await subscribe();
    await telling.deliver();
    await change('heard');

    const [first, second] = telling.receiver.received.map(({ body }) => body);
    assert.equal(first?.metadata.isInitialSync, true);
    assert.equal(first?.metadata.eventCount, 1);
    assert.equal(second?.events[0]?.title, 'heard');
  });

  it('a generated channel id ends its calendar as well, and an unknown one is a success', async () => {
    const [{ channelId } = { channelId: '' }] = await listed();
    assert.deepEqual(await unsubscribe('never was'), {
      status: 200,
      success: true,
      message: 'The subscription does not exist',
    });
    assert.equal((await listed()).length, 2);
    assert.equal((await unsubscribe(channelId)).success, true);

    assert.equal((await listed()).length, 1);
  });

  it('refuses a channel id that another calendar has, chosen or ours', async () => {
    await subscribe({ channelId: 'mine' });
    const home = { calendarId: '/home/' };
    const ofWork = (await listed()).find(({ calendarId }) => calendarId === '/home/')?.channelId;
    const chosen = await subscribe({ ...home, channelId: 'mine' });
    const ours = await subscribe({ channelId: ofWork });

    for (const answer of [chosen, ours]) {
      assert.equal(answer.status, 400);
      assert.match(answer.details.channelId[0], /already the channel of another calendar/);
    }
    assert.equal((await subscribe({ channelId: 'mine' })).status, 200);
  });

  it('primary is the main calendar, as in examples of old', async () => {
    telling.server.provider.addCalendar({ ...calendar('/work/'), primary: true });
    await telling.sync();

    assert.equal((await subscribe({ calendarId: 'primary' })).status, 200);
  });

  const bad: [string, unknown, string][] = [
    ['no provider', { calendarId: '/work/' }, 'provider'],
    ['an unknown provider', { provider: 'yahoo', calendarId: '/work/' }, 'provider'],
    ['no calendar', { provider: 'caldav' }, 'calendarId'],
    ['a calendar that is no text', { provider: 'caldav', calendarId: {} }, 'calendarId'],
    ['a channel id that is too long', { ...work, channelId: 'x'.repeat(257) }, 'channelId'],
    ['a channel id with control characters', { ...work, channelId: 'a\u0000b' }, 'channelId'],
    ['a channel id that is a list', { ...work, channelId: ['a'] }, 'channelId'],
    ['an expiration that has passed', { ...work, expiration: 1 }, 'expiration'],
    ['an expiration that is no number', { ...work, expiration: 'soon' }, 'expiration'],
    ['an expiration beyond all years', { ...work, expiration: 1e300 }, 'expiration'],
    ['a list', [work], 'body'],
  ];
  for (const [what, body, field] of bad) {
    it(`400 for ${what}`, async () => {
      const answer = await post('/subscribe-webhook', body);

      assert.equal(answer.status, 400);
      assert.equal(typeof answer.message, 'string');
      assert.ok(Array.isArray(answer.details[field]), JSON.stringify(answer));
    });
  }

  it('404 for a calendar of nobody, of another user, and of a group that the grant does not cover', async () => {
    await link(telling.server, { userId: 'ben', accountId: 'https://dav.example/ben/' });
    const ben = await telling.server.token('read', 'ben');
    const others = await telling.server.tokenOf({ covers: {} });

    assert.equal((await subscribe({ calendarId: '/nobody/' })).status, 404);
    assert.equal(
      (await post('/subscribe-webhook', { ...work, account: 'https://dav.example/ada/' }, ben)).status,
      404,
    );
    assert.equal((await post('/subscribe-webhook', work, others)).status, 404);
  });

  it('403 where the account was connected without its calendars', async () => {
    await telling.server.db.write('UPDATE account SET calendar_permission = 0 RETURNING account_key');

    const answer = await subscribe();

    assert.equal(answer.status, 403);
    assert.equal(answer.code, 'calendar_permission_required');
  });

  it('400 for an application without a webhook URL, and it lists nothing', async () => {
    await telling.server.deps.clients.updateClient(
      'acme',
      { webhookUrl: null },
      { now: telling.server.clock.now, by: undefined },
    );

    const answer = await subscribe();

    assert.equal(answer.status, 400);
    assert.equal(answer.code, 'webhook_url_required');
    assert.deepEqual(await listed(), []);
  });

  it('401 without a token, before anything is said about the body', async () => {
    const answer = await telling.server.app.inject({
      method: 'POST',
      url: '/subscribe-webhook',
      payload: '{',
    });

    assert.equal(answer.statusCode, 401);
  });
});
