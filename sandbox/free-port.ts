/** Ports on loopback. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The preferred port when nobody listens there, else any free one. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  const listening = once(server, 'listening').then(() => true);
  const taken = once(server, 'error').then(() => false);
  server.listen(preferred, '127.0.0.1');
  if (!(await Promise.race([listening, taken]))) return freePort();
  const address = server.address();
  server.close();
  await once(server, 'close');
  // A server that listens on TCP has an address with a port.
  return typeof address === 'object' && address !== null ? address.port : preferred;
}
