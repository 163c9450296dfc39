/** Large reads for clients that disconnect. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';

import { readTurns } from '../../src/reading/read-turns.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

describe('a large read whose client disconnects', () => {
  let server: CalendarServer;
  let token: string;
  let url: string;
  before(async () => {
    server = await openCalendarServer();
    server.provider.addCalendar(calendar('/large/', { timeZone: 'UTC' }));
    server.provider.put('/large/', resource('x', event('2026-11-10T09:00:00')));
    await link(server);
    url = await server.app.listen({ host: '127.0.0.1', port: 0 });
    token = await server.token();
    await get(server, '/events', token);
    await server.db.write('UPDATE calendar SET bytes = 200000000');
  });
  after(() => server.close());

  const window = { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' };
  const calls = [
    { method: 'GET', path: '/events?pageSize=5' },
    { method: 'GET', path: `/free-busy?${new URLSearchParams(window)}` },
    { method: 'POST', path: '/availability', body: JSON.stringify({ ...window, duration: 30 }) },
  ];
  for (const { method, path, body } of calls)
    it(`stops, frees its slot and logs no error: ${method} ${path.split('?')[0]}`, async (t) => {
      const { events, heavyReads } = server.deps;
      const turns = t.mock.method(heavyReads, 'run');
      const disconnected = once(server.app.server, 'connection').then(([socket]: Socket[]) =>
        once(socket ?? assert.fail(), 'close'),
      );
      t.mock.method(events, 'singleNames', async () => {
        client.destroy();
        await disconnected;
        return [];
      });
      const series = t.mock.method(events, 'mastersIn');
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const client = request(`${url}${path}`, { method, headers });
      client.end(body);

      await once(client, 'error');
      await disconnected;
      await assert.rejects(turns.mock.calls[0]?.result ?? assert.fail(), { status: 499 });
      await turn();

      assert.equal(series.mock.callCount(), 0);
      assert.deepEqual(
        server.log.lines.filter((line) => line.startsWith('error')),
        [],
      );
    });

  it('leaves the queue of slots', async () => {
    const limits = { work: 'test', ofOwner: 1, waiting: 1, waitMs: 20_000, refusal: 'Too many' };
    const reads = readTurns(limits);
    const user = { clientId: 'acme', userId: 'ada' };
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const first = reads.run(user, () => promise);
    const client = new AbortController();
    const left = reads.run(user, async () => assert.fail('It has left'), client.signal);
    client.abort(new Error('gone'));
    await assert.rejects(left, /gone/);
    const next = reads.run(user, async () => 'read');
    end();
    await first;

    assert.equal(await next, 'read');
  });
});
