/** The paths of the Connect pages, and the redirect to the application. */
import type { AppKind } from '../../access/provider-apps.ts';
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';

/** Returns the selection page with all received parameters (docs/wire.md O4.1). `happened` names the last action and, after a dot, the key of its account. */
export function selectionPath(
  request: Pick<AuthorizationRequest, 'query' | 'redirectUri' | 'transactionId'>,
  happened?: string,
): string {
  const hasUri = /(^|&)redirect_uri=/.test(request.query);
  const parts = [
    ...(request.query === '' ? [] : [request.query]),
    ...(hasUri ? [] : [`redirect_uri=${encodeURIComponent(request.redirectUri)}`]),
    `transaction=${request.transactionId}`,
    ...(happened === undefined ? [] : [`happened=${happened}`]),
  ];
  return `/authorize?${parts.join('&')}`;
}

export const pathOfTransaction = ({ transactionId }: Pick<AuthorizationRequest, 'transactionId'>): string =>
  `/authorize?transaction=${transactionId}`;

/** Returns the last page of a reconnect link. */
export const reconnectedPath = ({ transactionId }: Pick<AuthorizationRequest, 'transactionId'>): string =>
  `/connect/reconnected?transaction=${transactionId}`;

export const startPath = (query: string): string => `/authorize?${query}`;

/** Returns the start of a provider's sign-in: our form, or the redirect to the provider's pages. */
export function signInPath(
  kind: ProviderKind,
  { transactionId }: AuthorizationRequest,
  accountKey?: string,
): string {
  const account = accountKey === undefined ? '' : `&account=${accountKey}`;
  return `/connect/${kind}?transaction=${transactionId}${account}`;
}

/** Returns the path to which the provider sends the browser back. It is registered there and must not change. */
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

export type PageName = keyof typeof PAGES;

/** Returns the path of a page by its name; that of the selection page for any other text. */
export function pagePath(name: string, request: AuthorizationRequest): string {
  const pageName = Object.hasOwn(PAGES, name) ? (name as PageName) : 'selection'; // it is one of its keys
  return PAGES[pageName](request);
}

export const accountPath = (
  page: 'disconnect' | 'calendars',
  { transactionId }: AuthorizationRequest,
  accountKey: string,
): string => `/connect/${page}?transaction=${transactionId}&account=${accountKey}`;

/** Returns the path that a form sent if it is safe to redirect to; `undefined` for any other origin. */
export function ownPath(text: string, publicUrl: string): string | undefined {
  const url = /^\/[\x21-\x7e]*$/.test(text) ? URL.parse(text, publicUrl) : null;
  if (url === null || url.origin !== new URL(publicUrl).origin) return undefined;
  // Resolved dots can leave two slashes at the start, after which browsers read a host.
  return url.pathname.startsWith('//') ? undefined : url.pathname + url.search;
}

export type UserAnswer = 'approved' | 'denied';

/** The parameters of an authorization response, without `state`. */
export type ResponseParameters = Readonly<Record<string, string>>;

/** Returns the redirect URI with the response parameters, and with `state` if one was received. */
export function responseUrl(
  { redirectUri, state }: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  parameters: ResponseParameters,
): string {
  const pairs = Object.entries(parameters);
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  // Spelled as received: decoding and encoding it again could change its bytes.
  if (state !== undefined) query.push(`state=${state}`);
  const separator = !redirectUri.includes('?') ? '?' : /[?&]$/.test(redirectUri) ? '' : '&';
  return redirectUri + separator + query.join('&');
}

/** Returns the name by which people recognize the application: its host, or the scheme of an installed app. */
export function displayDomain(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (!url) return redirectUri;
  return isWeb(url) ? url.host : url.protocol.replace(/:$/, '');
}

/** Returns the origin of a redirect URI on the web; `undefined` for an installed app. */
export function webOriginOf(redirectUri: string): string | undefined {
  const url = URL.parse(redirectUri);
  return url && isWeb(url) ? url.origin : undefined;
}

/** A callback on the developer's machine often redirects to another port there. */
const LOOPBACK = ['http://localhost:*', 'http://127.0.0.1:*'];

/** Hosts that are safe in a policy: names, and IP addresses with or without brackets. */
const HOST_SOURCE = /^[\w.-]+$|^\[[\da-f:.]+\]$/i;

/**
 * Returns the CSP sources that let a form's redirect reach the application and let its callback redirect again:
 * Chromium checks every hop against `form-action`. The source of a redirect URI is its origin, or its scheme if CSP
 * cannot express the origin (private-use schemes; IP literals other than 127.0.0.1, CSP 3 §6.7.2.8). An unsafe host, as
 * older databases may have, has none.
 */
export function formTargetsOf(redirectUri: string): string[] {
  const url = URL.parse(redirectUri);
  if (!url) return [];
  if (!isWeb(url)) return [url.protocol];
  if (!HOST_SOURCE.test(url.hostname)) return [];
  return [...new Set([toFormSource(url.origin), 'https:', ...(url.protocol === 'http:' ? LOOPBACK : [])])];
}

/** Returns the CSP source of a web origin: its scheme if CSP cannot express the origin (see formTargetsOf). */
export function toFormSource(origin: string): string {
  const { hostname, protocol } = new URL(origin);
  const isIp = /^\[|^[\d.]+$/.test(hostname) && hostname !== '127.0.0.1';
  return isIp || !HOST_SOURCE.test(hostname) ? protocol : origin;
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';
