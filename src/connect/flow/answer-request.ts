/** The end of a flow: the user allows or cancels, once; a repeated click gets the same answer. */
import type { AuthorizationRequest } from './authorization-request-store.ts';
import type { ConnectDeps } from './connect-deps.ts';

/** How a request stands. */
export type Answer = AuthorizationRequest['status'];

type AnswerDeps = Pick<ConnectDeps, 'requests' | 'log' | 'now'>;

/**
 * Approves the request unless it was answered before, and says how it stands: `open` when the user
 * has no account that could be allowed. Only the first approval writes the code's record.
 */
export async function approve(request: AuthorizationRequest, deps: AnswerDeps): Promise<Answer> {
  if (request.status !== 'open') return request.status;
  const { transactionId, clientId } = request;
  if (!(await deps.requests.approveRequest(transactionId, deps.now()))) {
    return statusOf(transactionId, deps);
  }
  deps.log.info({ clientId, scope: request.scope }, 'An authorization request was approved');
  return 'approved';
}

/** Denies the request unless it was answered before, and says how it stands. */
export async function deny(request: AuthorizationRequest, deps: AnswerDeps): Promise<Answer> {
  if (request.status !== 'open') return request.status;
  if (!(await deps.requests.denyRequest(request.transactionId))) {
    return statusOf(request.transactionId, deps);
  }
  deps.log.info({ clientId: request.clientId }, 'An authorization request was denied');
  return 'denied';
}

async function statusOf(transactionId: string, { requests }: AnswerDeps): Promise<Answer> {
  return (await requests.findRequest(transactionId))?.status ?? 'open';
}
