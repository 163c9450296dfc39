/** Rules for redirect URIs (RFC 9700 §2.1, RFC 8252 §7) and webhook URLs. Only registered URIs receive codes. */
import { SETTINGS } from '../branding/settings-error.ts';
import { ApiError } from '../http/refusal.ts';
import { isLoopbackHost } from '../lib/egress/private-network.ts';
import { registeredUris } from './client.ts';
import type { Issuer } from './issuers.ts';

/** The maximum length of a redirect URI and of a webhook URL, in characters. */
export const MOST_URI_CHARACTERS = 2048;

/** The maximum of redirect URIs per application, the default included. */
export const MOST_REDIRECT_URIS = 20;

/**
 * Returns the redirect URI of a request: the one that it names, by exact comparison (RFC 9700 §2.1), or the default if it
 * names none. Undefined if it names an unregistered one. With only one registered URI, the request's is ignored. A strict
 * issuer requires and compares it always.
 */
export function chooseRedirectUri(
  requested: string | undefined,
  registered: Parameters<typeof registeredUris>[0],
  { isStrict }: Pick<Issuer, 'isStrict'>,
): string | undefined {
  const { redirectUri, furtherRedirectUris } = registered;
  if (!isStrict && (requested === undefined || furtherRedirectUris.length === 0)) return redirectUri;
  return registeredUris(registered).find((uri) => uri === requested);
}

export const UNREGISTERED_REDIRECT_URI = 'redirect_uri is not registered for this application';

/** A change of the redirect URIs: a new list or a new default, then what is removed and added at the end. */
export type RedirectUriChange = {
  readonly all?: readonly string[] | undefined;
  readonly default?: string | undefined;
  readonly removed?: readonly string[] | undefined;
  readonly added?: readonly string[] | undefined;
};

/** Returns the changed list, or the problems as sentences. Throws ApiError 409 if it would be empty. */
export function planRedirectUris(
  registered: readonly string[],
  { all, removed = [], added = [], ...change }: RedirectUriChange,
): { readonly uris: readonly string[]; readonly problems: readonly string[] } {
  const { default: first = registered[0] } = change;
  const before = all ?? (first === undefined ? [] : [first, ...registered.slice(1)]);
  const uris = [...before.filter((uri) => !removed.includes(uri)), ...added];
  if (uris.length === 0) throw new ApiError(SETTINGS.last_redirect_uri);
  const unknown = removed.filter((uri) => !before.includes(uri));
  const problems = unknown.map((uri) => `The redirect URI "${shortened(uri)}" is not registered`);
  return { uris, problems: [...problems, ...redirectUrisProblems(uris)] };
}

/** Returns a sentence for each problem of a list of redirect URIs. */
export function redirectUrisProblems(uris: readonly string[]): string[] {
  if (uris.length > MOST_REDIRECT_URIS)
    return [`An application can have at most ${MOST_REDIRECT_URIS} redirect URIs`];
  return uris.flatMap((uri, i) => {
    const problem = redirectUriProblem(uri) ?? (uris.indexOf(uri) < i ? 'occurs twice' : undefined);
    const name = uris.length === 1 ? '' : ` "${shortened(uri)}"`;
    return problem === undefined ? [] : [`The redirect URI${name} ${problem}`];
  });
}

const shortened = (uri: string): string => (uri.length > 100 ? `${uri.slice(0, 99)}…` : uri);

/** The response adds these parameters (RFC 6749 §4.1.2), so a registered one would occur twice. */
const ANSWER_PARAMETERS = ['code', 'state', 'error', 'error_description'];

/**
 * Returns the problem as the end of a sentence ("The redirect URI …"); undefined for an absolute URL without a fragment
 * whose scheme is https, http on this machine (RFC 8252 §7.3), or a domain-based private scheme (§7.1).
 */
export function redirectUriProblem(text: string): string | undefined {
  const problem = uriProblem(text);
  if (problem !== undefined) return problem;
  const url = new URL(text);
  if (isWebScheme(url)) return webProblem(url) ?? answerParameterProblem(url);
  // The dot also excludes javascript:, data:, file: and every other scheme that browsers act on.
  if (!/^[a-z][a-z\d+-]*(\.[a-z\d+-]+)+:$/.test(url.protocol))
    return 'must be https, http on this machine, or your own scheme named after a domain that you own, such as com.example.app:/callback';
  return answerParameterProblem(url);
}

/** Returns the same for a webhook URL: https, or http on this machine. */
export function webhookUrlProblem(text: string): string | undefined {
  const problem = uriProblem(text);
  if (problem !== undefined) return problem;
  const url = new URL(text);
  return isWebScheme(url) ? webProblem(url) : 'must be https, or http on this machine';
}

/**
 * A name, an IPv4 address or a bracketed IPv6 address. The URL parser also accepts `;` and `,`, which would end a
 * source in the Content-Security-Policy of pages.
 */
const HOST = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*\.?|\[[\da-f:.]+\])$/;

const isWebScheme = (url: URL): boolean => url.protocol === 'https:' || url.protocol === 'http:';

function uriProblem(text: string): string | undefined {
  if (text === '') return 'must not be empty';
  if (text.length > MOST_URI_CHARACTERS) return `must not be longer than ${MOST_URI_CHARACTERS} characters`;
  // The URL parser would silently drop or rewrite these, and later comparisons use the text itself.
  if (!/^[\x21-\x7e]+$/.test(text) || /[\\"<>^`{|}]/.test(text))
    return 'must consist of the characters URLs have: percent-encode spaces, quotes and letters beyond ASCII';
  if (!URL.canParse(text)) return 'must be an absolute URL, such as https://app.example.com/callback';
  // Browsers would resolve it as a path on the current page's server (URL Standard §4.4).
  if (/^https?:(?!\/\/[^/])/i.test(text)) return 'must have two slashes and a host after its scheme';
  if (text.includes('#')) return 'must have no fragment (the part behind #)';
  return undefined;
}

function webProblem(url: URL): string | undefined {
  if (url.username !== '' || url.password !== '') return 'must have no user name or password';
  if (url.hostname.includes('*')) return 'must name one host: there are no wildcards';
  if (!HOST.test(url.hostname))
    return 'must have a name or an address for its host: letters, digits, dots, hyphens and underscores';
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return 'must be https: plain http is for this machine only (localhost, 127.0.0.1, [::1])';
  return undefined;
}

function answerParameterProblem(url: URL): string | undefined {
  const conflict = ANSWER_PARAMETERS.find((name) => url.searchParams.has(name));
  return conflict === undefined
    ? undefined
    : `must not have a parameter "${conflict}": the answer brings its own`;
}
