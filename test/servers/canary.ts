/** A server that nothing may reach: it keeps what came all the same, down to bare connections. */
import http from 'node:http';
import { close, originOf } from '../harness/loopback.ts';

export type Canary = {
  readonly port: number;
  connections(): number;
  readonly requests: readonly { readonly url: string; readonly authorization: string | undefined }[];
  stop(): Promise<void>;
};

/** Listens on every address of this machine, IPv6 too where there is any. */
export async function startCanary(): Promise<Canary> {
  const requests: { url: string; authorization: string | undefined }[] = [];
  let connections = 0;
  const server = http.createServer(({ url = '', headers }, response) => {
    requests.push({ url, authorization: headers.authorization });
    response.end('canary');
  });
  server.on('connection', () => {
    connections += 1;
  });
  await listen(server);
  return {
    port: Number(new URL(originOf(server)).port),
    connections: () => connections,
    requests,
    stop: () => close(server),
  };
}

function listen(server: http.Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', () => server.listen(0, '0.0.0.0').once('error', reject));
    server.listen(0, '::');
  });
}
