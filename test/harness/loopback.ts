/** Servers and ports on the loopback address. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type http from 'node:http';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { freePort as findFreePort } from '../../sandbox/free-port.ts';
import { errorCode } from '../../src/lib/error-code.ts';

/** Disjoint from the ports of the sandbox, which claims none. */
const PORTS = { first: 22_000, end: 32_768 };
const CLAIMS = path.join(tmpdir(), `kalends-test-ports-${process.getuid?.() ?? 'user'}`);
/** A claim ends after this time. By then, the program listens on its port. */
const CLAIMED_MS = 60_000;

/** Returns the preferred port if nobody listens there, else one that no other test process got in the last minute. */
export async function freePort(preferred?: number): Promise<number> {
  for (;;) {
    const port = await findFreePort(preferred, PORTS);
    if (port === preferred || claim(port)) return port;
  }
}

function claim(port: number): boolean {
  mkdirSync(CLAIMS, { recursive: true });
  const file = path.join(CLAIMS, String(port));
  const claimedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  if (claimedAt < Date.now() - CLAIMED_MS) rmSync(file, { force: true });
  try {
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  } catch (reason) {
    if (errorCode(reason) !== 'EEXIST') throw reason;
    return false;
  }
}

/** Makes the server listen on a free port and returns its origin. */
export async function listen(server: Server): Promise<string> {
  // The client ends idle connections. If both ends did, a stalled process would send on one that is being closed.
  if ('keepAliveTimeout' in server) server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return originOf(server);
}

/** Returns the origin of the server; throws if it does not listen on a port. */
export function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Closes the server and all of its connections. */
export async function close(server: http.Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
