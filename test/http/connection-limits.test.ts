/** How many connections may be open, and what one too many hears (docs/operations.md, Limits). */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { type ConnectionLimits, limitConnections } from '../../src/http/connection-limits.ts';
import { followConnections, type OpenConnections } from '../../src/http/open-connections.ts';
import { type Peer, peers } from '../../src/http/peers.ts';
import { type LogEntry, recordingLog } from '../servers/recording-log.ts';
import { lastAnswer, nextBytes, openSmallServer } from './small-server.ts';

const GET = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';
/** A request that is still on its way. */
const HALF = 'PUT / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{';

describe('the limits of connections', () => {
  let server: Server;
  let entries: readonly LogEntry[];
  let sockets: Socket[];
  let peer: Peer;
  let now: number;
  /** GET requests that reached the program. */
  let asked: number;

  /** With these limits; every connection comes from what `peer` says. */
  async function start(limits: ConnectionLimits): Promise<void> {
    const { log, entries: logged } = recordingLog();
    entries = logged;
    const open: OpenConnections = new Map();
    server = createServer((request, response) => {
      if (request.method === 'GET') asked += 1;
      if (request.method === 'GET') response.end('done');
    });
    followConnections(server, open, () => now);
    limitConnections(server, open, { limits, peerOf: () => peer, headers: {}, log, now: () => now });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }

  async function opened(bytes = HALF): Promise<Socket> {
    const { port } = server.address() as AddressInfo; // it listens on a port
    const socket = connect(port, '127.0.0.1').on('error', () => {}); // a reset is an end as well
    sockets.push(socket);
    const accepted = once(server, 'connection');
    await Promise.all([once(socket, 'connect'), accepted]);
    if (bytes !== '') socket.write(bytes);
    return socket;
  }

  /** A connection whose first request was answered, and which is kept for another. */
  async function answered(): Promise<Socket> {
    const socket = await opened(GET);
    await nextBytes(socket);
    return socket;
  }

  /** A connection whose request is all here and not answered. */
  async function busy(): Promise<void> {
    const received = once(server, 'request');
    await opened('PUT / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    await received;
  }

  beforeEach(() => {
    [sockets, peer, now, asked] = [[], 'caller', 1_000_000, 0];
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('one too many of an address is 429 that says the limit, and nothing of it is read', async () => {
    await start({ connections: 100, connectionsPerAddress: 2 });
    await opened();
    await opened();
    const third = await opened(GET);

    const { status, headers, body } = await lastAnswer(third);

    assert.equal(status, 429);
    assert.equal(headers.get('retry-after'), '5');
    assert.equal(headers.get('connection'), 'close');
    assert.equal(body.code, 'too_many_connections');
    assert.match(String(body.message), /at most 2 connections can be open from one address/);
    assert.deepEqual(body.details, { connections: [body.message] });
    assert.equal(asked, 0);
  });

  it('one too many in all is 503 that says the limit', async () => {
    await start({ connections: 2, connectionsPerAddress: 100 });
    await opened();
    await opened();

    const { status, body } = await lastAnswer(await opened(GET));

    assert.equal(status, 503);
    assert.match(String(body.message), /at most 2 connections can be open at once/);
  });

  it('a connection that was closed makes room', async () => {
    await start({ connections: 100, connectionsPerAddress: 1 });
    const accepted = once(server, 'connection');
    const first = await opened();
    const [end] = (await accepted) as [Socket]; // the event's argument
    first.destroy();
    await new Promise((resolve) => end.once('close', resolve));

    await answered();

    assert.equal(asked, 1);
  });

  for (const [what, limits] of [
    ['of its address', { connections: 100, connectionsPerAddress: 2 }],
    ['in all', { connections: 2, connectionsPerAddress: 100 }],
  ] as const) {
    it(`a connection that waits for another request makes room ${what}, the oldest first`, async () => {
      await start(limits);
      const first = await answered();
      const second = await answered();
      const closed = once(first, 'close');

      await answered();

      await closed;
      assert.equal(second.readyState, 'open');
      assert.equal(asked, 3);
    });
  }

  for (const [what, bytes] of [
    ['of which nothing came', ''],
    ['of which half a header came', 'GET / HT'],
    ['of which half a body came', HALF],
  ] as const) {
    it(`a request ${what} for a second makes room, and no sooner`, async () => {
      await start({ connections: 100, connectionsPerAddress: 1 });
      const slow = await opened(bytes);
      assert.equal((await lastAnswer(await opened(GET))).status, 429);
      now += 1000;
      const closed = once(slow.resume(), 'close');

      await answered();

      await closed;
      assert.equal(asked, 1);
    });
  }

  it('a request that is all here makes room for none, however long its answer takes', async () => {
    await start({ connections: 100, connectionsPerAddress: 1 });
    await busy();
    now += 1_000_000;

    assert.equal((await lastAnswer(await opened(GET))).status, 429);
  });

  it('requests that are sent ahead of answers are worked on up to 32 of them', async () => {
    await start({ connections: 100, connectionsPerAddress: 100 });

    const eager = await opened(GET.repeat(5000));
    await new Promise((resolve) => eager.resume().once('close', resolve));

    assert.ok(asked <= 33, String(asked));
  });

  it('proxies and this machine count against the whole only', async () => {
    await start({ connections: 3, connectionsPerAddress: 1 });
    peer = 'proxy';
    await opened();
    await opened();
    peer = 'loopback';
    await opened();

    assert.equal((await lastAnswer(await opened(GET))).status, 503);
  });

  it('this machine has connections left when all others are taken', async () => {
    await start({ connections: 10, connectionsPerAddress: 100 });
    for (let i = 0; i < 9; i += 1) await opened();
    assert.equal((await lastAnswer(await opened(GET))).status, 503);
    peer = 'loopback';

    await answered();

    assert.equal(asked, 1);
  });

  it('refusals are logged once a minute, with how many there were', async () => {
    await start({ connections: 100, connectionsPerAddress: 1 });
    await busy();
    for (let i = 0; i < 3; i += 1) await lastAnswer(await opened());
    now += 60_000;
    await lastAnswer(await opened());

    assert.deepEqual(
      entries.map(({ level, fields }) => ({ level, ...fields })),
      [
        { level: 'warn', event: 'connections_refused', refused: 1, status: 429 },
        { level: 'warn', event: 'connections_refused', refused: 3, status: 429 },
      ],
    );
  });
});

describe('the limits of connections of a server', () => {
  it('a server has the limits it is given', async () => {
    const server = await openSmallServer({ connectionLimits: { connections: 1, connectionsPerAddress: 1 } });
    const first = await server.connection();
    first.write(HALF);
    const { status, headers } = await lastAnswer(await server.connection());
    await server.close();

    assert.equal(status, 503);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  });
});

describe('the other end of a connection', () => {
  for (const [trust, address, peer] of [
    [undefined, '192.0.2.1', 'caller'],
    [undefined, '127.0.0.1', 'loopback'],
    [undefined, '::1', 'loopback'],
    [undefined, '::ffff:127.0.0.9', 'loopback'],
    [1, '192.0.2.1', 'proxy'],
    [0, '192.0.2.1', 'caller'],
    [['192.0.2.0/24'], '192.0.2.1', 'proxy'],
    [['192.0.2.0/24'], '::ffff:192.0.2.1', 'proxy'],
    [['192.0.2.0/24'], '192.0.3.1', 'caller'],
    [['192.0.2.1', '2001:db8::/32'], '2001:db8::9', 'proxy'],
    [['192.0.2.1'], '192.0.2.2', 'caller'],
    [['uniquelocal'], '10.1.2.3', 'proxy'],
    [['uniquelocal'], 'fd00::1', 'proxy'],
    [['linklocal'], '169.254.1.1', 'proxy'],
    [['loopback'], '8.8.8.8', 'caller'],
  ] as const) {
    it(`${address} is ${peer} where ${JSON.stringify(trust) ?? 'nothing'} is trusted`, () => {
      assert.equal(peers(trust)(address), peer);
    });
  }
});
