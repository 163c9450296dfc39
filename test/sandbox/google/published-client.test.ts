/** Google's own client makes and stops channels at the sandbox's Google. */
import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { auth, calendar, type calendar_v3 } from '@googleapis/calendar';

import { close, listen } from '../../harness/loopback.ts';
import { ADA, calendarScope, type OpenGoogle, openGoogle, READ_WRITE, signIn } from './google-client.ts';

const DAY = 86_400_000;

describe('Google’s published client at the sandbox’s Google', () => {
  const pushes: IncomingHttpHeaders[] = [];
  const receiver = createServer((request, response) => {
    pushes.push(request.headers);
    request.resume().on('end', () => response.writeHead(200).end());
  });
  let address: string;
  let open: OpenGoogle;
  let client: calendar_v3.Calendar;
  before(async () => {
    address = `${await listen(receiver)}/push`;
  });
  after(() => close(receiver));
  beforeEach(async () => {
    pushes.length = 0;
    open = await openGoogle();
    const scope = `${READ_WRITE} ${calendarScope('calendars')}`;
    const credentials = { access_token: (await signIn(open.google, { scope })).access_token };
    const oauth = new auth.OAuth2();
    oauth.setCredentials(credentials);
    client = calendar({ version: 'v3', auth: oauth, rootUrl: `${new URL(open.google.apiUrl).origin}/` });
  });

  const received = async (count: number): Promise<IncomingHttpHeaders[]> => {
    for (let waited = 0; pushes.length < count && waited < 5000; waited += 5) await sleep(5);
    assert.equal(pushes.length, count);
    return pushes;
  };
  const change = (title: string) =>
    client.events.insert({
      calendarId: 'primary',
      requestBody: { summary: title, start: { date: '2026-11-23' }, end: { date: '2026-11-24' } },
    });
  const channel = (id: string) => ({ id, type: 'web_hook', address, token: `token of ${id}` });
  const isRefused =
    (status: number, reason: string) =>
    (error: unknown): boolean => {
      assert.ok(error instanceof Error && 'status' in error && 'response' in error);
      const { errors } = Object(error.response).data.error;
      assert.deepEqual([error.status, errors[0].reason], [status, reason]);
      return true;
    };

  it('the published client watches the events of a calendar until it stops the channel', async () => {
    const expiration = String(Date.now() + DAY);
    const { data, status } = await client.events.watch({
      calendarId: 'primary',
      requestBody: { ...channel('events-1'), expiration },
    });
    const [sync] = await received(1);
    await change('Told');
    const [, exists] = await received(2);

    assert.equal(status, 200);
    assert.deepEqual(
      [data.kind, data.id, data.token, data.expiration],
      ['api#channel', 'events-1', 'token of events-1', expiration],
    );
    for (const [push, state, number] of [
      [sync, 'sync', '1'],
      [exists, 'exists', '2'],
    ] as const)
      assert.partialDeepStrictEqual(push, {
        'x-goog-channel-id': data.id,
        'x-goog-channel-token': data.token,
        'x-goog-resource-id': data.resourceId,
        'x-goog-resource-uri': data.resourceUri,
        'x-goog-resource-state': state,
        'x-goog-message-number': number,
        'x-goog-channel-expiration': new Date(Number(expiration)).toUTCString(),
      });

    const { id, resourceId } = data;
    const stopped = await client.channels.stop({
      requestBody: { id: id ?? '', resourceId: resourceId ?? '' },
    });
    await change('Not told');
    await sleep(50);

    assert.equal(stopped.status, 204);
    assert.equal(pushes.length, 2);
  });

  it('the published client watches the list of calendars', async () => {
    const { data } = await client.calendarList.watch({ requestBody: channel('list-1') });
    await received(1);

    await client.calendars.insert({ requestBody: { summary: 'New' } });

    const [, exists] = await received(2);
    assert.equal(exists?.['x-goog-channel-id'], data.id);
    assert.equal(exists?.['x-goog-resource-state'], 'exists');
    assert.match(String(data.resourceUri), /\/users\/me\/calendarList/);
  });

  it('the published client renews by a new channel before it stops the old, and misses nothing between', async () => {
    const watch = (id: string) => client.events.watch({ calendarId: ADA.email, requestBody: channel(id) });
    const { data: old } = await watch('old');
    const { data: next } = await watch('next');
    await received(2);
    assert.equal(next.resourceId, old.resourceId, 'they watch the same');
    await change('Told twice');
    await received(4);
    await client.channels.stop({ requestBody: { id: 'old', resourceId: old.resourceId ?? '' } });
    await change('Told once');

    const ids = (await received(5)).map((headers) => headers['x-goog-channel-id']);
    assert.deepEqual(ids.slice(2).toSorted(), ['next', 'next', 'old']);
    assert.equal(ids.at(-1), 'next');
  });

  it('the published client reads the refusals of a channel', async () => {
    const watch = (change: object) =>
      client.events.watch({ calendarId: 'primary', requestBody: { ...channel('one'), ...change } });
    const { data } = await watch({});
    await received(1);

    await assert.rejects(watch({}), isRefused(400, 'channelIdNotUnique'));
    await assert.rejects(
      watch({ id: 'two', address: 'http://hook.example/' }),
      isRefused(400, 'push.webhookUrlNotHttps'),
    );
    await assert.rejects(
      client.channels.stop({ requestBody: { id: 'two', resourceId: data.resourceId ?? '' } }),
      isRefused(404, 'notFound'),
    );
    await assert.rejects(
      client.events.watch({ calendarId: 'nobody@example.com', requestBody: channel('three') }),
      isRefused(404, 'notFound'),
    );
  });
});
