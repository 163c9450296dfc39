/** Webhooks under Express, and under anything else that has the requests of `node:http`. */
import {
  BodyRefused,
  bodyBrokeOff,
  bodyTooLong,
  bytesIn,
  type WebhookReceiver,
  webhookAnswerer,
} from './webhook-receiver.ts';
import { joined } from './webhook-verification.ts';

/** The members that this handler needs of a request of Express or `node:http`. */
export type NodeRequest = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The result of a body parser; raw bytes if that is `express.raw`. */
  readonly body?: unknown;
  readonly readableEnded: boolean;
  readonly destroyed: boolean;
  on(event: string, listener: (chunk: Uint8Array) => void): unknown;
  off(event: string, listener: (chunk: Uint8Array) => void): unknown;
};

/** The members that this handler needs of a response of Express or `node:http`. */
export type NodeResponse = {
  readonly headersSent: boolean;
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(text?: string): unknown;
};

/**
 * Returns a handler for the requests of Kalends. It responds with 204 once `receive` resolved, 400 or 401 if
 * verification fails, 413 if the body is too long, and 500 if `receive` fails. It also responds with 500 if a parser
 * such as `express.json()` already took the raw body. Works behind `express.raw({ type: 'application/json', limit:
 * '1mb' })` and without any parser. Throws TypeError if there is nothing to verify with.
 */
export function webhookExpressHandler(receiver: WebhookReceiver) {
  const answerTo = webhookAnswerer(receiver);
  return async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const readBody = (maxBytes: number) => bodyOf(request, maxBytes);
    const { status, sentence } = await answerTo({ headers: request.headers, readBody });
    // A time limit of the application may already have sent a response.
    if (response.headersSent) return;
    response.statusCode = status;
    if (sentence !== '') response.setHeader('content-type', 'text/plain; charset=utf-8');
    // Does not wait for the rest of a long body.
    if (status === 413) response.setHeader('connection', 'close');
    response.end(sentence);
  };
}

async function bodyOf(request: NodeRequest, maxBytes: number): Promise<string | Uint8Array> {
  const { body } = request;
  if (typeof body === 'string') return body;
  const bytes = bytesIn(body);
  if (bytes !== undefined) return bytes;
  // Some parsers leave an empty object beside a body that they did not read.
  if (!request.readableEnded) return readStream(request, maxBytes);
  throw new BodyRefused(
    500,
    "The body of the webhook was parsed before it could be verified. Put express.raw({ type: 'application/json', limit: '1mb' }) on this route, and the route before app.use(express.json()).",
  );
}

function readStream(request: NodeRequest, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    if (request.destroyed) return reject(bodyBrokeOff());
    const parts: Uint8Array[] = [];
    let length = 0;
    const take = (chunk: Uint8Array): void => {
      parts.push(chunk);
      length += chunk.length;
      if (length <= maxBytes) return;
      request.off('data', take);
      reject(bodyTooLong(maxBytes));
    };
    request.on('data', take);
    request.on('end', () => resolve(joined(parts)));
    request.on('error', () => reject(bodyBrokeOff()));
    request.on('close', () => reject(bodyBrokeOff()));
  });
}
