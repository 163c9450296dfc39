/** Egress for one piece of work that somebody waits for, such as a form: it sends so many requests and no more. */
import type { Egress, EgressRequest } from './egress.ts';
import { EgressError } from './egress-error.ts';

/**
 * The same egress, for at most `most` requests in all; each redirect that is followed is one. What would be sent beyond
 * fails with EgressError `too_many_requests`, at once. Closing it closes nothing: others use the egress too.
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
