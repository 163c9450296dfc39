/** Egress for one piece of work that somebody waits for, such as a form, with a limited number of requests. */
import type { Egress, EgressRequest } from './egress.ts';
import { EgressError } from './egress-error.ts';

/**
 * Returns the same egress, limited to `most` requests in all, including each followed redirect. Further requests fail
 * with EgressError `too_many_requests` at once. Closing it closes nothing, because others use the egress too.
 */
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
