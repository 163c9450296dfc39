/** The Fastify instance that features mount on: request limits, response headers and error responses. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Log } from '../lib/log.ts';
import type { Span, Tracer } from '../tracing/tracer.ts';
import { followMethods, problemOfMethod } from './allowed-methods.ts';
import { type AnswerHearers, hearAnswers } from './answer-listener.ts';
import type { applicationHostRules } from './application-hosts.ts';
import { provenClientId } from './asker.ts';
import { BODY_ROOM, type BodyRoom, limitBodyRoom } from './body-room.ts';
import { type ConnectionLimits, limitConnections } from './connection-limits.ts';
import { type DatabaseNotesDeps, databaseNotes, errorAnswers, mapErrors, notFound } from './error-mapping.ts';
import { readForms } from './form-body.ts';
import { isDeeperThan } from './json-depth.ts';
import { type LoggedAnswers, logAnswers } from './log-answers.ts';
import { canRefuse, followConnections, isBeingAnswered, type OpenConnections } from './open-connections.ts';
import { peers } from './peers.ts';
import { answerHeaders, rawAnswer } from './raw-answer.ts';
import { ANY_CALL, ApiError } from './refusal.ts';
import { countAnswers, type RequestMetrics } from './request-metrics.ts';
import { securityHeaders } from './security-headers.ts';
import { SERVER } from './server-error.ts';
import {
  BODY_BYTES,
  HEADER_BYTES,
  headerTooLarge,
  JSON_LEVELS,
  PAGE_QUERY_BYTES,
  queryBytes,
  queryTooLong,
  READ_QUERY_BYTES,
} from './sizes.ts';

export type ServerOptions = AnswerHearers & {
  readonly log: Log;
  readonly databaseRefused?: DatabaseNotesDeps['databaseRefused'];
  /** The number of trusted proxies, or their address ranges: X-Forwarded-* headers from them are used. */
  readonly trustProxy: number | string[] | undefined;
  /** Whether the public origin is https. */
  readonly secure: boolean;
  /** The page that REST errors link to, at the anchor of their code. Undefined for no link. */
  readonly errorDocumentation?: string | undefined;
  /** Undefined if responses are not logged. */
  readonly loggedAnswers?: LoggedAnswers | undefined;
  readonly requestMetrics?: RequestMetrics | undefined;
  readonly tracedRequests?: TracedRequests | undefined;
  /** Defaults to the limits of the settings. */
  readonly connectionLimits?: ConnectionLimits;
  readonly bodyRoom?: BodyRoom;
  /** Whether the process received the stop signal and still accepts requests. */
  readonly isDraining?: (() => boolean) | undefined;
  readonly times?: ServerTimes;
  /** Undefined if applications have no hosts. */
  readonly hosts?: ReturnType<typeof applicationHostRules>;
};

/** In milliseconds. */
export type ServerTimes = ArrivalTimes & {
  /** The interval between checks of the limits. */
  readonly looks: number;
  /** How long a response may make no progress once it has begun. */
  readonly stalled: number;
};

const TIMES: ServerTimes = { request: 30_000, headers: 10_000, looks: 1_000, stalled: 60_000 };
const CONNECTIONS: ConnectionLimits = { connections: 1_000, connectionsPerAddress: 200 };

/** Ids of events are parts of paths, and some providers' are long. */
const PARAMETER_CHARACTERS = 4_000;

/** Creates a server without routes. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { log, trustProxy, secure, times = TIMES, hosts } = options;
  const headers = securityHeaders(secure);
  const noteDatabaseAway = databaseNotes(options);
  const answerError = errorAnswers(log, noteDatabaseAway, options.errorDocumentation);
  const open: OpenConnections = new Map();
  const guard = (request: FastifyRequest, reply: FastifyReply) =>
    reply.headers(headers).header('x-request-id', request.id);
  const app = Fastify({
    logger: false,
    trustProxy: trustedProxies(trustProxy),
    bodyLimit: BODY_BYTES,
    genReqId: requestIds(),
    ...(hosts && { rewriteUrl: hosts.rewriteUrl }),
    routerOptions: { maxParamLength: PARAMETER_CHARACTERS },
    exposeHeadRoutes: false, // A HEAD of /authorize would start an authorization request.
    forceCloseConnections: 'idle',
    return503OnClosing: false, // A request on a connection that is still open is answered like the others.
    requestTimeout: times.request,
    connectionTimeout: times.stalled,
    http: {
      maxHeaderSize: HEADER_BYTES,
      requireHostHeader: false,
      headersTimeout: times.headers,
      connectionsCheckingInterval: times.looks,
    },
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    clientErrorHandler: unparsedRequestAnswers(headers, open, times),
    // Before routing, and so before every hook.
    frameworkErrors: (error, request, reply) => answerError(error, request, guard(request, reply)),
  });
  followMethods(app);
  readForms(app);
  readJson(app);
  mapErrors(app, answerError);
  const now = () => performance.now();
  followConnections(app.server, open, now);
  limitConnections(app.server, open, {
    limits: options.connectionLimits ?? CONNECTIONS,
    peerOf: peers(trustProxy),
    headers,
    log,
    now,
  });
  closeGracefully(app, open, options.isDraining ?? (() => false));
  app.decorate('noteDatabaseAway', noteDatabaseAway);
  app.decorateRequest('asker', undefined);
  app.decorateRequest('refusalBody', undefined);

  if (options.tracedRequests) traceRequests(app, options.tracedRequests);
  if (hosts) app.addHook('onRequest', (request, reply) => hosts.admit(request, guard(request, reply)));
  app.addHook('onRequest', (request, reply, next) => {
    guard(request, reply);
    // An unknown path or method is refused before its body is read.
    const problem = request.is404 ? (problemOfMethod(request) ?? notFound(request)) : problemOfQuery(request);
    next(problemOfHost(request.raw) ?? problem);
  });
  limitBodyRoom(app, options.bodyRoom ?? BODY_ROOM);
  refuseExpectations(app, headers);
  if (options.requestMetrics) countAnswers(app, options.requestMetrics, { since: arrivals(open), now });
  if (options.loggedAnswers) logAnswers(app, options.loggedAnswers, log);
  if (options.answerListener ?? options.answerCounter)
    hearAnswers(app, options, { since: arrivals(open), now });
  return app;
}

/** Refuses a Fastify schema, whose compilers are not loaded: routes read their input with fields.ts. */
const refuseSchema = (): never => {
  throw new Error('Routes must not have a Fastify schema');
};

/** Returns when a request arrived, or `undefined` once the next one on its connection has. */
const arrivals = (open: OpenConnections) => (request: IncomingMessage) => {
  const exchange = open.get(request.socket)?.exchange;
  return exchange?.request === request ? exchange.since : undefined;
};

function problemOfQuery(request: FastifyRequest) {
  const { url } = request;
  // Creating the route's options takes longer than most of a request, so it is done only for long queries.
  if (url.length <= PAGE_QUERY_BYTES) return undefined;
  const most = request.routeOptions.config.mostQueryBytes ?? READ_QUERY_BYTES;
  return queryBytes(url) > most ? queryTooLong(most) : undefined;
}

/** Creates ids that are unique across instances: a random prefix and a counter. */
function requestIds(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}

/** Converts the setting for the framework, which counts hops from the connection. */
function trustedProxies(trust: number | string[] | undefined) {
  if (typeof trust !== 'number') return trust ?? false;
  return (_address: string, hop: number) => hop < trust;
}

/** How long a request that is still arriving may take after a stop, in milliseconds. */
const ARRIVAL_MS = 2_000;

/** Makes `app.close()` finish running requests, and wait two seconds for arriving ones. Draining ends keep-alive. */
function closeGracefully(app: FastifyInstance, open: OpenConnections, isDraining: () => boolean): void {
  let closing = false;
  app.server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    if (closing || isDraining()) response.shouldKeepAlive = false;
  });
  app.addHook('preClose', (next) => {
    closing = true;
    for (const { exchange } of open.values()) if (exchange) exchange.response.shouldKeepAlive = false;
    const timer = setTimeout(() => {
      for (const [socket, { exchange }] of open) if (!isBeingAnswered(exchange)) socket.destroy();
    }, ARRIVAL_MS);
    app.server.once('close', () => clearTimeout(timer));
    next();
  });
}

const message = `The body must not be nested deeper than ${JSON_LEVELS} levels`;
const TOO_DEEP = new ApiError(ANY_CALL.invalid_request, { message, field: 'body' });

/** Makes `app` parse JSON that is not nested too deep. An empty body counts as none (docs/wire.md 1). */
function readJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (text.length === 0) done(null, undefined);
    else if (isDeeperThan(text, JSON_LEVELS)) done(TOO_DEEP, undefined);
    else parse(request, text, done);
  });
}

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

type TracedRequests = {
  readonly tracer: Tracer;
  /** Whether the other end of the connection is a trusted proxy, whose `traceparent` is used. */
  readonly isProxy: (address: string) => boolean;
};

/** Monitoring requests every few seconds would be most of all traces. */
const UNTRACED = /^(\/api)?\/(health|ready|metrics)$/;

function traceRequests(app: FastifyInstance, { tracer, isProxy }: TracedRequests): void {
  app.decorateRequest('span', undefined);
  app.addHook('onRequest', (request, _reply, next) => {
    const { remoteAddress = '' } = request.raw.socket;
    const sent = request.headers.traceparent;
    const parent = typeof sent === 'string' && isProxy(remoteAddress) ? sent : undefined;
    request.span = tracer.start('server', parent);
    next();
  });
  // After the body was read: its events occur outside any trace.
  app.addHook('preValidation', (request, _reply, next) => {
    if (request.span === undefined) next();
    else tracer.run(request.span, next);
  });
  app.addHook('onResponse', (request, reply, next) => {
    const { method, routeOptions, asker, id } = request;
    const { url: route } = routeOptions;
    const { statusCode } = reply;
    if (route === undefined || !UNTRACED.test(route))
      request.span?.end(
        route === undefined ? method : `${method} ${route}`,
        {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': statusCode,
          'url.scheme': request.protocol === 'https' ? 'https' : 'http',
          // The route's pattern: paths have ids of users and events.
          'url.path': route,
          'error.type': statusCode >= 500 ? String(statusCode) : undefined,
          'kalends.application': provenClientId(asker),
          'kalends.request_id': id,
        },
        statusCode >= 500,
      );
    // The lines about the response belong to the trace too.
    if (request.span === undefined) next();
    else tracer.run(request.span, next);
  });
}

type Headers = Readonly<Record<string, string>>;

/** The milliseconds in which a whole request and its header must arrive. The response may take longer. */
type ArrivalTimes = { readonly request: number; readonly headers: number };

const UNREADABLE = new ApiError(ANY_CALL.invalid_request, 'The request is not valid HTTP');
const UNEXPECTED = new ApiError(SERVER.request_refused, {
  status: 417,
  message: 'Expect supports only 100-continue',
});
const WITHOUT_HOST = new ApiError(ANY_CALL.invalid_request, 'The Host header is missing');
const EXTENDED = new ApiError(SERVER.request_refused, 'Chunk extensions must not be larger than 16 kB');

/** Creates the responses to bytes that are no request, or arrive too late; for Fastify's `clientErrorHandler`. */
function unparsedRequestAnswers(headers: Headers, open: OpenConnections, times: ArrivalTimes) {
  const refusals: Readonly<Record<string, ApiError>> = {
    HPE_HEADER_OVERFLOW: headerTooLarge(HEADER_BYTES),
    HPE_CHUNK_EXTENSIONS_OVERFLOW: EXTENDED,
    ERR_HTTP_REQUEST_TIMEOUT: late(times),
  };
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    if (socket.writable && canRefuse(open.get(socket)?.exchange))
      socket.write(rawAnswer(refusals[error.code ?? ''] ?? UNREADABLE, headers));
    socket.destroy(error);
  };
}

function late({ request, headers }: ArrivalTimes): ApiError {
  const message = `The request did not arrive in time: within ${request / 1000} seconds, its header within ${headers / 1000}`;
  return new ApiError(SERVER.request_refused, { status: 408, message, field: 'request' });
}

/** Returns a 400 error for HTTP/1.1 without `Host` (RFC 9112 §3.2), otherwise `undefined`. */
const problemOfHost = ({ headers, httpVersion }: IncomingMessage): ApiError | undefined =>
  headers.host === undefined && httpVersion === '1.1' ? WITHOUT_HOST : undefined;

/** Responds with 417 to an `Expect` that cannot be met (RFC 9110 §10.1.1). */
function refuseExpectations(app: FastifyInstance, headers: Headers): void {
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const text = JSON.stringify(UNEXPECTED.body);
    response.writeHead(UNEXPECTED.status, answerHeaders(headers, text)).end(text);
  });
}
