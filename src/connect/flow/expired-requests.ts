import type { AuthorizationRequestStore } from './authorization-request-store.ts';
import { REQUEST_LIFETIME_MS } from './connect-flow.ts';

export type ExpiredRequestsDeps = {
  readonly requests: Pick<AuthorizationRequestStore, 'deleteExpiredRequests'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Deletes the requests that can no longer be answered; answers how many. */
export const deleteExpiredRequests = ({ requests, now }: ExpiredRequestsDeps): Promise<number> =>
  requests.deleteExpiredRequests(now() - REQUEST_LIFETIME_MS);
