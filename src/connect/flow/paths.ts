/** The addresses of the Connect pages. */
import type { AppKind } from '../../access/provider-apps.ts';
import type { ProviderKind } from '../../calendars/provider-kind.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';

/**
 * The provider-selection page: what the application sent, with the registered redirect URI and the
 * transaction (docs/wire.md O4.1). `happened` makes the page say what was just done.
 */
export function selectionPath(
  request: Pick<AuthorizationRequest, 'query' | 'redirectUri' | 'transactionId'>,
  happened?: string,
): string {
  const parts = [
    ...(request.query === '' ? [] : [request.query]),
    `redirect_uri=${encodeURIComponent(request.redirectUri)}`,
    `transaction=${request.transactionId}`,
    ...(happened === undefined ? [] : [`happened=${happened}`]),
  ];
  return `/authorize?${parts.join('&')}`;
}

/** The same page without what the application sent. */
export const pathOfTransaction = ({ transactionId }: Pick<AuthorizationRequest, 'transactionId'>): string =>
  `/authorize?transaction=${transactionId}`;

/** Starts the same flow again. */
export const startPath = (query: string): string => `/authorize?${query}`;

/** Where a provider's sign-in begins: a form of ours, or the way to the provider's own pages. */
export function signInPath(
  kind: ProviderKind,
  { transactionId }: AuthorizationRequest,
  accountKey?: string,
): string {
  const account = accountKey === undefined ? '' : `&account=${accountKey}`;
  return `/connect/${kind}?transaction=${transactionId}${account}`;
}

/** Where the provider sends the browser back to; registered there, so that it never changes. */
export const callbackPath = (kind: AppKind): string => `/connect/${kind}/callback`;

const PAGES = {
  selection: selectionPath,
  consent: ({ transactionId }: AuthorizationRequest) => `/connect/consent?transaction=${transactionId}`,
  disconnect_all: ({ transactionId }: AuthorizationRequest) =>
    `/connect/disconnect-all?transaction=${transactionId}`,
  waiting: ({ transactionId }: AuthorizationRequest) => `/connect/waiting?transaction=${transactionId}`,
  apple: (request: AuthorizationRequest) => signInPath('apple', request),
  caldav: (request: AuthorizationRequest) => signInPath('caldav', request),
} as const;

/** The pages of a request that its reader can come back to. */
export type PageName = keyof typeof PAGES;

/** The address of a page of ours by its name; the selection page's for every other word. */
export function pagePath(name: string, request: AuthorizationRequest): string {
  const pageName = Object.hasOwn(PAGES, name) ? (name as PageName) : 'selection'; // it is one of its keys
  return PAGES[pageName](request);
}

/** The page about one account: the question before it is disconnected, or which of its calendars are shared. */
export const accountPath = (
  page: 'disconnect' | 'calendars',
  { transactionId }: AuthorizationRequest,
  accountKey: string,
): string => `/connect/${page}?transaction=${transactionId}&account=${accountKey}`;

/** A path of ours that a form sent, as it can be led back to; `undefined` for an address of anybody else. */
export function ownPath(text: string, publicUrl: string): string | undefined {
  const url = /^\/[\x21-\x7e]*$/.test(text) ? URL.parse(text, publicUrl) : null;
  if (url === null || url.origin !== new URL(publicUrl).origin) return undefined;
  // Dots that are resolved can leave two slashes at the start, behind which browsers read another host.
  return url.pathname.startsWith('//') ? undefined : url.pathname + url.search;
}
