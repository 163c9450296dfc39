/** Requests by route and status, and how long they took: counted in memory, read by GET /metrics. */
import type { FastifyRequest } from 'fastify';

import type { MetricFamily, Sample } from './metrics-text.ts';

/** Upper bounds, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Series = {
  readonly labels: Readonly<Record<string, string>>;
  readonly buckets: number[];
  sum: number;
  count: number;
};

export type RequestMetrics = {
  /** To be called with every answer. */
  answered(request: FastifyRequest, status: number, seconds: number): void;
  family(): MetricFamily;
};

/** Series are as many as there are routes and statuses: nothing that a caller sends is a label. */
export function requestMetrics(): RequestMetrics {
  const series = new Map<string, Series>();
  return {
    answered(request, status, seconds) {
      const { method } = request;
      // Paths that are not there would be a label each.
      const route = request.is404 ? '' : (request.routeOptions.url ?? '');
      const key = `${method} ${status} ${route}`;
      let one = series.get(key);
      if (one === undefined) {
        const labels = { method, route, status: String(status) };
        one = { labels, buckets: BOUNDS.map(() => 0), sum: 0, count: 0 };
        series.set(key, one);
      }
      const at = BOUNDS.findIndex((bound) => seconds <= bound);
      if (at >= 0) one.buckets[at] = (one.buckets[at] ?? 0) + 1;
      one.sum += seconds;
      one.count += 1;
    },
    family: () => ({
      name: 'kalends_http_request_duration_seconds',
      type: 'histogram',
      help: 'Requests by route and status, and the time until their answer was sent.',
      samples: [...series.values()].flatMap(samplesOf),
    }),
  };
}

function samplesOf({ labels, buckets, sum, count }: Series): Sample[] {
  let below = 0;
  const counted = BOUNDS.map((bound, at) => {
    below += buckets[at] ?? 0;
    return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below };
  });
  return [
    ...counted,
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: count },
  ];
}
