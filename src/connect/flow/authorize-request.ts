/** Parses the query of `GET /authorize` (docs/wire.md O4.1, 1.1), also a pushed one. Others look up the application. */
import { parseTheme, type Theme } from '../../branding/branding.ts';
import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../../calendars/provider-facts.ts';
import {
  type QueryParameter,
  type ReceivedQuery,
  scalar,
  scalarSpelling,
  values,
} from '../../http/received-query.ts';
import { ANY_CALL } from '../../http/refusal.ts';
import { AUTHORIZATION, OAuthError } from '../../oauth/oauth-error.ts';
import { isCodeChallenge } from '../../oauth/pkce.ts';
import { isPlaygroundUser } from '../../oauth/playground-users.ts';
import { parseScope } from '../../oauth/scope.ts';
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { ConnectError, type ConnectErrorKind } from './connect-error.ts';

/** Browsers drop a cookie over 4,096 bytes, and one cookie contains the user's id. */
const USER_ID_BYTES = 512;
const STATE_BYTES = 2048;
/** No `client_id` is longer, so a longer one needs no database query. */
const CLIENT_ID_LENGTH = 200;

export type AuthorizeRequest = Pick<
  AuthorizationRequest,
  'userId' | 'scope' | 'state' | 'codeChallenge' | 'theme' | 'display' | 'providers'
>;

/** Returns the `client_id`, or `undefined` if it is missing or cannot exist. */
export function readClientId(query: ReceivedQuery): string | undefined {
  const clientId = scalar(query, 'client_id');
  if (clientId === undefined || clientId.length > CLIENT_ID_LENGTH) return undefined;
  return hasUnusableCharacters(clientId) ? undefined : clientId;
}

type KeptParameters = Partial<Pick<AuthorizeRequest, 'providers'>> & {
  /** Whether the application has several redirect URIs, so that the requested one counts. */
  readonly keepsRedirectUri?: boolean;
  /** Whether the request names a resource that counts. */
  readonly keepsResource?: boolean;
  /** Whether the application has a sender constraint, so that the code can be bound to a key. */
  readonly keepsDpopJkt?: boolean;
};

/** Returns the query that starts the same flow again: only known parameters, as received, to limit its size. */
export function startingQuery(
  query: ReceivedQuery,
  { providers = PROVIDER_KINDS, ...kept }: KeptParameters = {},
): string {
  const first = new Map(
    query.toReversed().flatMap((one) => (one.value === '' ? [] : [[one.name, one] as const])),
  );
  const isKeptToo = ({ name }: QueryParameter) =>
    (kept.keepsRedirectUri && name === 'redirect_uri') ||
    (kept.keepsResource && name === 'resource') ||
    (kept.keepsDpopJkt && name === 'dpop_jkt');
  const spellings = query
    .filter((one) => first.get(one.name) === one && (isKept(one) || isKeptToo(one)))
    .map(({ spelling }) => spelling);
  const isLimited = providers.length < PROVIDER_KINDS.length;
  return [...spellings, ...(isLimited ? [`providers=${providers.join(',')}`] : [])].join('&');
}

const LONG_PARAMETERS = ['client_id', 'user_id', 'state'];
/** Parameters whose valid values are no longer than SHORT_CHARACTERS in any encoding. */
const SHORT_PARAMETERS = [
  ...['scope', 'lng', 'theme', 'display', 'response_type'],
  ...['code_challenge', 'code_challenge_method', 'request_uri'],
];
const SHORT_CHARACTERS = 400;

const isKept = ({ name, spelling }: QueryParameter): boolean =>
  LONG_PARAMETERS.includes(name) || (SHORT_PARAMETERS.includes(name) && spelling.length <= SHORT_CHARACTERS);

/** Parses the rest of the query. Throws ConnectError 400 about the first invalid parameter. */
export function readAuthorizeRequest(
  query: ReceivedQuery,
  { acceptsPlayground = false }: { readonly acceptsPlayground?: boolean } = {},
): AuthorizeRequest {
  const userId = readUserId(query);
  if (!acceptsPlayground && isPlaygroundUser(userId))
    throw invalid('user_id', 'user_id must not start with playground: the dashboard uses such users');
  const scope = parseScope(scalar(query, 'scope'));
  if (scope === undefined)
    throw invalid('scope', 'scope is not one of free-busy, read, read-write', 'scope_unknown');
  const state = readState(query);
  const responseType = scalar(query, 'response_type');
  if (responseType !== undefined && responseType !== 'code')
    throw invalid('response_type', 'response_type must be code', 'response_type_unsupported');
  const codeChallenge = readCodeChallenge(query);
  // Implements OpenID Connect Core 1.0 §3.1.2.1. Every other value means the ordinary page.
  const display = scalar(query, 'display')?.toLowerCase() === 'popup' ? 'popup' : 'page';
  const providers = readProviders(query);
  return { userId, scope, state, codeChallenge, theme: readTheme(query), display, providers };
}

export const readTheme = (query: ReceivedQuery): Theme | undefined =>
  parseTheme(scalar(query, 'theme')?.toLowerCase());

function readUserId(query: ReceivedQuery): string {
  const userId = scalar(query, 'user_id');
  if (userId === undefined) throw invalid('user_id', 'user_id is missing', 'parameter_missing');
  if (Buffer.byteLength(userId) > USER_ID_BYTES)
    throw invalid('user_id', `user_id is longer than ${USER_ID_BYTES} bytes of UTF-8`);
  if (hasUnusableCharacters(userId))
    throw invalid('user_id', 'user_id has control characters or is not UTF-8');
  return userId;
}

function readState(query: ReceivedQuery): string | undefined {
  const state = scalarSpelling(query, 'state');
  const bytes = state?.replace(/%[\da-f]{2}/gi, '.').length ?? 0;
  if (bytes > STATE_BYTES) throw invalid('state', `state is longer than ${STATE_BYTES} bytes`);
  return state;
}

/** Implements PKCE (RFC 7636 §4.3) with S256 only, so that no request is silently downgraded. */
function readCodeChallenge(query: ReceivedQuery): string | undefined {
  const challenge = scalar(query, 'code_challenge');
  const method = scalar(query, 'code_challenge_method');
  if (challenge === undefined && method === undefined) return undefined;
  if (challenge === undefined)
    throw invalid('code_challenge', 'code_challenge_method without code_challenge', 'parameter_missing');
  if (method !== 'S256') throw invalid('code_challenge_method', 'code_challenge_method must be S256');
  if (!isCodeChallenge(challenge))
    throw invalid('code_challenge', 'code_challenge must be 43 characters of base64url');
  return challenge;
}

/** Accepts both encodings in any mixture. Ignores unknown names; without a known one all providers are offered. */
function readProviders(query: ReceivedQuery): readonly ProviderKind[] {
  const providers = values(query, 'providers').flatMap((value) => value.split(',').map(parseProviderKind));
  const offered = PROVIDER_KINDS.filter((kind) => providers.includes(kind));
  return offered.length > 0 ? offered : PROVIDER_KINDS;
}

/** Matches control characters (PostgreSQL rejects NUL) and the replacement character of invalid UTF-8. */
const hasUnusableCharacters = (text: string): boolean => /[\p{Cc}\u2028\u2029\ufffd]/u.test(text);

const invalid = (
  parameter: string,
  description: string,
  kind: ConnectErrorKind = 'parameter_invalid',
): ConnectError => new ConnectError(kind, { parameter, description });

const ROWS = [AUTHORIZATION.invalid_scope, AUTHORIZATION.unsupported_response_type];

/**
 * Returns the query that `/authorize` reads, if an application may push it (RFC 9126 §2.1). Throws OAuthError with the
 * code and description of `/authorize`.
 */
export function checkPushedParameters(query: ReceivedQuery): string {
  try {
    return startingQuery(query, readAuthorizeRequest(query));
  } catch (reason) {
    if (!(reason instanceof ConnectError)) throw reason;
    const row = ROWS.find(({ code }) => code === reason.body.error) ?? ANY_CALL.invalid_request;
    throw new OAuthError(row, reason.message);
  }
}
