/** GET /metrics on its own port, also on instances without an API. Everyone who can reach the port may read it. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Log } from '../lib/log.ts';
import { METRICS_TYPE } from '../metrics/metrics-text.ts';

const MOST_CONNECTIONS = 20;
const REQUEST_MS = 10_000;

/** Starts listening; fails if it cannot. If `scrape` fails, the error is logged and the response is 500. */
export async function startMetricsServer(
  { host, port }: { readonly host: string; readonly port: number },
  scrape: () => Promise<string>,
  log: Pick<Log, 'error'>,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const server = process
    .getBuiltinModule('node:http')
    .createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
      const answer = (status: number, text: string, type = 'text/plain; charset=utf-8') =>
        response.writeHead(status, { 'content-type': type, connection: 'close' }).end(text);
      if (request.url?.split('?')[0] !== '/metrics') answer(404, 'Only /metrics exists here\n');
      else if (request.method !== 'GET') {
        response.setHeader('allow', 'GET');
        answer(405, 'Only GET\n');
      } else
        scrape().then(
          (text) => answer(200, text, METRICS_TYPE),
          (err: unknown) => {
            log.error({ event: 'metrics_failed', err }, 'The metrics could not be read');
            answer(500, 'The metrics could not be read; see the log\n');
          },
        );
    });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening').catch((cause: Error) => {
    throw new Error(`${host}:${port} cannot be listened on: ${cause.message}. Set KALENDS_METRICS_ADDRESS.`, {
      cause,
    });
  });
  const { port: taken } = server.address() as AddressInfo; // it listens on a port
  return {
    port: taken,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
