/** How long a request may take to arrive, and its response to be taken (docs/operations.md, Limits). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance } from 'fastify';

import type { ServerTimes } from '../../src/http/server.ts';
import { lastAnswer, nextBytes, openSmallServer, type SmallServer } from './small-server.ts';

const TIMES: ServerTimes = { request: 400, headers: 200, looks: 50, stalled: 60_000 };
const HEAD = 'POST /echo HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const GET = 'GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n';

/** Far more than the buffers between two sockets hold. */
const LARGE = 'x'.repeat(32 * 1024 * 1024);

function routes(app: FastifyInstance): void {
  app.post('/echo', async ({ body }) => body);
  app.get('/large', async () => LARGE);
  app.get('/slow', async () => {
    await sleep(900);
    return { done: true };
  });
}

const RESET = new Set<unknown>(['ECONNRESET', 'EPIPE']);

/** Sends a body byte by byte; returns the status, or `undefined` if the connection was reset. */
async function drip(server: SmallServer): Promise<number | undefined> {
  const socket = await server.connection();
  socket.write(`${HEAD}content-length: 100000\r\n\r\n`);
  const drops = setInterval(() => socket.write(' '), 20);
  try {
    return (await lastAnswer(socket)).status;
  } catch (reason) {
    if (reason instanceof Error && 'code' in reason && RESET.has(reason.code)) return undefined;
    throw reason;
  } finally {
    clearInterval(drops);
  }
}

describe('a request that is slow to arrive', () => {
  let server: SmallServer;
  afterEach(() => server.close());

  for (const [what, bytes] of [
    ['a connection on which nothing comes', ''],
    ['a header that never ends', 'GET /health HTTP/1.1\r\nhost: local'],
    ['a body that never ends', `${HEAD}content-length: 10\r\n\r\n{`],
    ['chunks that never end', `${HEAD}transfer-encoding: chunked\r\n\r\n1\r\n{\r\n`],
  ] as const) {
    it(`${what} is refused with 408 that says the limit, and closed`, async () => {
      server = await openSmallServer({ times: TIMES }, routes);
      const socket = await server.connection();
      socket.write(bytes);

      const { status, headers, body } = await lastAnswer(socket);

      assert.equal(status, 408);
      assert.equal(headers.get('connection'), 'close');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(body.code, 'request_refused');
      assert.match(String(body.message), /within 0\.4 seconds, its header within 0\.2/);
      assert.deepEqual(body.details, { request: [body.message] });
    });
  }

  it('a body that comes byte by byte is closed in time however many come', async () => {
    server = await openSmallServer({ times: TIMES }, routes);
    // A byte that arrives after the end resets the connection, which can lose the response: then the test tries again.
    let status: number | undefined;
    for (let tries = 0; status === undefined && tries < 100; tries += 1) status = await drip(server);

    assert.equal(status, 408);
  });

  it('a body that was refused unread is no reason for a second answer', async () => {
    server = await openSmallServer({ times: TIMES }, routes);
    const socket = await server.connection();
    socket.write(`${HEAD.replace('/echo', '/nothing')}content-length: 10\r\n\r\n{`);

    const { status, body } = await lastAnswer(socket);

    // With a second response, the body would not be valid JSON.
    assert.equal(status, 404);
    assert.equal(body.code, 'not_found');
  });

  it('an answer may take longer than its request', async () => {
    server = await openSmallServer({ times: TIMES }, routes);
    const socket = await server.connection();
    socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');

    assert.deepEqual((await lastAnswer(socket)).body, { done: true });
  });

  it('a connection that was answered stays open for the next request', async () => {
    server = await openSmallServer({ times: TIMES }, routes);
    const socket = await server.connection();
    socket.write(GET);
    await nextBytes(socket);
    await sleep(700);
    socket.write(GET);

    assert.match(await nextBytes(socket), /^HTTP\/1\.1 200 /);
  });
});

describe('an answer that nobody takes', () => {
  let server: SmallServer;
  afterEach(() => server.close());

  it('an answer of which nothing is taken is given up', async () => {
    server = await openSmallServer({ times: { ...TIMES, stalled: 300 } }, routes);
    const accepted = once(server.app.server, 'connection');
    const socket = await server.connection();
    const [other] = await accepted;
    socket.pause();
    socket.write('GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n');

    await once(other, 'close');

    assert.equal(await server.open(), 0);
  });

  it('an answer that is still being made is not', async () => {
    server = await openSmallServer({ times: { ...TIMES, stalled: 300 } }, routes);
    const socket = await server.connection();
    socket.write('GET /slow HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');

    assert.deepEqual((await lastAnswer(socket)).body, { done: true });
  });
});
