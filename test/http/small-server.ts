/** A server with a few routes on a free port, and connections to it that send what no client library would. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import type { FastifyInstance } from 'fastify';

import { createServer, type ServerOptions } from '../../src/http/server.ts';
import { type LogEntry, recordingLog } from '../servers/recording-log.ts';

export type SmallServer = {
  readonly app: FastifyInstance;
  readonly entries: readonly LogEntry[];
  /** A connection that is open. */
  connection(): Promise<Socket>;
  /** How many connections the server has. */
  open(): Promise<number>;
  close(): Promise<void>;
};

/** `routes` adds them; the caller closes it. */
export async function openSmallServer(
  options: Partial<ServerOptions> = {},
  routes: (app: FastifyInstance) => void = () => {},
): Promise<SmallServer> {
  const { log, entries } = recordingLog();
  const app = createServer({ log, trustProxy: undefined, secure: false, ...options });
  app.get('/health', async () => ({ status: 'ok' }));
  routes(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo; // it listens on a port
  const sockets: Socket[] = [];
  return {
    app,
    entries,
    async connection() {
      const socket = connect(port, '127.0.0.1').on('error', () => {}); // a reset is an end as well
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    },
    open: () =>
      new Promise((resolve, reject) => {
        app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    async close() {
      for (const socket of sockets) socket.destroy();
      await app.close();
    },
  };
}

export type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
};

/** Milliseconds until a missing response counts as a failure. */
const LATE_MS = 60_000;

/** The one answer that a connection gets before it is closed; fails when it is not closed. */
export async function lastAnswer(socket: Socket): Promise<Answer> {
  const late = sleep(LATE_MS, undefined, { ref: false }).then(() => assert.fail('The connection stays open'));
  const all = await Promise.race([text(socket), late]);
  const [head = '', body = ''] = all.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ]),
  );
  return { status: Number(first.split(' ')[1]), headers, body: body === '' ? {} : JSON.parse(body) };
}

/** The next bytes a connection gets; fails when none come. */
export async function nextBytes(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data', { signal: AbortSignal.timeout(LATE_MS) })) as [Buffer]; // the event's argument
  return chunk.toString();
}
