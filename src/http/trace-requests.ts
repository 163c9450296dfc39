/** A span for each request, in which its handler works. */
import type { FastifyInstance } from 'fastify';

import type { Span, Tracer } from '../tracing/tracer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    span: Span | undefined;
  }
}

export type TracedRequests = {
  readonly tracer: Tracer;
  /** Whether the other end of the connection is a trusted proxy, whose `traceparent` is used. */
  readonly isProxy: (address: string) => boolean;
};

/** Monitoring requests every few seconds would be most of all traces. */
const UNTRACED = /^(\/api)?\/(health|ready|metrics)$/;

export function traceRequests(app: FastifyInstance, { tracer, isProxy }: TracedRequests): void {
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
          'kalends.application': asker?.clientId,
          'kalends.request_id': id,
        },
        statusCode >= 500,
      );
    next();
  });
}
