/**
 * The one place where errors become answers. A Refusal states its own; what the framework refuses gets
 * the documented shape of its endpoint; anything else is a fault: logged whole, and answered with as little as possible.
 */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Log } from '../lib/log.ts';
import { ApiError, type ErrorDetails, Refusal } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * `oauth`: errors have the shape of RFC 6749 §5.2. By default that of the REST interface
     * (docs/wire.md 3.1).
     */
    errorShape?: 'oauth';
  }
}

/** Installs the mapping for errors thrown in routes, refused by the framework, and unknown paths. */
export function mapErrors(app: FastifyInstance, log: Log): void {
  const answerError = errorAnswers(log);
  app.setErrorHandler<FastifyError | Error>(answerError);
  app.setNotFoundHandler((request, reply) => {
    const message = `There is nothing at ${request.method} ${request.url.split('?')[0]}`;
    return answerError(new ApiError(404, 'not_found', message), request, reply);
  });
}

/** Makes what answers one error; also for what fails before routing (`frameworkErrors`). */
export const errorAnswers =
  (log: Log) => (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = error instanceof Refusal ? error : refusalOfFramework(error, request);
    if (refusal !== undefined) {
      return reply.status(refusal.status).headers(refusal.headers).send(refusal.body);
    }
    log.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'A request failed');
    const message = `Something went wrong on our side; the operator finds it in the log under request ${request.id}`;
    const oauth = isOAuth(request) ? { error_description: message } : {};
    return reply
      .status(500)
      .send({ error: 'server_error', message, code: 'server_error', requestId: request.id, ...oauth });
  };

function refusalOfFramework(error: FastifyError | Error, request: FastifyRequest) {
  const status = 'statusCode' in error ? error.statusCode : undefined;
  if (status === undefined || status < 400 || status > 499) return undefined;
  const { message, details } = explain(error as FastifyError);
  if (!isOAuth(request)) {
    const code = details === undefined && status !== 400 ? 'request_refused' : 'invalid_request';
    return new ApiError(status, code, { message, ...(details === undefined ? {} : { details }) });
  }
  return {
    status: 400,
    headers: {},
    body: { error: 'invalid_request', error_description: message, message },
  };
}

function explain(error: FastifyError): { message: string; details?: ErrorDetails } {
  const [first] = error.validation ?? [];
  if (first === undefined) return { message: MESSAGES[error.code] ?? error.message };
  const missing = first.params.requiredProperties ?? first.params.missingProperty;
  const field = (Array.isArray(missing) ? missing[0] : missing) ?? first.instancePath.split('/')[1];
  if (!field) return { message: 'The request has no body that can be read: send the documented fields' };
  const problem = missing === undefined ? `${field} ${first.message}` : `${field} is missing`;
  return { message: problem, details: { [String(field)]: [problem] } };
}

/** The framework's own words where they help nobody. */
const MESSAGES: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'The body is empty',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'This content type is not supported',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The body is too large',
  FST_ERR_BAD_URL: 'The path is not valid percent-encoding',
};

const isOAuth = (request: FastifyRequest) => request.routeOptions?.config?.errorShape === 'oauth';
