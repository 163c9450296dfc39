/** Change notifications of the sandbox's Microsoft. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { listen } from '../../harness/loopback.ts';
import { create, openGraph, pathOf, single } from './graph.ts';
import { ADA, codeOf, type Json } from './harness.ts';

type Listener = { url: string; notifications: Json[]; posts: number; handshakes: number };

/** An endpoint as an app has one; `echo` makes of the token what the handshake answers. */
async function receiver(
  t: TestContext,
  echo: (token: string) => string = (token) => token,
): Promise<Listener> {
  const heard: Listener = { url: '', notifications: [], posts: 0, handshakes: 0 };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const token = new URL(request.url ?? '/', 'http://localhost').searchParams.get('validationToken');
    if (token !== null) {
      heard.handshakes += 1;
      response.setHeader('content-type', 'text/plain').end(echo(token));
      return;
    }
    heard.posts += 1;
    heard.notifications.push(...JSON.parse(Buffer.concat(parts).toString()).value);
    response.writeHead(202).end();
  });
  heard.url = `${await listen(server)}/push`;
  t.after(() => server.close());
  return heard;
}

const inDays = (days: number, now: number) => new Date(now + days * 86_400_000).toISOString();

async function openSubscribed(t: TestContext, extra: object = {}) {
  const opened = await openGraph(t);
  const listener = await receiver(t);
  const body = {
    changeType: 'created,updated,deleted',
    resource: `/me/calendars/${opened.calendarId}/events`,
    notificationUrl: listener.url,
    lifecycleNotificationUrl: listener.url,
    clientState: 'whispered',
    expirationDateTime: inDays(6, opened.clock.now()),
    ...extra,
  };
  const answer = await opened.graph('POST', '/subscriptions', { body });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { ...opened, listener, body, subscription: answer.body };
}

describe('Subscriptions of the Microsoft sandbox', () => {
  it('a subscription proves both addresses by a handshake', async (t) => {
    const { listener, subscription, body } = await openSubscribed(t);

    assert.equal(listener.handshakes, 2);
    assert.equal(subscription.expirationDateTime, body.expirationDateTime);
    assert.equal(subscription.clientState, 'whispered');
  });

  it('a subscription is refused for an address that does not give the token back', async (t) => {
    const { graph, calendarId, clock } = await openGraph(t);
    const deaf = await receiver(t, () => 'something else');
    const body = {
      changeType: 'updated',
      resource: `/me/calendars/${calendarId}/events`,
      notificationUrl: deaf.url,
      expirationDateTime: inDays(1, clock.now()),
    };

    const answer = await graph('POST', '/subscriptions', { body });

    assert.deepEqual([answer.status, codeOf(answer)], [400, 'ValidationError']);
    assert.deepEqual((await graph('GET', '/subscriptions')).body.value, []);
  });

  it('a subscription notifies of created, updated and deleted events, by the app and by people', async (t) => {
    const { graph, manual, sandbox, calendarId, listener, subscription } = await openSubscribed(t);
    const event = await create(graph, calendarId, single('Heard'));
    await sandbox.notificationsSettled();
    await graph('PATCH', pathOf(event), { body: { subject: 'Heard again' } });
    await sandbox.notificationsSettled();
    await manual.deleteEvent(ADA, calendarId, String(event.id));
    await sandbox.notificationsSettled();

    const [first] = listener.notifications;
    assert.deepEqual(
      listener.notifications.map(({ changeType }) => changeType),
      ['created', 'updated', 'deleted'],
    );
    assert.equal(first?.subscriptionId, subscription.id);
    assert.equal(first?.clientState, 'whispered');
    assert.equal((first?.resourceData as Json | undefined)?.id, event.id);
  });

  it('a subscription tells changes that come together in one notification', async (t) => {
    const { manual, sandbox, calendarId, listener } = await openSubscribed(t);
    const times = { dateTime: '2026-11-28T09:00:00', timeZone: 'UTC' };
    const draft = { title: 'One of many', start: times, end: times };

    await Promise.all(Array.from({ length: 5 }, () => manual.createEvent(ADA, calendarId, draft)));
    await sandbox.notificationsSettled();

    assert.deepEqual([listener.posts, listener.notifications.length], [1, 5]);
  });

  it('a subscription says nothing of other calendars, nor after its end', async (t) => {
    const { graph, manual, sandbox, clock, calendarId, listener } = await openSubscribed(t);
    const other = await manual.addCalendar(ADA, { title: 'Other', timeZone: 'UTC' });
    await create(graph, other, single('Elsewhere'));
    clock.turn(6 * 86_400_000);
    const times = { dateTime: '2026-11-28T09:00:00', timeZone: 'UTC' };
    await manual.createEvent(ADA, calendarId, { title: 'Too late', start: times, end: times });
    await sandbox.notificationsSettled();

    assert.deepEqual(listener.notifications, []);
  });

  it('a subscription is renewed up to its longest life, and ended', async (t) => {
    const { graph, sandbox, clock, subscription } = await openSubscribed(t);
    const path = `/subscriptions/${subscription.id}`;
    const renew = (days: number) =>
      graph('PATCH', path, { body: { expirationDateTime: inDays(days, clock.now()) } });

    assert.equal((await renew(6.9)).status, 200);
    assert.equal((await renew(7.1)).status, 400);
    sandbox.limitSubscriptions(4230);
    assert.equal((await renew(6)).status, 400);
    assert.equal((await graph('POST', `${path}/reauthorize`)).status, 204);
    assert.equal((await graph('DELETE', path)).status, 204);
    assert.equal((await graph('GET', path)).status, 404);
  });

  it('a subscription sends life cycle events, and no longer exists once it was removed', async (t) => {
    const { graph, manual, sandbox, listener, subscription } = await openSubscribed(t);
    for (const event of ['reauthorizationRequired', 'missed', 'subscriptionRemoved'] as const) {
      await manual.sendLifecycle(ADA, event);
      await sandbox.notificationsSettled();
    }

    assert.deepEqual(
      listener.notifications.map(({ lifecycleEvent }) => lifecycleEvent),
      ['reauthorizationRequired', 'missed', 'subscriptionRemoved'],
    );
    assert.equal((await graph('GET', `/subscriptions/${subscription.id}`)).status, 404);
  });

  it('a subscription loses and repeats notifications where a fault says so', async (t) => {
    const { graph, sandbox, faults, calendarId, listener } = await openSubscribed(t);
    const push = { provider: 'microsoft', operation: 'push', times: 1 } as const;
    faults.set({ ...push, effect: { kind: 'push_missing' } });
    await create(graph, calendarId, single('Lost'));
    await sandbox.notificationsSettled();
    const lost = listener.notifications.length;
    faults.set({ ...push, effect: { kind: 'push_duplicate' } });
    await create(graph, calendarId, single('Twice'));
    await sandbox.notificationsSettled();

    assert.deepEqual([lost, listener.notifications.length], [0, 2]);
  });

  const refusals: [rule: string, change: object][] = [
    ['another resource', { resource: '/me/messages' }],
    ['another kind of change', { changeType: 'renamed' }],
    ['a plain http address elsewhere', { notificationUrl: 'http://kalends.example/push' }],
    ['an end in the past', { expirationDateTime: '2020-01-01T00:00:00Z' }],
    ['a clientState of more than 128 characters', { clientState: 'x'.repeat(129) }],
    ['a calendar that is not there', { resource: '/me/calendars/AAMk/events' }],
  ];
  for (const [rule, change] of refusals) {
    it(`a subscription is refused for ${rule}`, async (t) => {
      const { graph, body } = await openSubscribed(t);

      const { status } = await graph('POST', '/subscriptions', { body: { ...body, ...change } });

      assert.ok(status === 400 || status === 404);
    });
  }
});
