/**
 * Closing while connections are open. Node would wait without end for a request that never arrives whole, and for a
 * client that keeps its connection after its answer.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { FastifyInstance } from 'fastify';

import { isBeingAnswered, type OpenConnections } from './open-connections.ts';

/** How long a request that is on its way may still take to arrive, in milliseconds. */
const ARRIVAL_MS = 2_000;

/**
 * Lets `app.close()` end once what is being answered is, and whatever has arrived within two seconds. While it drains, each
 * connection ends with its next answer.
 */
export function closeGracefully(
  app: FastifyInstance,
  open: OpenConnections,
  isDraining: () => boolean,
): void {
  let closing = false;
  app.server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (closing || isDraining()) response.shouldKeepAlive = false;
  });
  app.addHook('preClose', (next) => {
    closing = true;
    for (const { exchange } of open.values()) if (exchange) exchange.response.shouldKeepAlive = false;
    const timer = setTimeout(() => {
      for (const [socket, { exchange }] of open) if (!isBeingAnswered(exchange)) socket.destroy();
    }, ARRIVAL_MS);
    app.server.once('close', () => clearTimeout(timer));
    next();
  });
}
