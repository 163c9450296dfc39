/** Clients that keep a server waiting: they send too little, too slowly, too much, or do not read. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export type SlowClients = {
  /** How many connections the server has not closed. */
  open(): number;
  /** The status lines that the server wrote, with their numbers. */
  answers(): Readonly<Record<string, number>>;
  close(): void;
};

export type SlowClient = {
  /** Sent at once. */
  readonly first: string | Buffer;
  /** Sent a byte a second after that, again and again. */
  readonly drip?: string;
  /** Reads nothing of what is answered. */
  readonly deaf?: boolean;
};

const SECOND_MS = 1000;

/** Opens that many connections and sends what each sends first. */
export async function slowClients(url: string, count: number, client: SlowClient): Promise<SlowClients> {
  const { hostname, port } = new URL(url);
  const answers: Record<string, number> = {};
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const open = async () => {
    const socket = connect(Number(port), hostname);
    sockets.add(socket);
    // The server's closing is what is looked for, however it does it.
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    if (client.deaf === true) socket.pause();
    else {
      socket.once('data', (chunk) => {
        const [line = ''] = chunk.toString('latin1').split('\r\n');
        answers[line] = (answers[line] ?? 0) + 1;
      });
    }
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.write(client.first, () => resolve());
    });
    const { drip } = client;
    if (drip !== undefined) timers.add(setInterval(() => socket.writable && socket.write(drip), SECOND_MS));
  };
  for (let opened = 0; opened < count; opened += 50) {
    await Promise.all(Array.from({ length: Math.min(50, count - opened) }, open));
    await sleep(1);
  }
  return {
    open: () => sockets.size,
    answers: () => ({ ...answers }),
    close() {
      for (const timer of timers) clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A POST that promises a body of that many bytes, and sends all but the last. */
export function almostWhole(path: string, bytes: number, headers: readonly string[] = []): Buffer {
  const head = postOf(path, bytes, headers);
  return Buffer.concat([Buffer.from(head), Buffer.alloc(bytes - 1, 0x20)]);
}

/** The head of a POST with a JSON body of that many bytes. */
export const postOf = (path: string, bytes: number, headers: readonly string[] = []): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    ...headers,
    `Content-Length: ${bytes}`,
    '',
    '',
  ].join('\r\n');
