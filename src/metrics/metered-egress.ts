import type { Egress, EgressRequest } from '../lib/egress/egress.ts';
import { EgressError } from '../lib/egress/egress-error.ts';

/** A request that got a response or failed. */
export type SentRequest = {
  readonly outcome: string;
  readonly seconds: number;
  readonly account: string | undefined;
};

/** Returns the same egress, which calls `sent` after each request. */
export const meteredEgress = (egress: Egress, sent: (request: SentRequest) => void): Egress => ({
  async request(request: EgressRequest) {
    const begun = performance.now();
    const record = (outcome: string) =>
      sent({ outcome, seconds: (performance.now() - begun) / 1000, account: request.account });
    try {
      const answer = await egress.request(request);
      record(toOutcome(answer.status));
      return answer;
    } catch (reason) {
      record(reason instanceof EgressError ? reason.kind : 'fault');
      throw reason;
    }
  },
  close: () => egress.close(),
});

const OUTCOMES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  410: 'gone',
  412: 'conflict',
  429: 'rate_limited',
};

/** Maps to few values: a server can send any status, and each outcome is a series. */
function toOutcome(status: number): string {
  if (status < 300) return 'ok';
  if (status < 400) return status === 304 ? 'ok' : 'redirect';
  return OUTCOMES[status] ?? (status < 500 ? 'client_error' : 'server_error');
}
