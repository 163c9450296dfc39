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
  // Each open connection and the answer it was given last, or is being given. Kept rather than removed at
  // its end: to be told of every answer's end costs more than looking when the server closes.
  const open = new Map<Socket, ServerResponse | undefined>();
  const isAnswering = (response: ServerResponse | undefined) => response?.writableFinished === false;
  let closing = false;

  app.server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preValidation', ({ raw: { socket } }, { raw: response }, next) => {
    // All of the request is here: what it takes from now on is ours.
    if (open.has(socket)) open.set(socket, response);
    if (closing) response.shouldKeepAlive = false;
    next();
  });
  app.addHook('preClose', (next) => {
    closing = true;
    for (const response of open.values()) if (response !== undefined) response.shouldKeepAlive = false;
    const timer = setTimeout(() => {
      for (const [socket, response] of open) if (!isAnswering(response)) socket.destroy();
    }, ARRIVAL_MS);
    app.server.once('close', () => clearTimeout(timer));
    next();
  });
}
