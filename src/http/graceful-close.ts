/**
 * Closing while connections are open. Node would wait for as long as they like: for a request that never
 * arrives whole, and for a client that keeps its connection after the answer it was given.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyInstance } from 'fastify';

/** How long a request that is on its way may still take to arrive, in milliseconds. */
const ARRIVAL_MS = 2_000;

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Lets `app.close()` end once what is being answered is, and whatever has arrived within two seconds. */
export function closeGracefully(app: FastifyInstance): void {
  // Each open connection and what was asked on it last. Kept rather than removed at the answer's end: to
  // be told of every end, or of every body's arrival, costs more than looking when the server closes.
  const open = new Map<Socket, Exchange | undefined>();
  let closing = false;

  app.server.on('connection', (socket: Socket) => {
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (open.has(request.socket)) open.set(request.socket, { request, response });
    if (closing) response.shouldKeepAlive = false;
  });
  app.addHook('preClose', (next) => {
    closing = true;
    for (const exchange of open.values()) if (exchange) exchange.response.shouldKeepAlive = false;
    const timer = setTimeout(() => {
      for (const [socket, exchange] of open) if (!isBeingAnswered(exchange)) socket.destroy();
    }, ARRIVAL_MS);
    app.server.once('close', () => clearTimeout(timer));
    next();
  });
}

/** Once all of a request is here, what it still takes is ours. */
function isBeingAnswered(exchange: Exchange | undefined): boolean {
  return exchange?.request.complete === true && !exchange.response.writableFinished;
}
