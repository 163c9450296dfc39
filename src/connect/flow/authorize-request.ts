/**
 * What `GET /authorize` asks for (requirement §4.1, wire 1.1), read once from its query. The
 * application comes first and is looked up elsewhere; here is everything after it.
 */
import { parseTheme, type Theme } from '../../branding/branding.ts';
import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../../calendars/provider-kind.ts';
import { type ReceivedQuery, scalar, scalarSpelling, values } from '../../http/received-query.ts';
import { isCodeChallenge } from '../../oauth/pkce.ts';
import { parseScope, type Scope } from '../../oauth/scope.ts';
import type { Display } from './authorization-request-store.ts';
import { ConnectError } from './connect-error.ts';

/** A browser drops a cookie over 4,096 bytes, and the user's id is in one. */
const USER_ID_BYTES = 512;
const STATE_BYTES = 2048;
/** Names no application has: no identifier is that long, and a database need not be asked. */
const CLIENT_ID_LENGTH = 200;

export type AuthorizeRequest = {
  readonly userId: string;
  readonly scope: Scope;
  /** As received, still percent-encoded: it goes back exactly so. */
  readonly state: string | undefined;
  readonly codeChallenge: string | undefined;
  /** `undefined`: none was sent. */
  readonly theme: Theme | undefined;
  readonly display: Display;
  readonly providers: readonly ProviderKind[];
};

/** The `client_id` that can be looked up; `undefined` when it is missing or cannot be anyone's. */
export function readClientId(query: ReceivedQuery): string | undefined {
  const clientId = scalar(query, 'client_id');
  if (clientId === undefined || clientId.length > CLIENT_ID_LENGTH) return undefined;
  return hasUnusableCharacters(clientId) ? undefined : clientId;
}

/** Reads the rest; throws ConnectError 400 naming the first parameter that cannot be used. */
export function readAuthorizeRequest(query: ReceivedQuery): AuthorizeRequest {
  const userId = readUserId(query);
  const scope = parseScope(scalar(query, 'scope'));
  if (scope === undefined) {
    const description = 'scope is not one of free-busy, read, read-write';
    throw new ConnectError('scope_unknown', { parameter: 'scope', description });
  }
  const state = readState(query);
  const responseType = scalar(query, 'response_type');
  if (responseType !== undefined && responseType !== 'code') {
    const description = 'response_type must be code';
    throw new ConnectError('response_type_unsupported', { parameter: 'response_type', description });
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
    throw new ConnectError('parameter_missing', { parameter, description: 'user_id is missing' });
  }
  if (Buffer.byteLength(userId) > USER_ID_BYTES) {
    const description = `user_id is longer than ${USER_ID_BYTES} bytes of UTF-8`;
    throw new ConnectError('parameter_invalid', { parameter, description });
  }
  if (hasUnusableCharacters(userId)) {
    const description = 'user_id has control characters or is not UTF-8';
    throw new ConnectError('parameter_invalid', { parameter, description });
  }
  return userId;
}

function readState(query: ReceivedQuery): string | undefined {
  const state = scalarSpelling(query, 'state');
  const bytes = state?.replace(/%[\da-f]{2}/gi, '.').length ?? 0;
  if (bytes > STATE_BYTES) {
    const description = `state is longer than ${STATE_BYTES} bytes`;
    throw new ConnectError('parameter_invalid', { parameter: 'state', description });
  }
  return state;
}

/** PKCE (RFC 7636 §4.3): S256 or nothing. Nobody's request is silently downgraded to none or `plain`. */
function readCodeChallenge(query: ReceivedQuery): string | undefined {
  const challenge = scalar(query, 'code_challenge');
  const method = scalar(query, 'code_challenge_method');
  if (challenge === undefined && method === undefined) return undefined;
  if (challenge === undefined) {
    const description = 'code_challenge_method without code_challenge';
    throw new ConnectError('parameter_missing', { parameter: 'code_challenge', description });
  }
  if (method !== 'S256') {
    const description = 'code_challenge_method must be S256';
    throw new ConnectError('parameter_invalid', { parameter: 'code_challenge_method', description });
  }
  if (!isCodeChallenge(challenge)) {
    const description = 'code_challenge must be 43 characters of base64url';
    throw new ConnectError('parameter_invalid', { parameter: 'code_challenge', description });
  }
  return challenge;
}

/** Both encodings in any mixture; names that are no provider's are ignored, and none is no restriction. */
function readProviders(query: ReceivedQuery): readonly ProviderKind[] {
  const named = values(query, 'providers').flatMap((value) => value.split(',').map(parseProviderKind));
  const offered = PROVIDER_KINDS.filter((kind) => named.includes(kind));
  return offered.length > 0 ? offered : PROVIDER_KINDS;
}

/** Control characters (NUL is no text to PostgreSQL), and the mark that unreadable UTF-8 decodes to. */
const hasUnusableCharacters = (text: string): boolean => /[\p{Cc}\u2028\u2029\ufffd]/u.test(text);
