/** The addresses of the Connect pages. */
import type { AppKind } from '../../access/provider-apps.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
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

/** How the user answered. */
export type UserAnswer = 'approved' | 'denied';

/**
 * What the application is told beside `state`. Approved: `code`, which is the user's id (docs/wire.md O2.3);
 * denied: `error=access_denied` (RFC 6749 §4.1.2.1).
 */
export function answerParameters(
  { userId }: AuthorizationRequest,
  answer: UserAnswer,
): Readonly<Record<string, string>> {
  return answer === 'approved'
    ? { code: userId }
    : { error: 'access_denied', error_description: 'The user did not allow the access' };
}

/** The redirect URI with the answer, and `state` if one came. */
export function answerUrl(request: AuthorizationRequest, answer: UserAnswer): string {
  const { redirectUri, state } = request;
  const parameters = Object.entries(answerParameters(request, answer));
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  // Kept in the spelling it came in: decoding and encoding it again could change its bytes.
  if (state !== undefined) query.push(`state=${state}`);
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  return redirectUri + separator + query.join('&');
}

/** What a person recognises the application's address by: its host, or the scheme of an installed app. */
export function domainOf(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (!url) return redirectUri;
  return isWeb(url) ? url.host : url.protocol.replace(/:$/, '');
}

/** The origin of a redirect URI on the web; `undefined` for one of an installed app. */
export function webOriginOf(redirectUri: string): string | undefined {
  const url = URL.parse(redirectUri);
  return url && isWeb(url) ? url.origin : undefined;
}

/** A callback on the developer's machine often redirects to another port there. */
const LOOPBACK = ['http://localhost:*', 'http://127.0.0.1:*'];

/** Hosts whose characters mean nothing else in a policy: names, and addresses with or without brackets. */
const HOST_SOURCE = /^[\w.-]+$|^\[[\da-f:.]+\]$/i;

/**
 * The CSP sources that let a form's redirect reach the application, and lets the application's callback
 * redirect on: Chromium holds every hop of that chain to `form-action`, and a callback on one origin
 * whose home is on another would leave the user on our page. A redirect URI's own source is its origin,
 * or its scheme where CSP has no words for the origin (private-use schemes; IP literals other than
 * 127.0.0.1, CSP 3 §6.7.2.8). A host that could end a source, as older databases may hold, has none.
 */
export function formTargetsOf(redirectUri: string): string[] {
  const url = URL.parse(redirectUri);
  if (!url) return [];
  if (!isWeb(url)) return [url.protocol];
  if (!HOST_SOURCE.test(url.hostname)) return [];
  return [...new Set([formSourceOf(url.origin), 'https:', ...(url.protocol === 'http:' ? LOOPBACK : [])])];
}

/** The CSP source of a web origin: its scheme where CSP has no words for the origin (see formTargetsOf). */
export function formSourceOf(origin: string): string {
  const { hostname, protocol } = new URL(origin);
  const isIp = /^\[|^[\d.]+$/.test(hostname) && hostname !== '127.0.0.1';
  return isIp || !HOST_SOURCE.test(hostname) ? protocol : origin;
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';
