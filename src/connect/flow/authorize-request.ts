/**
 * What `GET /authorize` asks for (docs/wire.md O4.1, 1.1), read once from its query. The
 * application comes first and is looked up elsewhere; here is everything after it.
 */
import { parseTheme, type Theme } from '../../branding/branding.ts';
import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../../calendars/provider-facts.ts';
import {
  type QueryParameter,
  type ReceivedQuery,
  scalar,
  scalarSpelling,
  values,
} from '../../http/received-query.ts';
import { isCodeChallenge } from '../../oauth/pkce.ts';
import { isPlaygroundUser } from '../../oauth/playground-users.ts';
import { parseScope } from '../../oauth/scope.ts';
import type { AuthorizationRequest, Display } from './authorization-request-store.ts';
import { ConnectError, type ConnectErrorKind } from './connect-error.ts';

/** A browser drops a cookie over 4,096 bytes, and the user's id is in one. */
const USER_ID_BYTES = 512;
const STATE_BYTES = 2048;
/** Names no application has: no identifier is that long, and a database need not be asked. */
const CLIENT_ID_LENGTH = 200;

export type AuthorizeRequest = Pick<
  AuthorizationRequest,
  'userId' | 'scope' | 'state' | 'codeChallenge' | 'theme' | 'display' | 'providers'
>;

/** The `client_id` that can be looked up; `undefined` when it is missing or cannot be anyone's. */
export function readClientId(query: ReceivedQuery): string | undefined {
  const clientId = scalar(query, 'client_id');
  if (clientId === undefined || clientId.length > CLIENT_ID_LENGTH) return undefined;
  return hasUnusableCharacters(clientId) ? undefined : clientId;
}

/**
 * What of a query starts the same flow again, as it came: the first of each parameter that is read, and the providers
 * that were understood. Whatever else was sent is in the page's address alone, so that a request takes no more room
 * than its longest legal parameters.
 */
export function startingQuery(
  query: ReceivedQuery,
  { providers }: Pick<AuthorizeRequest, 'providers'> = { providers: PROVIDER_KINDS },
): string {
  const first = new Map(
    query.toReversed().flatMap((one) => (one.value === '' ? [] : [[one.name, one] as const])),
  );
  const kept = query
    .filter((one) => first.get(one.name) === one && isKept(one))
    .map(({ spelling }) => spelling);
  const isLimited = providers.length < PROVIDER_KINDS.length;
  return [...kept, ...(isLimited ? [`providers=${providers.join(',')}`] : [])].join('&');
}

/** Read in full, within limits of their own. */
const LONG_PARAMETERS = ['client_id', 'user_id', 'state'];
/** No value of these that means anything is longer, however it is encoded. */
const SHORT_PARAMETERS = [
  ...['scope', 'lng', 'theme', 'display', 'response_type'],
  ...['code_challenge', 'code_challenge_method', 'request_uri'],
];
const SHORT_CHARACTERS = 400;

const isKept = ({ name, spelling }: QueryParameter): boolean =>
  LONG_PARAMETERS.includes(name) || (SHORT_PARAMETERS.includes(name) && spelling.length <= SHORT_CHARACTERS);

/** Whether a user id of the playground may be in it. */
type ReadOptions = { readonly acceptsPlayground?: boolean };

/** Reads the rest; throws ConnectError 400 naming the first parameter that cannot be used. */
export function readAuthorizeRequest(
  query: ReceivedQuery,
  { acceptsPlayground = false }: ReadOptions = {},
): AuthorizeRequest {
  const userId = readUserId(query);
  if (!acceptsPlayground && isPlaygroundUser(userId))
    throw invalid('user_id', 'user_id must not begin with playground: such users are the dashboard’s');
  const scope = parseScope(scalar(query, 'scope'));
  if (scope === undefined) {
    throw invalid('scope', 'scope is not one of free-busy, read, read-write', 'scope_unknown');
  }
  const state = readState(query);
  const responseType = scalar(query, 'response_type');
  if (responseType !== undefined && responseType !== 'code') {
    throw invalid('response_type', 'response_type must be code', 'response_type_unsupported');
  }
  const codeChallenge = readCodeChallenge(query);
  const theme = readTheme(query);
  const display = readDisplay(query);
  return { userId, scope, state, codeChallenge, theme, display, providers: readProviders(query) };
}

/** The page's scheme of colours; `undefined` when none, or none that is known, was sent. */
export const readTheme = (query: ReceivedQuery): Theme | undefined =>
  parseTheme(scalar(query, 'theme')?.toLowerCase());

/** OpenID Connect Core 1.0 §3.1.2.1; its other values, and unknown ones, are the ordinary page. */
function readDisplay(query: ReceivedQuery): Display {
  return scalar(query, 'display')?.toLowerCase() === 'popup' ? 'popup' : 'page';
}

function readUserId(query: ReceivedQuery): string {
  const userId = scalar(query, 'user_id');
  const parameter = 'user_id';
  if (userId === undefined) {
    throw invalid(parameter, 'user_id is missing', 'parameter_missing');
  }
  if (Buffer.byteLength(userId) > USER_ID_BYTES) {
    throw invalid(parameter, `user_id is longer than ${USER_ID_BYTES} bytes of UTF-8`);
  }
  if (hasUnusableCharacters(userId)) {
    throw invalid(parameter, 'user_id has control characters or is not UTF-8');
  }
  return userId;
}

function readState(query: ReceivedQuery): string | undefined {
  const state = scalarSpelling(query, 'state');
  const bytes = state?.replace(/%[\da-f]{2}/gi, '.').length ?? 0;
  if (bytes > STATE_BYTES) {
    throw invalid('state', `state is longer than ${STATE_BYTES} bytes`);
  }
  return state;
}

/** PKCE (RFC 7636 §4.3): S256 or nothing. Nobody's request is silently downgraded to none or `plain`. */
function readCodeChallenge(query: ReceivedQuery): string | undefined {
  const challenge = scalar(query, 'code_challenge');
  const method = scalar(query, 'code_challenge_method');
  if (challenge === undefined && method === undefined) return undefined;
  if (challenge === undefined) {
    throw invalid('code_challenge', 'code_challenge_method without code_challenge', 'parameter_missing');
  }
  if (method !== 'S256') {
    throw invalid('code_challenge_method', 'code_challenge_method must be S256');
  }
  if (!isCodeChallenge(challenge)) {
    throw invalid('code_challenge', 'code_challenge must be 43 characters of base64url');
  }
  return challenge;
}

/** Both encodings in any mixture; names that are no provider's are ignored, and none is no restriction. */
function readProviders(query: ReceivedQuery): readonly ProviderKind[] {
  const providers = values(query, 'providers').flatMap((value) => value.split(',').map(parseProviderKind));
  const offered = PROVIDER_KINDS.filter((kind) => providers.includes(kind));
  return offered.length > 0 ? offered : PROVIDER_KINDS;
}

/** Control characters (NUL is no text to PostgreSQL), and the mark that unreadable UTF-8 decodes to. */
const hasUnusableCharacters = (text: string): boolean => /[\p{Cc}\u2028\u2029\ufffd]/u.test(text);

/** `description` is English, for programs. */
const invalid = (
  parameter: string,
  description: string,
  kind: ConnectErrorKind = 'parameter_invalid',
): ConnectError => new ConnectError(kind, { parameter, description });
