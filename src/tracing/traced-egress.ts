import { currentTrace, toTraceparent } from '../lib/current-trace.ts';
import type { Egress } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';
import type { Tracer } from './tracer.ts';

export type TracedTo = {
  /** A provider, or `webhook`. */
  readonly peer: string;
  /** Whether requests send the trace to the peer. */
  readonly tells: boolean;
  /** Whether spans name the peer's servers. Not for servers of users, whose names may be personal. */
  readonly namesServers: boolean;
};

/** Returns an egress that records each request as a span of the current trace, if there is one. */
export function tracedEgress(
  egress: Egress,
  { peer, tells, namesServers }: TracedTo,
  tracer: Tracer,
): Egress {
  return {
    async request(request) {
      if (currentTrace.getStore() === undefined) return egress.request(request);
      const span = tracer.start('client');
      const headers = tells
        ? { ...request.headers, traceparent: toTraceparent(span.context) }
        : request.headers;
      const end = (outcome: { readonly status?: number; readonly error?: string }) =>
        span.end(
          `${request.method} ${peer}`,
          {
            'kalends.peer': peer,
            ...(namesServers && span.context.isSampled && serverAttributes(request.url)),
            'http.request.method': request.method,
            'http.response.status_code': outcome.status,
            'error.type': outcome.error,
          },
          outcome.error !== undefined || (outcome.status ?? 0) >= 400,
        );
      try {
        const answer = await tracer.run(span, () =>
          egress.request(headers === undefined ? request : { ...request, headers }),
        );
        end({ status: answer.status });
        return answer;
      } catch (reason) {
        end({ error: reason instanceof EgressError ? reason.kind : 'fault' });
        throw reason;
      }
    },
    close: () => egress.close(),
  };
}

function serverAttributes(address: string | URL) {
  const url = URL.parse(String(address));
  return {
    'server.address': url?.hostname.replace(/^\[|\]$/g, ''),
    'server.port': url === null ? undefined : Number(url.port) || (url.protocol === 'http:' ? 80 : 443),
  };
}
