/** Stops work for a client that no longer waits for its response. */
import type { FastifyReply } from 'fastify';
import { ApiError } from './refusal.ts';
import { SERVER } from './server-error.ts';

const CLOSED = new ApiError(SERVER.client_closed_request);

/** Returns a signal that is aborted when the connection closes or the response was sent. Its reason is an ApiError. */
export function closedSignal({ raw }: FastifyReply): AbortSignal {
  const closed = new AbortController();
  if (raw.destroyed) closed.abort(CLOSED);
  else raw.once('close', () => closed.abort(CLOSED));
  return closed.signal;
}
