/** Ports on loopback. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that the system hands out by itself, so that no connection takes one before it is listened on. */
const PORTS = { first: 11_000, end: 22_000 };
const MOST_TRIES = 100;

/** Returns the preferred port if nobody listens there, else any free one. */
export async function freePort(preferred?: number, { first, end } = PORTS): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const port = randomInt(first, end);
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
