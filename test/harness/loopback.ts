/** Servers and ports on the loopback address. */
import type http from 'node:http';
import type { Server } from 'node:net';

export { freePort } from '../../sandbox/free-port.ts';

/** Makes the server listen on a free port and returns its origin. */
export async function listen(server: Server): Promise<string> {
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
