/** The connections that are open, and what goes on in each: for closing, for limits and for answers that nobody reads. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request and its answer. */
export type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** One open connection. */
export type OpenConnection = {
  /** The last request on it. It stays after its answer: listening to the end of every answer has its price. */
  exchange: Exchange | undefined;
};

/** Every open connection of a server, the oldest first. */
export type OpenConnections = Map<Socket, OpenConnection>;

/** Keeps `open` as the connections of `server` are; closes one whose client takes nothing of its answer for the server's `timeout`. */
export function followConnections(server: Server, open: OpenConnections): void {
  server.on('connection', (socket: Socket) => {
    open.set(socket, { exchange: undefined });
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = open.get(request.socket);
    if (connection !== undefined) connection.exchange = { request, response };
  });
  // Nothing came or went for that long. Node does not look further once somebody listens to this.
  server.on('timeout', (socket: Socket) => {
    const exchange = open.get(socket)?.exchange;
    const isWorkedOn = isBeingAnswered(exchange) && !exchange.response.headersSent;
    if (!isWorkedOn) socket.destroy();
  });
}

/** Whether all of the request is here, so that what it still takes is ours. */
export const isBeingAnswered = (exchange: Exchange | undefined): exchange is Exchange =>
  exchange?.request.complete === true && !exchange.response.writableFinished;

/** Whether its last request was answered and no other began; one that never sent any is none of these. */
export const isIdle = ({ exchange }: OpenConnection): boolean =>
  exchange?.request.complete === true && exchange.response.writableFinished;

/** Whether an answer that is written now is taken for that of the request it is about, and for no other's. */
export function canRefuse(exchange: Exchange | undefined): boolean {
  if (exchange === undefined) return true;
  const { request, response } = exchange;
  return request.complete ? response.writableFinished : !response.headersSent;
}
