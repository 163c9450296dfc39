/** Calls of the playground: this server's own routes are asked as over the network, with all their checks. */
import type { FastifyRequest } from 'fastify';

import type { ReceivedAnswer, SendCall } from '../playground/run-call.ts';

/** Longer than any read waits. */
const MOST_MS = 40_000;
/** So much of an answer is kept; the rest is passed over. */
const MOST_BYTES = 128 * 1024;

/** Sends as whoever asks for the page, so that limits of their address hold. */
export function callsFrom({ server, ip }: FastifyRequest, publicUrl: string): SendCall {
  const { host } = new URL(publicUrl);
  return async ({ method, path, headers, body }) => {
    const signal = AbortSignal.timeout(MOST_MS);
    try {
      const answer = await server.inject({
        method: method as 'GET', // One of the reference's methods, which are all there.
        url: path,
        headers: { ...headers, host },
        remoteAddress: ip,
        payloadAsStream: true,
        signal,
        ...(body !== undefined && { payload: body }),
      });
      const kept = await firstOf(answer.stream());
      return { status: answer.statusCode, requestId: String(answer.headers['x-request-id'] ?? ''), ...kept };
    } catch (failure) {
      if (signal.aborted) return undefined;
      throw failure;
    }
  };
}

async function firstOf(stream: AsyncIterable<Buffer>): Promise<Pick<ReceivedAnswer, 'text' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    if (bytes < MOST_BYTES) chunks.push(chunk);
    bytes += chunk.length;
  }
  return { text: Buffer.concat(chunks).subarray(0, MOST_BYTES).toString(), isCut: bytes > MOST_BYTES };
}
