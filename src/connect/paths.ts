/** The addresses of the Connect pages. */
import type { ProviderKind } from '../calendars/provider-kind.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';

/**
 * The provider-selection page: what the application sent, with the registered redirect URI and the
 * transaction (requirement §4.1). `happened` makes the page say what was just done.
 */
export function selectionPath(request: AuthorizationRequest, happened?: string): string {
  const parts = [
    ...(request.query === '' ? [] : [request.query]),
    `redirect_uri=${encodeURIComponent(request.redirectUri)}`,
    `transaction=${request.transactionId}`,
    ...(happened === undefined ? [] : [`happened=${happened}`]),
  ];
  return `/authorize?${parts.join('&')}`;
}

/** Starts the same flow again. */
export const startPath = (query: string): string => `/authorize?${query}`;

export const formPath = (kind: ProviderKind, { transactionId }: AuthorizationRequest): string =>
  `/connect/${kind}?transaction=${transactionId}`;
