/**
 * The one place where errors become responses. A Refusal has its own response, and errors of the framework get the
 * shape of their endpoint. Anything else is an internal error: it is logged in full and hidden from the caller.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DatabaseProblem, databaseProblem, isDatabaseAway } from '../lib/database-away-error.ts';
import type { Log } from '../lib/log.ts';
import { onceAMinute } from '../lib/once-a-minute.ts';
import { withTokenScheme } from './dpop-error.ts';
import { ANY_CALL, ApiError, Refusal } from './refusal.ts';
import { SERVER } from './server-error.ts';
import { BODY_BYTES, bodyTooLarge } from './sizes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `oauth`: the shape of RFC 6749 §5.2. By default the shape of the REST interface (docs/wire.md 3.1). */
    errorShape?: 'oauth';
    /** The message while the database is away, if the general one does not fit. */
    awayMessage?: string;
  }

  interface FastifyInstance {
    noteDatabaseAway: DatabaseNotes;
  }
}

/** Installs the mapping for errors of routes and of the framework, and for unknown paths. */
export function mapErrors(app: FastifyInstance, answerError: ReturnType<typeof errorAnswers>): void {
  app.setErrorHandler<FastifyError | Error>(answerError);
  app.setNotFoundHandler((request, reply) => answerError(notFound(request), request, reply));
}

/** Returns a 404 error for a path or method that does not exist. */
export const notFound = ({ method, url }: FastifyRequest): ApiError => {
  const path = url.split('?')[0] ?? '';
  const visiblePath = path.length > MOST_PATH_SHOWN ? `${path.slice(0, MOST_PATH_SHOWN)}…` : path;
  return new ApiError(SERVER.not_found, `There is nothing at ${method} ${visiblePath}`);
};

const MOST_PATH_SHOWN = 500;

/** Creates the function that sends error responses, also before routing. REST errors link to `documentation`. */
export const errorAnswers =
  (log: Log, noteDatabaseAway: DatabaseNotes, documentation?: string) =>
  (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = toRouteShape(request, toRefusal(error, request));
    if (refusal !== undefined) {
      if (refusal.status === 503) noteDatabaseAway(error, request);
      const body = documentation === undefined ? refusal.body : withLink(refusal.body, documentation);
      const headers = withTokenScheme(refusal.headers, request.headers.authorization);
      return reply.status(refusal.status).headers(headers).send(body);
    }
    log.error(
      { event: 'request_failed', err: error, requestId: request.id, route: request.routeOptions?.url },
      'A request failed',
    );
    const message = `Something went wrong on our side; the operator can find it in the log by request ${request.id}`;
    const { code } = SERVER.server_error;
    const oauth = isOAuth(request) ? { error_description: message } : {};
    return reply.status(500).send({ error: code, message, code, requestId: request.id, ...oauth });
  };

/** Leaves bodies without a `code`, those of RFC 6749 §5.2, unchanged. */
const withLink = (body: Refusal['body'], page: string): Refusal['body'] =>
  typeof body.code === 'string' ? { ...body, documentation: `${page}#${body.code}` } : body;

/** The Retry-After of requests that failed because of the database, in whole seconds. */
export const RETRY_AWAY_SECONDS = 5;

const AWAY = 'The data cannot be reached at the moment: try again in a few seconds';

const databaseAway = (cause: Error, message = AWAY) =>
  new ApiError(ANY_CALL.temporarily_unavailable, { message, retryAfter: RETRY_AWAY_SECONDS, cause });

/** Counts a request that failed because of the database, and logs it at most once a minute. Ignores other errors. */
export type DatabaseNotes = (error: unknown, request: FastifyRequest) => void;

export type DatabaseNotesDeps = {
  readonly log: Log;
  readonly databaseRefused?: ((problem: DatabaseProblem) => void) | undefined;
};

export function databaseNotes({ log, databaseRefused }: DatabaseNotesDeps): DatabaseNotes {
  const write = onceAMinute((line: { requestId: string; route: string | undefined; reason: string }, count) =>
    log.error(
      { event: 'database_away', ...line, count },
      'Requests were refused: the database cannot be used',
    ),
  );
  return (error, { id, routeOptions }) => {
    const problem = databaseProblem(error);
    if (problem === undefined) return;
    databaseRefused?.(problem);
    const reason = error instanceof Error ? error.message : String(error);
    write({ requestId: id, route: routeOptions?.url, reason });
  };
}

/** Returns the response to an error: the thrown one, or one for an error of the framework. */
export function toRefusal(
  error: FastifyError | Error,
  { routeOptions }: FastifyRequest,
): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (isDatabaseAway(error)) return databaseAway(error, routeOptions?.config?.awayMessage);
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === undefined || status < 400 || status > 499) return undefined;
  const { code } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge(routeOptions?.bodyLimit ?? BODY_BYTES);
  const row = status === 400 ? ANY_CALL.invalid_request : SERVER.request_refused;
  return new ApiError(row, { status, message: MESSAGES[code] ?? error.message });
}

/** Gives errors before the handler of an OAuth route the shape of RFC 6749 §5.2. */
function toRouteShape(
  request: FastifyRequest,
  refusal: Refusal | undefined,
): Pick<Refusal, 'status' | 'headers' | 'body'> | undefined {
  if (!(refusal instanceof ApiError) || !isOAuth(request)) return refusal;
  const { message, headers, status } = refusal;
  const error = status >= 500 ? 'temporarily_unavailable' : 'invalid_request';
  const isOwn = status >= 500 || status === 413 || status === 414;
  return { status: isOwn ? status : 400, headers, body: { error, error_description: message, message } };
}

/** Replaces messages of the framework that do not help the caller. */
const MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'This content type is not supported',
  FST_ERR_BAD_URL: 'The path is not valid percent-encoding',
};

const isOAuth = (request: FastifyRequest) => request.routeOptions?.config?.errorShape === 'oauth';
