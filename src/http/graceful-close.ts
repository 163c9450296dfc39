/**
 * Closing while connections are open. Node would wait without end for a request that never arrives whole, and for a
 * client that keeps its connection after its answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { FastifyInstance } from 'fastify';

/** How long a request that is on its way may still take to arrive, in milliseconds. */
const ARRIVAL_MS = 2_000;

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** Lets `app.close()` end once what is being answered is, and whatever has arrived within two seconds. */
export function closeGracefully(app: FastifyInstance): void {
  // Each open connection and the last request on it. It stays after its answer: listening to the end of every answer
  // costs more than a look at all of them when the server closes.
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
