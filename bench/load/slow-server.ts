/** Endpoints and calendar servers on many loopback addresses at one port: the hostile ones hold each request. */
import { createServer, type ServerResponse } from 'node:http';

export type Arrival = { readonly at: number; readonly id: string; readonly body: string };

export type SlowServer = {
  /** The origin at the loopback address `127.0.<network>.<host>`. */
  origin(network: number, host: number): string;
  /** Resolves with when the first delivery that `matches` came after this call, in milliseconds of `performance.now`. */
  next(matches: (arrival: Arrival) => boolean): Promise<number>;
  /** From now on, requests to other paths than QUIET_PATH are held. They get 204 at once before. */
  hold(): void;
  /** The number of requests that are held now. */
  held(): number;
  close(): void;
};

/** Requests to this path are never held. */
export const QUIET_PATH = '/quiet';
const HOLD_MS = 15_000;

/** Listens on all loopback addresses until it is closed. */
export async function openSlowServer(): Promise<SlowServer> {
  const listeners = new Set<(arrival: Arrival) => void>();
  const held = new Set<ServerResponse>();
  let isHolding = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (isHolding && request.url !== QUIET_PATH) {
        held.add(response);
        const timer = setTimeout(() => response.writeHead(500).end(), HOLD_MS);
        response.on('close', () => {
          clearTimeout(timer);
          held.delete(response);
        });
        return;
      }
      response.writeHead(204).end();
      if (request.url !== QUIET_PATH) return;
      const id = String(request.headers['webhook-id']);
      const arrival = { at: performance.now(), id, body: Buffer.concat(chunks).toString() };
      for (const listener of listeners) listener(arrival);
    });
  });
  server.keepAliveTimeout = 4 * HOLD_MS;
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port');
  return {
    origin: (network, host) => `http://127.0.${network}.${host}:${address.port}`,
    next: (matches) =>
      new Promise((resolve) => {
        const listener = (arrival: Arrival) => {
          if (!matches(arrival)) return;
          listeners.delete(listener);
          resolve(arrival.at);
        };
        listeners.add(listener);
      }),
    hold() {
      isHolding = true;
    },
    held: () => held.size,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
