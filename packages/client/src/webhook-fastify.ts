/** Webhooks under Fastify: a plugin whose one route has the raw body, while all others keep theirs parsed. */
import {
  BodyRefused,
  bytesIn,
  DEFAULT_MAX_BYTES,
  type WebhookReceiver,
  webhookAnswerer,
} from './webhook-receiver.ts';

/** A receiver, and where it listens. */
export type WebhookRouteOptions = WebhookReceiver & {
  /** Such as `/webhooks`; the plugin's prefix itself by default. */
  readonly path?: string | undefined;
};

type FastifyRequestLike = {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
  readonly log: { error(error: unknown, message: string): void };
};

type FastifyReplyLike = {
  code(status: number): unknown;
  type(contentType: string): unknown;
  send(text?: string): unknown;
};

/** What is needed of a Fastify instance. */
export type FastifyLike = {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { readonly parseAs: 'buffer'; readonly bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(
    path: string,
    handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown;
};

/**
 * A plugin with one route that answers the requests of Kalends: 204 once `receive` resolved, 400 or 401 to what it does
 * not believe, 413 to a longer body, 500 when `receive` fails. Register it as it is: the scope that Fastify gives it is
 * what keeps the raw body to this route. Fails with TypeError without anything to verify with.
 */
export async function webhookFastifyPlugin(app: FastifyLike, options: WebhookRouteOptions): Promise<void> {
  const answerTo = webhookAnswerer(options);
  app.removeAllContentTypeParsers();
  const parsing = { parseAs: 'buffer', bodyLimit: options.maxBytes ?? DEFAULT_MAX_BYTES } as const;
  app.addContentTypeParser('*', parsing, (_request, body, done) => done(null, body));

  app.post(options.path ?? '/', async (request, reply) => {
    const logError = (error: unknown) => request.log.error(error, 'A webhook was answered 500');
    const readBody = async () => rawBody(request.body);
    const { status, sentence } = await answerTo({ headers: request.headers, readBody, logError });
    reply.code(status);
    if (sentence === '') return reply.send();
    reply.type('text/plain; charset=utf-8');
    return reply.send(sentence);
  });
}

function rawBody(body: unknown): Uint8Array {
  // Fastify runs no parser where there is no body.
  if (body === undefined || body === null) return new Uint8Array();
  const bytes = bytesIn(body);
  if (bytes !== undefined) return bytes;
  throw new BodyRefused(
    500,
    'The body of the webhook was parsed before it could be verified. Let no hook replace the body of this route.',
  );
}
