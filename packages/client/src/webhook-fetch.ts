/** Webhooks where requests are the web's own `Request`: Hono, Next.js, Deno, Bun and others. */
import {
  BodyRefused,
  bodyBrokeOff,
  bodyTooLong,
  type WebhookReceiver,
  webhookAnswerer,
} from './webhook-receiver.ts';
import { joined } from './webhook-verification.ts';

/**
 * Answers the requests of Kalends: 204 once `receive` resolved, 400 or 401 to what it does not believe, 413 to a
 * longer body, 500 when `receive` fails. The request's body must not have been read. Fails with TypeError, when it is
 * made, without anything to verify with.
 */
export function webhookFetchHandler(receiver: WebhookReceiver): (request: Request) => Promise<Response> {
  const answerTo = webhookAnswerer(receiver);
  return async (request) => {
    const readBody = (maxBytes: number) => readRequest(request, maxBytes);
    const { status, sentence } = await answerTo({ headers: request.headers, readBody });
    if (status === 204) return new Response(null, { status });
    return new Response(sentence, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } });
  };
}

async function readRequest(request: Request, maxBytes: number): Promise<Uint8Array> {
  const { body, bodyUsed, headers } = request;
  if (bodyUsed || body?.locked)
    throw new BodyRefused(
      500,
      'The body of the webhook was read before it could be verified. Give the handler the request before anything reads it, or read a clone.',
    );
  if (Number(headers.get('content-length')) > maxBytes) throw bodyTooLong(maxBytes);
  const reader = body?.getReader();
  const parts: Uint8Array[] = [];
  for (let length = 0; reader !== undefined; ) {
    const { done, value } = await reader.read().catch(() => {
      throw bodyBrokeOff();
    });
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length <= maxBytes) continue;
    // Nobody waits for the rest, nor for the end of it.
    reader.cancel().catch(() => {});
    throw bodyTooLong(maxBytes);
  }
  return joined(parts);
}
