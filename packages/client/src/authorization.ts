/** The OAuth flow: out to the service's pages, back with a code, and tokens for it. */
import type { AccountOfProvider, Provider, Scope } from './calendar-shapes.ts';
import type { ClientAuthentication, ClientCredentials } from './client-authentication.ts';
import { base64url } from './dpop.ts';
import { isRecord, KalendsError } from './kalends-error.ts';
import { type SendOptions, send } from './send.ts';
import type { Tokens } from './tokens.ts';

/** The application as it is registered. */
export type Registration = ClientCredentials & {
  readonly redirectUri: string;
  /** The application's code format: `user-id` by default, `opaque` if an `issuer` is given. */
  readonly codes?: 'user-id' | 'opaque' | undefined;
  /**
   * The `iss` that each callback must have (RFC 9207). Without it, an `iss` that is present must be the `url`. The strict
   * issuer, `url` and `/fapi2`, is for applications with the profile `fapi2` and has its own endpoints.
   */
  readonly issuer?: string | undefined;
};

/** The user to send to the service's pages, and the requested access. */
export type AuthorizationRequest = {
  /** The application's own id of the user. */
  readonly userId: string;
  /** Unguessable, kept in the browser's session, and compared when the browser is back. */
  readonly state: string;
  /** `read-write` by default. */
  readonly scope?: Scope;
  /** The language of the pages as a BCP 47 tag; by default the browser's. */
  readonly language?: string;
  readonly theme?: 'auto' | 'light' | 'dark';
  /**
   * `popup`: for a separate window, whose last page sends a message to the page that opened it; an ordinary page by
   * default.
   */
  readonly display?: 'page' | 'popup';
  /** The providers to offer; all four by default. */
  readonly providers?: readonly Provider[];
  /** PKCE, S256. */
  readonly codeChallenge?: string;
};

/** A request that only the application can make, so it proves who the user is. */
export type PushedAuthorizationRequest = AuthorizationRequest & {
  /** The user's name, shown on the pages. */
  readonly userName?: string;
  /** The e-mail address that the user probably signs in with. */
  readonly loginHint?: string;
  /** An account of the user that needs reconnecting: the flow starts with its sign-in. */
  readonly reconnect?: AccountOfProvider | undefined;
};

/** A verifier to keep in the browser's session, and its S256 challenge (RFC 7636). */
export type Pkce = { readonly codeVerifier: string; readonly codeChallenge: string };

/** The redirect back from the service, and what the application knows about the flow. */
export type Callback = {
  /** The address the browser came back to, with its query; from a popup the `redirect_uri` of its message. */
  readonly url: string | URL;
  /** The `state` that was kept in this browser's session. */
  readonly state: string;
  /** The user who is signed in to the application: no other's code is accepted. */
  readonly userId: string;
  /** Required if a `codeChallenge` was sent. */
  readonly codeVerifier?: string;
};

/**
 * Returns the address of the service's pages. Throws TypeError without a `state`, the only protection of the redirect.
 */
export function authorizationUrl(
  request: AuthorizationRequest,
  { clientId, redirectUri }: Registration,
  baseUrl: string,
): URL {
  const { userId, state, scope, language, theme, display, providers, codeChallenge } = request;
  if (!state) throw new TypeError('state must not be empty');
  const parameters = {
    client_id: clientId,
    user_id: userId,
    response_type: 'code',
    redirect_uri: redirectUri,
    state,
    scope,
    lng: language,
    theme,
    display,
    providers: providers?.join(','),
    code_challenge: codeChallenge,
    code_challenge_method: codeChallenge && 'S256',
  };
  const url = new URL(`${baseUrl}/authorize`);
  for (const [name, value] of Object.entries(parameters)) if (value) url.searchParams.set(name, value);
  return url;
}

/** Pushes the request (RFC 9126) and returns the address of the service's pages. Fails as `authorizationUrl` does. */
export async function pushedAuthorizationUrl(
  { userName, loginHint, reconnect, ...request }: PushedAuthorizationRequest,
  registration: Registration,
  { sending, authentication }: Authenticated,
): Promise<URL> {
  const url = authorizationUrl(request, registration, sending.baseUrl);
  const form = new URLSearchParams(url.searchParams);
  if (userName) form.set('user_name', userName);
  if (loginHint) form.set('login_hint', loginHint);
  if (reconnect) form.set('reconnect', `${reconnect.provider}:${reconnect.account}`);
  const body = await sendAuthenticated('/par', Object.fromEntries(form), { sending, authentication });
  const { request_uri } = isRecord(body) ? body : {};
  if (typeof request_uri !== 'string') throw refusal('unreadable', 'The service’s answer has no request_uri');
  url.search = String(new URLSearchParams({ client_id: registration.clientId, request_uri }));
  return url;
}

/** Returns a new random pair for one flow. */
export async function createPkce(): Promise<Pkce> {
  const codeVerifier = base64url(crypto.getRandomValues(new Uint8Array(32)));
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
  return { codeVerifier, codeChallenge: base64url(new Uint8Array(digest)) };
}

/**
 * Returns the code of a callback that belongs to this session and this user. An opaque code does not show its user: see
 * `requireUser`. Throws KalendsError.
 */
export function codeOf(
  { url, state, userId }: Callback,
  registration: Registration,
  baseUrl: string,
): string {
  const { redirectUri, issuer } = registration;
  const answer = new URL(url, redirectUri).searchParams;
  if (!state || answer.get('state') !== state)
    throw refusal('state_mismatch', 'This answer is not of this browser’s request');
  const iss = answer.get('iss');
  if (iss === null ? issuer !== undefined : iss !== (issuer ?? baseUrl))
    throw refusal('issuer_mismatch', 'This answer is of another service');
  const error = answer.get('error');
  if (error !== null)
    throw refusal(error, answer.get('error_description') ?? 'The authorization was refused');
  const code = answer.get('code');
  // The code is the user's id: another user's code would connect another person's calendars to this session.
  if (!code || (!isOpaque(registration) && code !== userId)) throw refusal('user_mismatch', ANOTHER_USER);
  return code;
}

const ANOTHER_USER = 'This answer is of another user';

const isOpaque = ({ codes, issuer }: Registration): boolean =>
  (codes ?? (issuer === undefined ? 'user-id' : 'opaque')) === 'opaque';

/** Returns tokens for a code that `codeOf` returned, if they are of this user. Throws KalendsError. */
export function requireUser(tokens: Tokens, userId: string, registration: Registration): Tokens {
  if (isOpaque(registration) && subjectOf(tokens.accessToken) !== userId)
    throw refusal('user_mismatch', ANOTHER_USER);
  return tokens;
}

/** Returns `sub` of a token that the service itself sent, so its signature need not be checked. */
function subjectOf(token: string): unknown {
  const [, payload = ''] = token.split('.');
  try {
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
    return JSON.parse(text).sub;
  } catch {
    throw refusal('unreadable', 'The service’s access token cannot be read');
  }
}

/** Grants at the token endpoint, as the application. */
export type TokenEndpoint = {
  exchange(code: string, codeVerifier: string | undefined): Promise<Tokens>;
  /** Concurrent calls with one token share one request, because the service would refuse the second. */
  refresh(refreshToken: string): Promise<Tokens>;
};

/** How an application sends requests to the endpoints of its issuer. */
export type Authenticated = {
  readonly sending: SendOptions;
  readonly authentication: ClientAuthentication;
};

/** Sends a form with the credentials of the application, and returns the body of the response. */
export async function sendAuthenticated(
  path: string,
  form: Readonly<Record<string, string>>,
  { sending, authentication }: Authenticated,
): Promise<unknown> {
  const { credentials } = authentication;
  const sent = { form: new URLSearchParams(form), credentials, repeatable: true, proof: {} };
  return (await send({ method: 'POST', path, ...sent }, sending)).body;
}

/** Returns the token endpoint for this application; `now` is epoch milliseconds. */
export function tokenEndpoint(
  { redirectUri }: Registration,
  { sending, authentication }: Authenticated,
  now: () => number,
): TokenEndpoint {
  const grant = async (granted: Record<string, string>): Promise<Tokens> => {
    const { credentials } = authentication;
    const form = new URLSearchParams(granted);
    // This request is never repeated: if its response is lost, the code or token has been used.
    const call = { method: 'POST', path: '/token', form, credentials, proof: {} } as const;
    return tokensIn((await send(call, sending)).body, now());
  };
  const refreshing = new Map<string, Promise<Tokens>>();
  return {
    exchange(code, codeVerifier) {
      const verifier = codeVerifier === undefined ? {} : { code_verifier: codeVerifier };
      return grant({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...verifier });
    },
    refresh(refreshToken) {
      const underWay = refreshing.get(refreshToken);
      if (underWay !== undefined) return underWay;
      const tokens = grant({ grant_type: 'refresh_token', refresh_token: refreshToken }).finally(() =>
        refreshing.delete(refreshToken),
      );
      refreshing.set(refreshToken, tokens);
      return tokens;
    },
  };
}

const refusal = (code: string, message: string) => new KalendsError(message, { status: 0, code });

function tokensIn(answer: unknown, now: number): Tokens {
  const { access_token, refresh_token, expires_in } = isRecord(answer) ? answer : {};
  const readable =
    typeof access_token === 'string' && typeof refresh_token === 'string' && typeof expires_in === 'number';
  if (!readable) throw refusal('unreadable', 'The service’s answer has no tokens');
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    expiresAt: now + expires_in * 1000,
  };
}
