/** Ports on loopback. */
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The preferred port when nobody listens there, else any free one. */
export async function freePort(preferred = 0): Promise<number> {
  const server = createServer();
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('listening', () => resolve(true)).once('error', () => resolve(false));
    server.listen(preferred, '127.0.0.1');
  });
  if (!isFree && preferred === 0) throw new Error('There is no free port on 127.0.0.1');
  if (!isFree) return freePort();
  const address = server.address();
  server.close();
  await once(server, 'close');
  // A server that listens on TCP has an address with a port.
  return typeof address === 'object' && address !== null ? address.port : preferred;
}
