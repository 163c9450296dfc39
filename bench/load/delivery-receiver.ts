/** A receiver of deliveries beside the load: answers 204 at once and notes when each came. */
import { createServer } from 'node:http';

export type DeliveryReceiver = {
  readonly url: string;
  /** The body of the last one. */
  lastBody(): string;
  /**
   * Resolves with when each of the next so many came whose body has this text, in milliseconds of `performance.now`. One
   * waits at a time.
   */
  next(count: number, text?: string): Promise<readonly number[]>;
  close(): void;
};

const PATIENCE_MS = 120_000;

/** Listens on this machine until it is closed. */
export async function openDeliveryReceiver(): Promise<DeliveryReceiver> {
  let last = '';
  let arrived = (_: number): void => {};
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      response.writeHead(204).end();
      last = Buffer.concat(chunks).toString();
      arrived(performance.now());
    });
  });
  server.keepAliveTimeout = PATIENCE_MS;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port');
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    lastBody: () => last,
    next: (count, text = '') =>
      new Promise((resolve, reject) => {
        const times: number[] = [];
        const fail = () => reject(new Error(`${times.length} of ${count} deliveries came`));
        const timer = setTimeout(fail, PATIENCE_MS);
        arrived = (at) => {
          if (last.includes(text)) times.push(at);
          if (times.length < count) return;
          clearTimeout(timer);
          arrived = () => {};
          resolve(times);
        };
      }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
