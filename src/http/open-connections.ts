/** The connections that are open, and what goes on in each: for closing, for limits and for answers that nobody reads. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request and its answer, and since when (milliseconds since any moment). */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly since: number;
};

/** One open connection. */
export type OpenConnection = {
  /** Milliseconds since any moment. */
  readonly since: number;
  /** The last request on it. It stays after its answer: listening to the end of every answer has its price. */
  exchange: Exchange | undefined;
  /** How many requests came one after the other before the one before was answered. */
  ahead: number;
};

/** Every open connection of a server, the oldest first. */
export type OpenConnections = Map<Socket, OpenConnection>;

/** Nobody sends more requests than these before an answer came; all in one packet would be worked on in one turn. */
const MOST_AHEAD = 32;

/**
 * Keeps `open` as the connections of `server` are. Closes one whose client takes nothing of its answer for the server's
 * `timeout`, and one that sends many requests without waiting for answers. `now`: milliseconds since any moment.
 */
export function followConnections(server: Server, open: OpenConnections, now: () => number): void {
  server.on('connection', (socket: Socket) => {
    open.set(socket, { since: now(), exchange: undefined, ahead: 0 });
    socket.once('close', () => open.delete(socket));
  });
  const handlers = server.listeners('request') as RequestHandler[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    const connection = open.get(socket);
    if (socket.destroyed) return;
    if (connection !== undefined) {
      const isAhead = connection.exchange?.response.writableFinished === false;
      connection.ahead = isAhead ? connection.ahead + 1 : 0;
      connection.exchange = { request, response, since: now() };
      if (connection.ahead >= MOST_AHEAD) {
        socket.destroy();
        return;
      }
    }
    for (const handle of handlers) handle.call(server, request, response);
  });
  // Nothing came or went for that long. Node does not look further once somebody listens to this.
  server.on('timeout', (socket: Socket) => {
    const exchange = open.get(socket)?.exchange;
    const isWorkedOn = isBeingAnswered(exchange) && !exchange.response.headersSent;
    if (!isWorkedOn) socket.destroy();
  });
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Whether all of the request is here, so that what it still takes is ours. */
export const isBeingAnswered = (exchange: Exchange | undefined): exchange is Exchange =>
  exchange?.request.complete === true && !exchange.response.writableFinished;

/** Whether its last request was answered and no other began; one that never sent any is none of these. */
export const isIdle = ({ exchange }: OpenConnection): boolean =>
  exchange?.request.complete === true && exchange.response.writableFinished;

/** Since when a request has been on its way of which more is awaited, or none at all came; `undefined` for any other. */
export function awaitedSince({ since, exchange }: OpenConnection): number | undefined {
  if (exchange === undefined) return since;
  return exchange.request.complete ? undefined : exchange.since;
}

/** Whether an answer that is written now is taken for that of the request it is about, and for no other's. */
export function canRefuse(exchange: Exchange | undefined): boolean {
  if (exchange === undefined) return true;
  const { request, response } = exchange;
  return request.complete ? response.writableFinished : !response.headersSent;
}
