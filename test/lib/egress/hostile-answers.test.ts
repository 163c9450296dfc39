/** Servers that answer so that memory fills up or nobody else gets a turn. */
import assert from 'node:assert/strict';
import { createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';

import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { EgressError, type EgressErrorKind } from '../../../src/lib/egress/egress-error.ts';
import { listen } from '../../harness/loopback.ts';
import { until } from '../../harness/until.ts';

const failsAs = (kind: EgressErrorKind) => (failure: unknown) =>
  failure instanceof EgressError && failure.kind === kind;

const HEAD = 'HTTP/1.1 200 OK\r\n';
/** One for all answers, so that what is held is what egress holds. */
const LARGE = Buffer.alloc(9_000_000, 'x');

const unfinished: (() => void)[] = [];

/** Bytes sent for a path before the server falls silent. */
const ANSWERS: Readonly<Record<string, (socket: Socket) => void>> = {
  '/hello': (socket) => socket.write(`${HEAD}content-length: 5\r\n\r\nhello`),
  '/whole': (socket) => {
    socket.write(`${HEAD}content-length: 9000000\r\n\r\n`);
    socket.write(LARGE);
  },
  // All but its last byte: it is held until its time is over.
  '/held': (socket) => {
    socket.write(`${HEAD}content-length: 9000000\r\n\r\n`);
    socket.write(LARGE.subarray(1));
  },
  '/million': (socket) => {
    socket.write(`${HEAD}content-length: 1000000\r\n\r\n`);
    socket.write(LARGE.subarray(0, 1_000_000));
  },
  // All but its last byte, until the test finishes it.
  '/unfinished': (socket) => {
    socket.write(`${HEAD}content-length: 1000000\r\n\r\n`);
    socket.write(LARGE.subarray(0, 999_999));
    unfinished.push(() => socket.write('x'));
  },
  '/bytes': (socket) => {
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
    for (let part = 0; part < 20; part += 1) socket.write('1\r\nx\r\n'.repeat(10_000));
    socket.write('0\r\n\r\n');
  },
  '/lines': (socket) => {
    socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
    for (let part = 0; part < 20; part += 1) socket.write('a\r\n0123456789\r\n'.repeat(10_000));
    socket.write('0\r\n\r\n');
  },
  '/header': (socket) => socket.write(`${HEAD}x: ${'x'.repeat(17_000)}\r\n\r\n`),
  '/early': (socket) =>
    socket.write('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(11) + ANSWER_AFTER_HINTS),
  '/hint': (socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${ANSWER_AFTER_HINTS}`),
};
const ANSWER_AFTER_HINTS = `${HEAD}content-length: 5\r\n\r\nhello`;

describe('Egress at a hostile server', () => {
  let server: Server;
  let port: string;
  let egress: Egress;
  const sockets = new Set<Socket>();

  before(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.on('data', (data) => {
        ANSWERS[/^GET (\S+)/.exec(data.toString())?.[1] ?? '']?.(socket);
      });
    });
    port = new URL(await listen(server)).port;
    egress = createEgress({
      privateNetwork: { mode: 'allow' },
      lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await egress.close();
  });

  const get = (host: string, path: string, timeoutMs = 10_000, clientId = '') => {
    const url = `http://${host}.test:${port}${path}`;
    return egress.request({ method: 'GET', url, timeoutMs, clientId, owner: `${clientId} ${host}` });
  };

  it('answers that are held back fill no memory, and others are answered meanwhile', async () => {
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 10);
    const held = Array.from({ length: 48 }, (_, index) => get(`evil-${index % 8}`, '/held', 1500));
    const outcomes = Promise.allSettled(held).finally(() => clearInterval(watch));

    const small = await Promise.all(Array.from({ length: 20 }, () => get('good', '/hello')));
    assert.deepEqual(new Set(small.map(({ body }) => body.toString())), new Set(['hello']));
    const failures = await outcomes;

    assert.ok(failures.every(({ status }) => status === 'rejected'));
    // All of them are 432 MB.
    assert.ok(most > 20_000_000 && most < 150_000_000, `${most} bytes were held`);
  });

  it('answers that one application has held back do not hold up those of another', async () => {
    const held = Array.from({ length: 80 }, (_, index) =>
      get(`evil-${index % 40}`, '/unfinished', 60_000, 'hostile'),
    );
    await until('all are sent', () => unfinished.length === held.length);

    const { body } = await get('good', '/million', 60_000, 'quiet');
    for (const finish of unfinished) finish();

    assert.equal(body.length, 1_000_000);
    assert.equal((await Promise.all(held)).length, 80);
  });

  it('large answers come one after the other where there is no room for all', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => get(`host-${index % 2}`, '/whole')),
    );

    assert.deepEqual(new Set(answers.map(({ body }) => body.length)), new Set([9_000_000]));
  });

  it('an answer in lines of their own is read, and one in single bytes is given up', async () => {
    assert.equal((await get('lines', '/lines')).body.length, 2_000_000);
    await assert.rejects(get('bytes', '/bytes'), failsAs('too_large'));
  });

  it('an answer with too long a header, or too many before it, is none', async () => {
    await assert.rejects(get('header', '/header'), failsAs('unreachable'));
    await assert.rejects(get('early', '/early'), failsAs('unreachable'));
    assert.equal((await get('hint', '/hint')).body.toString(), 'hello');
  });
});
