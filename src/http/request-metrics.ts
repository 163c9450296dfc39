/** Request counts and durations by route and status: counted in memory, read by GET /metrics. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify';
import { type Histogram, histogram } from '../metrics/histogram.ts';

export type RequestMetrics = Histogram<'kalends_http_request_duration_seconds'>;

export const requestMetrics = (): RequestMetrics => histogram('kalends_http_request_duration_seconds');

type Clock = { since(request: IncomingMessage): number | undefined; now(): number };
type Sent = Parameters<onSendHookHandler>;

/** Counts responses of routes mounted after it, in one series per route and status. No label contains caller input. */
export function countAnswers(app: FastifyInstance, metrics: RequestMetrics, clock: Clock): void {
  // A hook per route knows the pattern. Reading it from the request would take longer than counting.
  app.addHook('onRoute', (route) => {
    const count = counting(route.url, metrics, clock);
    route.onSend = [...(route.onSend === undefined ? [] : [route.onSend].flat()), counted(count)];
  });
  // Unknown paths share one label.
  const count = counting('', metrics, clock);
  app.addHook(
    'onSend',
    counted((request, reply) => request.is404 && count(request, reply)),
  );
}

const counted =
  (count: (request: FastifyRequest, reply: FastifyReply) => unknown): onSendHookHandler =>
  (...[request, reply, payload, next]: Sent) => {
    count(request, reply);
    next(null, payload);
  };

function counting(route: string, metrics: RequestMetrics, { since, now }: Clock) {
  const observers = new Map<string, (seconds: number) => void>();
  return ({ method, raw }: FastifyRequest, { statusCode }: FastifyReply): void => {
    const key = `${method} ${statusCode}`;
    let observe = observers.get(key);
    if (observe === undefined) {
      observe = metrics.of({
        method: KNOWN.has(method) ? method : 'other',
        route,
        status: String(statusCode),
      });
      observers.set(key, observe);
    }
    const at = now();
    observe((at - (since(raw) ?? at)) / 1000);
  };
}

/** Node accepts some thirty more methods, such as those of WebDAV. */
const KNOWN: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
