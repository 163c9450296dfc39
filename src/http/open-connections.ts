/** The open connections and the request of each: for shutdown, limits and responses that are not read. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request and its response, and when it began (milliseconds since an arbitrary instant). */
export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly since: number;
};

export type OpenConnection = {
  /** Milliseconds since an arbitrary instant. */
  readonly since: number;
  /** The last request, kept after its response: a listener at the end of every response would have a cost. */
  exchange: Exchange | undefined;
  /** How many requests in a row came before the previous response was sent. */
  ahead: number;
};

/** Every open connection of a server, the oldest first. */
export type OpenConnections = Map<Socket, OpenConnection>;

/** Clients do not send more requests than this before a response; all of one packet would be handled in one turn. */
const MOST_AHEAD = 32;

/**
 * Keeps `open` equal to the connections of `server`. Closes a connection if its client reads nothing for the server's
 * `timeout`, or sends many requests without awaiting responses. `now` returns milliseconds.
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
  // Nothing was sent or received for that long. Node does nothing itself if there is a listener.
  server.on('timeout', (socket: Socket) => {
    const exchange = open.get(socket)?.exchange;
    const isWorkedOn = isBeingAnswered(exchange) && !exchange.response.headersSent;
    if (!isWorkedOn) socket.destroy();
  });
}

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Whether the whole request has arrived, so that the remaining time is ours. */
export const isBeingAnswered = (exchange: Exchange | undefined): exchange is Exchange =>
  exchange?.request.complete === true && !exchange.response.writableFinished;

/** Whether the last request was answered and no other began. False if there was never a request. */
export const isIdle = ({ exchange }: OpenConnection): boolean =>
  exchange?.request.complete === true && exchange.response.writableFinished;

/** Returns since when an incomplete or first request has been awaited, otherwise `undefined`. */
export function awaitedSince({ since, exchange }: OpenConnection): number | undefined {
  if (exchange === undefined) return since;
  return exchange.request.complete ? undefined : exchange.since;
}

/** Whether a response that is written now belongs to this request and to no other. */
export function canRefuse(exchange: Exchange | undefined): boolean {
  if (exchange === undefined) return true;
  const { request, response } = exchange;
  return request.complete ? response.writableFinished : !response.headersSent;
}
