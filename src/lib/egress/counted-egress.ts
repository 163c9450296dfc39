/** Egress with a limited number of requests, for work that a person waits for, such as a form. */
import type { Egress, EgressRequest } from './egress.ts';
import { EgressError } from './egress-error.ts';

/** Limits `egress` to `most` requests, redirects included; more fail with `too_many_requests`. `close` does nothing. */
export function countedEgress(egress: Egress, most: number): Egress {
  let sent = 0;
  const count = (): void => {
    if (sent >= most) throw tooManyRequests(most);
    sent += 1;
  };
  return {
    async request(request: EgressRequest) {
      count();
      return egress.request({
        ...request,
        mayFollow(target) {
          const follows = request.mayFollow?.(target) !== false;
          if (follows) count();
          return follows;
        },
      });
    },
    close: async () => undefined,
  };
}

const tooManyRequests = (most: number): EgressError =>
  new EgressError('too_many_requests', `The server needs more than ${most} requests for one form`);
