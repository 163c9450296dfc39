import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type FaultEffect, type Faults, faultBoard } from '../../../sandbox/core/faults.ts';
import { matchPath } from '../../../sandbox/core/path-pattern.ts';
import { SandboxRefusal } from '../../../sandbox/core/sandbox-refusal.ts';
import { type SandboxServer, startSandboxServer } from '../../../sandbox/core/sandbox-server.ts';

const BODY = JSON.stringify({ done: 'a body long enough to be cut' });

/** A provider of one operation, `echo`, that counts what took effect and shows the effects left to it. */
async function startEcho() {
  const faults = faultBoard();
  const state: { handled: number; effects: readonly FaultEffect[] } = { handled: 0, effects: [] };
  const server = await startSandboxServer({
    kind: 'google',
    faults,
    route: ({ url }) => ({
      name: url.pathname === '/echo' ? 'echo' : 'other',
      user: url.searchParams.get('user') ?? undefined,
      run(effects) {
        if (url.pathname !== '/echo')
          throw new SandboxRefusal(404, 'notFound', 'Not here').withHeaders({ 'x-a': 'b' });
        state.handled += 1;
        state.effects = effects;
        return { status: 200, headers: { 'content-type': 'application/json' }, body: BODY };
      },
    }),
    errorAnswer: ({ status, reason, message, operation }) => ({
      status,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status, reason, message, operation }),
    }),
  });
  return { server, faults, state };
}

describe('the server under a sandbox provider', () => {
  let server: SandboxServer;
  let faults: Faults;
  let state: Awaited<ReturnType<typeof startEcho>>['state'];
  const get = (path = '/echo') => fetch(`${server.origin}${path}`);
  const setFault = (effect: FaultEffect, more: { user?: string; times?: number } = { times: 1 }) =>
    faults.set({ provider: 'google', operation: 'echo', effect, ...more });

  before(async () => {
    ({ server, faults, state } = await startEcho());
  });
  after(() => server.close());

  it('a sandbox server counts requests by operation', async () => {
    const before = server.requests();

    await get();
    await get('/elsewhere');

    assert.equal(server.requests() - before, 2);
    assert.equal(server.requests('other'), 1);
    assert.equal(server.requests('never'), 0);
  });

  it('a sandbox server answers a refusal in the provider’s words, with its headers', async () => {
    const response = await get('/elsewhere');

    assert.equal(response.status, 404);
    assert.equal(response.headers.get('x-a'), 'b');
    assert.deepEqual(await response.json(), {
      status: 404,
      reason: 'notFound',
      message: 'Not here',
      operation: 'other',
    });
  });

  it('a sandbox server delays by the latency asked for', async () => {
    setFault({ kind: 'latency', ms: 120 });
    const started = performance.now();

    await (await get()).text();

    assert.ok(performance.now() - started >= 115);
  });

  it('a fault resets a connection before anything took effect, for as many requests as said', async () => {
    setFault({ kind: 'reset' }, { times: 2 });
    const handled = state.handled;

    await assert.rejects(get());
    await assert.rejects(get());

    assert.equal(state.handled, handled);
    assert.equal((await get()).status, 200);
  });

  it('a fault loses an answer after the request took effect', async () => {
    setFault({ kind: 'lost_answer' });
    const handled = state.handled;

    await assert.rejects(get());

    assert.equal(state.handled, handled + 1);
  });

  it('a switched-on status is answered without doing the request, with Retry-After', async () => {
    setFault({ kind: 'status', status: 429, reason: 'rateLimitExceeded', retryAfter: 7 });
    const handled = state.handled;

    const response = await get();

    assert.equal(response.status, 429);
    assert.equal(response.headers.get('retry-after'), '7');
    assert.match(await response.text(), /rateLimitExceeded/);
    assert.equal(state.handled, handled);
  });

  it('a truncated body ends before the length its head promised', async () => {
    setFault({ kind: 'truncate' });

    const response = await get();

    assert.equal(response.headers.get('content-length'), String(BODY.length));
    await assert.rejects(response.text());
  });

  it('a fault that names a user is left to that user', async () => {
    const id = setFault({ kind: 'status', status: 503 }, { user: 'ada@example.com' });

    const [ada, bob] = [await get('/echo?user=ada@example.com'), await get('/echo?user=bob@example.com')];
    faults.clear(id);

    assert.deepEqual([ada.status, bob.status], [503, 200]);
  });

  it('the effects that are the provider’s own are handed to the operation', async () => {
    setFault({ kind: 'reorder' });

    await get();

    assert.deepEqual(state.effects, [{ kind: 'reorder' }]);
  });

  it('a sandbox server closes while a delayed request is under way', async () => {
    const echo = await startEcho();
    echo.faults.set({ provider: 'google', effect: { kind: 'latency', ms: 60_000 } });
    const pending = fetch(`${echo.server.origin}/echo`);
    const refused = assert.rejects(pending);
    while (echo.server.requests('echo') === 0) await new Promise((resolve) => setTimeout(resolve, 5));

    await echo.server.close();
    await refused;
  });
});

describe('a path pattern', () => {
  it('a path pattern names its parts, decoded', () => {
    const parts = matchPath('/calendars/:calendarId/events/:eventId', '/calendars/a%40b.c/events/x%2Fy');

    assert.deepEqual(parts, { calendarId: 'a@b.c', eventId: 'x/y' });
  });

  it('a path pattern matches no other path, no empty part and no broken encoding', () => {
    for (const path of ['/calendars/a/events', '/calendars//events/1', '/calendars/%E0%A4/events/1']) {
      assert.equal(matchPath('/calendars/:calendarId/events/:eventId', path), undefined);
    }
  });
});
