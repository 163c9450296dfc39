/** node:http answering a few bytes: what the load generator is checked against. */
import { createServer } from 'node:http';

import { servePeer } from './peer-channel.ts';

const headers = { 'content-type': 'application/json', 'content-length': 15 };
const server = createServer((_, response) => {
  response.writeHead(200, headers).end('{"status":"ok"}');
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port');
  servePeer(address.port, async () => []);
});
