/** A proxy that forwards every request, and for some cuts the connection instead of forwarding the response: the server has committed by then. */
import http from 'node:http';
import { buffer } from 'node:stream/consumers';

import { close, listen } from '../harness/loopback.ts';

export type PassedResponse = { readonly status: number; readonly body: string };

export type CuttingProxy = { readonly url: string; stop(): Promise<void> };

/** Starts it in front of `origin`. `isCut` decides about each whole response; the client waits meanwhile. */
export async function startCuttingProxy(
  origin: string,
  isCut: (response: PassedResponse) => boolean | Promise<boolean>,
): Promise<CuttingProxy> {
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer(async (request, response) => {
    try {
      const { status, headers, body } = await passOn(request, origin, agent);
      if (await isCut({ status, body: body.toString() })) request.socket.destroy();
      else response.writeHead(status, headers).end(body);
    } catch {
      request.socket.destroy();
    }
  });
  const url = await listen(server);
  return {
    url: new URL(url).origin,
    async stop() {
      agent.destroy();
      await close(server);
    },
  };
}

async function passOn(request: http.IncomingMessage, origin: string, agent: http.Agent) {
  const { method, url = '/', headers } = request;
  const sent = await buffer(request);
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  http.request(new URL(url, origin), { method, headers, agent }, resolve).on('error', reject).end(sent);
  const answer = await promise;
  return { status: answer.statusCode ?? 502, headers: answer.headers, body: await buffer(answer) };
}
