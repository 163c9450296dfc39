import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../harness/loopback.ts';
import { ADA, type Api, apiOf, type OpenGoogle, openGoogle, signIn } from './google-client.ts';

type Push = { readonly headers: IncomingHttpHeaders; readonly body: string };

const closers: (() => void)[] = [];
after(() => {
  for (const close of closers) close();
});

/** A receiver of pushes. `status` is what it answers next; 200 once that is used up. */
async function receiver() {
  const pushes: Push[] = [];
  const statuses: number[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    pushes.push({ headers: request.headers, body });
    response.writeHead(statuses.shift() ?? 200).end();
  });
  const address = `${await listen(server)}/push`;
  closers.push(() => server.close());
  return { pushes, statuses, address };
}

/** Waits until the receiver has so many pushes, five seconds at most. */
async function received(pushes: readonly Push[], count: number): Promise<void> {
  for (let waited = 0; pushes.length < count && waited < 5000; waited += 5) await sleep(5);
  assert.ok(pushes.length >= count, `${pushes.length} of ${count} pushes came`);
}

describe('pushes of the sandbox’s Google', () => {
  let open: OpenGoogle;
  let api: Api;
  let receives: Awaited<ReturnType<typeof receiver>>;
  let channels = 0;
  const watch = (more: object = {}, path = '/calendars/primary/events/watch') => {
    channels += 1;
    const body = {
      id: `channel-${channels}`,
      type: 'web_hook',
      address: receives.address,
      token: 'secret',
      ...more,
    };
    return api.call('POST', path, { body });
  };
  const change = () =>
    open.google.manual.createEvent(ADA.email, ADA.email, {
      title: 'Event',
      start: { date: '2026-11-23' },
      end: { date: '2026-11-24' },
    });

  before(async () => {
    receives = await receiver();
  });
  beforeEach(async () => {
    open = await openGoogle();
    api = apiOf(open.google, (await signIn(open.google)).access_token);
    receives.pushes.length = 0;
  });

  it('Google’s pushes begin with a sync message and then say that something changed, with no body', async () => {
    const { body: channel } = await watch();
    await received(receives.pushes, 1);
    await change();
    await received(receives.pushes, 2);

    const [sync, exists] = receives.pushes;
    assert.equal(sync?.headers['x-goog-resource-state'], 'sync');
    assert.equal(sync?.headers['x-goog-message-number'], '1');
    assert.equal(exists?.body, '');
    assert.partialDeepStrictEqual(exists?.headers, {
      'content-length': '0',
      'x-goog-channel-id': channel.id,
      'x-goog-channel-token': 'secret',
      'x-goog-channel-expiration': new Date(Number(channel.expiration)).toUTCString(),
      'x-goog-message-number': '2',
      'x-goog-resource-id': channel.resourceId,
      'x-goog-resource-state': 'exists',
      'x-goog-resource-uri': channel.resourceUri,
    });
  });

  it('Google’s pushes come of the calendar list as well', async () => {
    await watch({}, '/users/me/calendarList/watch');
    await received(receives.pushes, 1);

    await open.google.manual.addCalendar(ADA.email, { title: 'New', timeZone: 'UTC' });

    await received(receives.pushes, 2);
  });

  it('Google’s pushes last for the time asked for, seven days at most, and end with it', async () => {
    const { body: short } = await watch({ params: { ttl: '3600' } });
    const { body: long } = await watch({ params: { ttl: '999999999' } });
    await received(receives.pushes, 2);
    open.clock.turn(3_600_000);
    await change();
    await received(receives.pushes, 3);

    assert.ok(Math.abs(Number(short.expiration) - Date.now() - 3_600_000) < 60_000);
    assert.ok(Math.abs(Number(long.expiration) - Date.now() - 7 * 86_400_000) < 60_000);
    assert.equal(receives.pushes[2]?.headers['x-goog-channel-id'], long.id);
    assert.equal(receives.pushes.length, 3);
  });

  it('Google’s pushes end when the channel is stopped by its id and resource id', async () => {
    const { body: channel } = await watch();
    await received(receives.pushes, 1);
    const stop = (body: object) => api.call('POST', '/channels/stop', { body });

    const wrong = await stop({ id: channel.id, resourceId: 'other' });
    const right = await stop({ id: channel.id, resourceId: channel.resourceId });
    await change();
    await sleep(50);

    assert.deepEqual([wrong.status, right.status], [404, 204]);
    assert.equal(receives.pushes.length, 1);
  });

  it('Google’s pushes are refused for an id used before, for plain http elsewhere, and for other kinds of delivery', async () => {
    const { body: channel } = await watch();
    await received(receives.pushes, 1);

    const answers = [
      await watch({ id: channel.id }),
      await watch({ address: 'http://example.com/push' }),
      await watch({ address: 'nowhere' }),
      await watch({ type: 'email' }),
      await watch({ id: 'a b' }),
      await watch({ token: 5 }),
    ];

    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 400),
    );
    assert.equal(answers[0]?.body.error.errors[0].reason, 'channelIdNotUnique');
  });

  it('Google’s pushes are sent again while the receiver is out of order', async () => {
    await watch();
    await received(receives.pushes, 1);
    receives.statuses.push(503, 500);

    await change();

    await received(receives.pushes, 4);
    const numbers = receives.pushes.slice(1).map(({ headers }) => headers['x-goog-message-number']);
    assert.deepEqual(numbers, ['2', '2', '2']);
  });

  it('Google’s pushes are left out or come twice where a fault asks for it', async () => {
    await watch();
    await received(receives.pushes, 1);
    const setFault = (kind: 'push_missing' | 'push_duplicate') =>
      open.faults.set({ provider: 'google', operation: 'push', times: 1, effect: { kind } });
    setFault('push_missing');
    await change();
    setFault('push_duplicate');
    await change();
    await received(receives.pushes, 3);
    await sleep(50);

    assert.equal(receives.pushes.length, 3);
  });
});
