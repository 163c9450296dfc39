/**
 * The Fastify instance every feature mounts on: what requests may look like, what each answer carries,
 * and how errors are answered. No feature is named here.
 */
import { randomBytes } from 'node:crypto';

import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

import type { Log } from '../lib/log.ts';
import { errorAnswers, mapErrors } from './error-mapping.ts';
import { readForms } from './form-body.ts';
import { closeGracefully } from './graceful-close.ts';
import { securityHeaders } from './security-headers.ts';
import { problemOfHost, refuseExpectations, unparsedRequestAnswers } from './unroutable-requests.ts';

export type ServerOptions = {
  readonly log: Log;
  /** Number of proxies, or their address ranges, whose X-Forwarded-* headers are believed. */
  readonly trustProxy: number | string[] | undefined;
  /** Whether the public origin is https. */
  readonly secure: boolean;
  /** Whether each answer is logged, at level debug. Listening to every answer's end has its price. */
  readonly logsAnswers?: boolean;
};

/** Ids of events are parts of paths, and some providers' are long. */
const PARAMETER_CHARACTERS = 4_000;
/** Long enough for a user id and a state far over their limits to be refused with a reason. */
const HEADER_BYTES = 64 * 1024;
const BODY_BYTES = 1024 * 1024;

/** A server without routes. */
export function createServer({ log, trustProxy, secure, logsAnswers }: ServerOptions): FastifyInstance {
  const headers = securityHeaders(secure);
  const answerError = errorAnswers(log);
  const guard = (request: FastifyRequest, reply: FastifyReply) =>
    reply.headers(headers).header('x-request-id', request.id);
  const app = Fastify({
    logger: false,
    trustProxy: trustedProxies(trustProxy),
    bodyLimit: BODY_BYTES,
    genReqId: requestIds(),
    routerOptions: { maxParamLength: PARAMETER_CHARACTERS },
    exposeHeadRoutes: false, // A HEAD of /authorize would start an authorization request.
    forceCloseConnections: 'idle',
    return503OnClosing: false, // A request on a connection that is still open is answered like the others.
    http: { maxHeaderSize: HEADER_BYTES, requireHostHeader: false },
    clientErrorHandler: unparsedRequestAnswers(headers),
    // Before routing, and so before every hook.
    frameworkErrors: (error, request, reply) => answerError(error, request, guard(request, reply)),
  });
  app.setValidatorCompiler(TypeBoxValidatorCompiler);
  readForms(app);
  tolerateEmptyJson(app);
  mapErrors(app, log);
  closeGracefully(app);

  app.addHook('onRequest', (request, reply, next) => {
    guard(request, reply);
    next(problemOfHost(request.raw));
  });
  refuseExpectations(app, headers);
  if (logsAnswers) logAnswers(app, log);
  return app;
}

function logAnswers(app: FastifyInstance, log: Log): void {
  app.addHook('onResponse', (request, reply, next) => {
    // The route's pattern, not the address: queries carry user ids and states.
    const { method, id, routeOptions } = request;
    const fields = {
      method,
      route: routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    log.debug({ ...fields, requestId: id }, 'A request was answered');
    next();
  });
}

/** Ids that no two requests share, of all instances: a start drawn at random, and a count. */
function requestIds(): () => string {
  const start = randomBytes(6).toString('hex');
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}

/** As the framework wants it: a number of hops counts from the connection inwards. */
function trustedProxies(trust: number | string[] | undefined) {
  if (typeof trust !== 'number') return trust ?? false;
  return (_address: string, hop: number) => hop < trust;
}

/** Published clients send `Content-Type: application/json` with no body (docs/wire.md 1): that is no body. */
function tolerateEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('remove', 'remove');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else parse(request, body.toString(), done);
  });
}
