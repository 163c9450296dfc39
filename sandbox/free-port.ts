/** Ports on loopback. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system hands out by itself, so that no connection takes one before it is listened on. */
const PORTS = { first: 11_000, end: 32_768 };
const MOST_TRIES = 100;

/** The preferred port when nobody listens there, else any free one. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (await isFree(port)) return port;
  }
  throw new Error('There is no free port on 127.0.0.1');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listens = await new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false));
    server.listen(port, '127.0.0.1');
  });
  if (!listens) return false;
  server.close();
  await once(server, 'close');
  return true;
}
