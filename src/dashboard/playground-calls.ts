/** Calls of the playground: they go to this server's own routes with all checks, as if over the network. */
import type { FastifyRequest } from 'fastify';

import type { ReceivedAnswer, SendCall } from '../playground/run-call.ts';

/** Longer than any long poll, in milliseconds. */
const MOST_MS = 40_000;
/** Limits how much of a response body is stored. The rest is discarded. */
const MOST_BYTES = 128 * 1024;

/** Sends requests from the address of the member who opened the page, so that the limits of that address apply. */
export function callsFrom({ server, ip }: FastifyRequest, publicUrl: string): SendCall {
  const { host } = new URL(publicUrl);
  return async ({ method, path, headers, body }) => {
    const signal = AbortSignal.timeout(MOST_MS);
    try {
      const answer = await server.inject({
        method: method as 'GET', // A method of the API reference, all of which exist.
        url: path,
        headers: { ...headers, host },
        remoteAddress: ip,
        payloadAsStream: true,
        signal,
        ...(body !== undefined && { payload: body }),
      });
      const firstPart = await readFirstPart(answer.stream());
      return {
        status: answer.statusCode,
        requestId: String(answer.headers['x-request-id'] ?? ''),
        ...firstPart,
      };
    } catch (failure) {
      if (signal.aborted) return undefined;
      throw failure;
    }
  };
}

async function readFirstPart(stream: AsyncIterable<Buffer>): Promise<Pick<ReceivedAnswer, 'text' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (bytes < MOST_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  }
  return { text: Buffer.concat(chunks).subarray(0, MOST_BYTES).toString(), isCut: bytes > MOST_BYTES };
}
