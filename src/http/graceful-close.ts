/**
 * Closing while connections are open. Node would wait for as long as they like: for a request that never
 * arrives whole, and for a client that keeps its connection after the answer it was given.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyInstance } from 'fastify';

/** How long a request that is on its way may still take to arrive, in milliseconds. */
const ARRIVAL_MS = 2_000;

/** Lets `app.close()` end once what is being answered is, and whatever has arrived within two seconds. */
export function closeGracefully(app: FastifyInstance): void {
  const open = new Set<Socket>();
  const answering = new Map<Socket, ServerResponse>();
  let closing = false;

  app.server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      answering.delete(socket);
    });
  });
  app.addHook('preValidation', ({ raw: { socket } }, { raw: response }, next) => {
    // All of the request is here: what it takes from now on is ours.
    answering.set(socket, response);
    if (closing) response.shouldKeepAlive = false;
    next();
  });
  app.addHook('onResponse', ({ raw: { socket } }, _reply, next) => {
    answering.delete(socket);
    next();
  });
  app.addHook('preClose', (next) => {
    closing = true;
    for (const response of answering.values()) response.shouldKeepAlive = false;
    const timer = setTimeout(() => {
      for (const socket of open) if (!answering.has(socket)) socket.destroy();
    }, ARRIVAL_MS);
    app.server.once('close', () => clearTimeout(timer));
    next();
  });
}
