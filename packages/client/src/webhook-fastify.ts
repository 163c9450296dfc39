/**
 * Webhooks under Fastify: a plugin with one route that reads the raw body, while all other routes keep their parsed
 * body.
 */
import {
  BodyRefused,
  bytesIn,
  DEFAULT_MAX_BYTES,
  type WebhookReceiver,
  webhookAnswerer,
} from './webhook-receiver.ts';

/** A receiver, and the path where it listens. */
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

/** The members that the plugin needs of a Fastify instance. */
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
 * Registers one route for the requests of Kalends. It responds with 204 once `receive` resolved, 400 or 401 if
 * verification fails, 413 if the body is too long, and 500 if `receive` fails. Register the plugin directly: Fastify's
 * scope limits the raw body to this route. Fails with TypeError if there is nothing to verify with.
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
  // Fastify runs no parser if there is no body.
  if (body === undefined || body === null) return new Uint8Array();
  const bytes = bytesIn(body);
  if (bytes !== undefined) return bytes;
  throw new BodyRefused(
    500,
    'The body of the webhook was parsed before it could be verified. Let no hook replace the body of this route.',
  );
}
