/** Stops work for a client that no longer waits for its response. */
import type { FastifyReply } from 'fastify';
import { ApiError, errorTable } from './refusal.ts';

export const CLOSING = errorTable({
  client_closed_request: {
    status: 499,
    message: 'The connection was closed before the response was ready',
    when: 'The client closed the connection during a large read. No client receives this: logs and metrics have it.',
    fix: 'Wait at least 30 seconds for a response, or request less: a shorter window or fewer calendars.',
  },
});
const CLOSED = new ApiError(CLOSING.client_closed_request);

/** Returns a signal that is aborted when the connection closes before the response was sent. Its reason is an ApiError. */
export function closedSignal({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  if (raw.destroyed) closed.abort(CLOSED);
  else raw.once('close', () => !raw.writableFinished && closed.abort(CLOSED));
  return closed.signal;
}
