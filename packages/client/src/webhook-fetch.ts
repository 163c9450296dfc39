/** Webhooks for frameworks whose requests are the web's own `Request`: Hono, Next.js, Deno, Bun and others. */
import {
  BodyRefused,
  bodyBrokeOff,
  bodyTooLong,
  type WebhookReceiver,
  webhookAnswerer,
} from './webhook-receiver.ts';
import { joined } from './webhook-verification.ts';

/**
 * Returns a handler for the requests of Kalends. It responds with 204 once `receive` resolved, 400 or 401 if
 * verification fails, 413 if the body is too long, and 500 if `receive` fails. The request's body must not have been
 * read. Throws TypeError if there is nothing to verify with.
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
    // Does not wait for the rest of the body, nor for the cancellation.
    reader.cancel().catch(() => {});
    throw bodyTooLong(maxBytes);
  }
  return joined(parts);
}
