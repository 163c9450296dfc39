/** Connection limits in total and per address (docs/operations.md, Limits). Excess connections are refused unread. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../lib/log.ts';
import { onceAMinute } from '../lib/once-a-minute.ts';
import { addressKey } from './address-key.ts';
import { awaitedSince, isIdle, type OpenConnection, type OpenConnections } from './open-connections.ts';
import type { Peer } from './peers.ts';
import { rawAnswer } from './raw-answer.ts';
import { ApiError } from './refusal.ts';
import { SERVER } from './server-error.ts';

export type ConnectionLimits = {
  readonly connections: number;
  /** For one IPv4 address or one /64 of IPv6. */
  readonly connectionsPerAddress: number;
};

export type ConnectionLimitDeps = {
  readonly limits: ConnectionLimits;
  readonly peerOf: (address: string) => Peer;
  /** The headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  readonly log: Log;
  /** Milliseconds since any moment. */
  readonly now: () => number;
};

/** Connections reserved for this machine, so that local monitoring gets a response even if all others do not. */
const MOST_KEPT_FOR_LOOPBACK = 16;
/** When all connections are in use, one whose request has been arriving this long may be closed for a new one. */
const AWAITED_MS = 1_000;
/** Limits how long the other end may take to read the refusal, in milliseconds, and how many may take it at once. */
const LINGER_MS = 1_000;
const MOST_LINGERING = 100;

/** Makes `server` refuse connections over the limits. Its existing connection listeners receive only the others. */
export function limitConnections(server: Server, open: OpenConnections, deps: ConnectionLimitDeps): void {
  const { limits, peerOf, headers } = deps;
  const reserved = Math.min(MOST_KEPT_FOR_LOOPBACK, Math.floor(limits.connections / 10));
  const warn = onceAMinute(
    ({ message, status }: ApiError, refused) =>
      deps.log.warn({ event: 'connections_refused', refused, status }, message),
    deps.now,
  );
  const counted = connectionCounts(open, deps.now);
  let lingering = 0;

  const findExceededLimit = (address: string): ApiError | undefined => {
    const peer = peerOf(address);
    const most = peer === 'loopback' ? limits.connections : limits.connections - reserved;
    if (peer === 'caller') {
      const key = addressKey(address);
      if (counted.of(key) >= limits.connectionsPerAddress && !counted.makeRoom(key))
        return tooMany(429, `${limits.connectionsPerAddress} connections can be open from one address`);
    }
    if (counted.all() >= most && !counted.makeRoom())
      return tooMany(503, `${limits.connections} connections can be open`);
    return undefined;
  };

  const refuse = (socket: Socket, refusal: ApiError): void => {
    warn(refusal);
    socket.on('error', () => {}); // it may be gone already
    if (lingering >= MOST_LINGERING) {
      socket.destroy();
      return;
    }
    lingering += 1;
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => {
      lingering -= 1;
      clearTimeout(timer);
    });
    // Discards incoming bytes: a socket that is closed with unread bytes may lose the response.
    socket.resume().end(rawAnswer(refusal, headers));
    socket.once('end', () => socket.destroySoon());
  };

  // Node's own listener reads the request. It is called only for accepted connections.
  const accept = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined) {
      socket.destroy();
      return;
    }
    const refusal = findExceededLimit(address);
    if (refusal !== undefined) {
      refuse(socket, refusal);
      return;
    }
    counted.add(socket, addressKey(address));
    for (const listener of accept) listener.call(server, socket);
  });
}

function connectionCounts(open: OpenConnections, now: () => number) {
  const connections = new Map<Socket, string>();
  const ofAddress = new Map<string, number>();

  const forget = (socket: Socket): void => {
    const address = connections.get(socket);
    if (address === undefined) return;
    connections.delete(socket);
    const left = (ofAddress.get(address) ?? 1) - 1;
    if (left === 0) ofAddress.delete(address);
    else ofAddress.set(address, left);
  };
  const findOldest = (address: string | undefined, isWanted: (connection: OpenConnection) => boolean) => {
    for (const [socket, from] of connections) {
      if (address !== undefined && from !== address) continue;
      const connection = open.get(socket);
      if (connection !== undefined && isWanted(connection)) return socket;
    }
    return undefined;
  };
  const isSlow = (connection: OpenConnection): boolean => {
    const since = awaitedSince(connection);
    return since !== undefined && now() - since >= AWAITED_MS;
  };

  return {
    all: (): number => connections.size,
    of: (address: string): number => ofAddress.get(address) ?? 0,
    add(socket: Socket, address: string): void {
      connections.set(socket, address);
      ofAddress.set(address, (ofAddress.get(address) ?? 0) + 1);
      socket.once('close', () => forget(socket));
    },
    /** Closes the oldest idle connection (of the address, if given), else the oldest slow one, if there is one. */
    makeRoom(address?: string): boolean {
      const unused = findOldest(address, isIdle) ?? findOldest(address, isSlow);
      if (unused === undefined) return false;
      forget(unused);
      unused.destroy();
      return true;
    },
  };
}

const tooMany = (status: number, limit: string): ApiError =>
  new ApiError(SERVER.too_many_connections, {
    status,
    message: `Too many connections: at most ${limit} at once`,
  });
