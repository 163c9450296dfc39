/**
 * GET /authorize, POST /token, POST /revoke and the metadata (docs/wire.md O4, RFC 8414) for the API
 * reference.
 */
import { Type } from 'typebox';

import { THEMES } from '../branding/branding.ts';
import { oneOf, required, text } from '../http/fields.ts';
import { enumeration, type Operation, type RefusalCase } from '../http/operation.ts';
import { bodyTooLarge, FORM_BYTES, PAGE_QUERY_BYTES, queryTooLong } from '../http/sizes.ts';
import { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './oauth-error.ts';
import { SCOPES } from './scope.ts';
import { serverMetadata } from './server-metadata.ts';
import { REVOCATION_FORM, TOKEN_FORM, TOKENS_AWAY } from './token-form.ts';

/** A refusal in the shape of RFC 6749 §5.2; `answer` is the error, or what describes one of status 400. */
export function oauthRefusal(
  code: OAuthErrorCode,
  when: string,
  answer: string | (OAuthErrorOptions & { readonly description: string }),
): RefusalCase {
  const { description, ...options } = typeof answer === 'string' ? { description: answer } : answer;
  const { status, body } = new OAuthError(code, description, options);
  return {
    status,
    code,
    when,
    body,
    shape: 'oauth',
    ...('headers' in options && { headers: options.headers }),
  };
}

/** What HTTP Basic of an application can be refused for. */
export const badClients: readonly RefusalCase[] = [
  oauthRefusal('invalid_client', 'The application or its secret is wrong.', {
    description: 'Client authentication failed',
    status: 401,
    headers: { 'WWW-Authenticate': 'A Basic challenge.' },
  }),
  oauthRefusal('temporarily_unavailable', 'Too many wrong secrets or codes. A right one always passes.', {
    description: 'Too many failed attempts; try again in 30 seconds',
    status: 429,
    headers: { 'Retry-After': 'Whole seconds.' },
  }),
];

/** The errors of parameters that `/authorize` and `/par` have in common, besides `invalid_request`. */
export const wrongParameters: readonly RefusalCase[] = [
  oauthRefusal('invalid_scope', 'The scope is unknown.', 'scope is not one of free-busy, read, read-write'),
  oauthRefusal('unsupported_response_type', 'Another response type.', 'response_type must be code'),
];

/** What a body can be refused for that is read before anybody knows who sends it. */
export const largeForms: readonly RefusalCase[] = [
  oauthRefusal('invalid_request', 'The body is larger than 16 kB.', {
    description: bodyTooLarge(FORM_BYTES).message,
    status: 413,
  }),
];

const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT.' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Literal(3600, { description: 'Seconds.' }),
    refresh_token: Type.String({ description: 'New each time, except within a refresh replay window.' }),
  },
  { $id: 'TokenAnswer' },
);

const Metadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    pushed_authorization_request_endpoint: Type.String(),
    require_pushed_authorization_requests: Type.Boolean({
      description: 'False, though an application can be held to it.',
    }),
    jwks_uri: Type.Optional(Type.String({ description: 'With ES256 only.' })),
    response_types_supported: Type.Array(Type.String()),
    response_modes_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    scopes_supported: Type.Array(enumeration(SCOPES)),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
    code_challenge_methods_supported: Type.Array(Type.String()),
  },
  { $id: 'ServerMetadata' },
);

const KeySet = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
  { $id: 'KeySet', description: 'RFC 7517. Empty with HS256.' },
);

const group = 'Authorization';
const FORM = 'application/x-www-form-urlencoded';

/** Parameters of `/authorize`, in its query or pushed. Their readers are in connect/flow/authorize-request.ts. */
export const AUTHORIZATION_PARAMETERS = {
  scope: oneOf(SCOPES, { doc: '`read-write` by default.', example: 'read' }),
  state: text({ doc: 'Comes back unchanged.', example: 'xyz' }),
  response_type: text({ doc: '`code`.', example: 'code' }),
  redirect_uri: text({
    doc: 'Ignored: the registered one counts.',
    example: 'https://app.example/callback',
  }),
  lng: text({ doc: 'Language of the pages; the browser’s by default.', example: 'fr' }),
  theme: oneOf(THEMES, { doc: 'Of the pages.', example: 'dark' }),
  display: oneOf(['page', 'popup'], {
    doc: '`popup`: the answer is posted to the page that opened the window.',
    example: 'popup',
  }),
  providers: text({
    doc: 'Which providers are offered, separated by commas; all by default.',
    example: 'google,caldav',
  }),
  code_challenge: text({
    doc: 'PKCE (RFC 7636).',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  }),
  code_challenge_method: text({ doc: '`S256`, with `code_challenge`.', example: 'S256' }),
};

const AUTHORIZE_QUERY = {
  client_id: required(text({ doc: 'The application.', example: 'proj1a2b3c' })),
  user_id: text({
    doc: 'Your own id of the user; it is made known by this. Required without `request_uri`.',
    example: 'ada',
  }),
  request_uri: text({
    doc: 'What `/par` answered. Beside it only `client_id` is read.',
    example: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c6b3yD0zXk7zQKqPo',
  }),
  ...AUTHORIZATION_PARAMETERS,
};

const invalid = (when: string, description: string) => oauthRefusal('invalid_request', when, description);

const TOKENS: Operation = {
  method: 'post',
  path: '/token',
  id: 'issueTokens',
  group,
  summary: 'Exchange a code, or refresh',
  description:
    'Client authentication by HTTP Basic, or by `client_id` and `client_secret` in the body; not both. JSON is taken as well as the form.',
  callers: ['application', 'anybody'],
  body: { fields: TOKEN_FORM, required: true, types: [FORM, 'application/json'] },
  answer: {
    description: 'Both tokens are new.',
    schema: TokenAnswer,
    example: {
      access_token: 'eyJhbGciOi…',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'eyJhbGciOi…',
    },
  },
  refusals: [
    oauthRefusal(
      'invalid_grant',
      'The code or the refresh token is unknown, spent, expired, revoked or another application’s, or the redirect URI is another.',
      'Invalid authorization code',
    ),
    invalid('A field is missing.', 'grant_type is missing'),
    oauthRefusal(
      'unsupported_grant_type',
      'Another grant type.',
      'grant_type must be authorization_code or refresh_token',
    ),
    oauthRefusal('session_expired', 'The authorization was withdrawn.', 'The authorization has expired'),
    oauthRefusal('invalid_client', 'The credentials of the body are wrong.', 'Client authentication failed'),
    ...badClients,
    ...largeForms,
    oauthRefusal('temporarily_unavailable', 'The database cannot be reached.', {
      description: TOKENS_AWAY,
      status: 503,
      headers: { 'Retry-After': 'Whole seconds.' },
    }),
  ],
};

export const oauthOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/authorize',
    id: 'startAuthorization',
    group,
    summary: 'Send the user’s browser here to connect calendars',
    description:
      'Ends at the registered redirect URI with `code` and `state`, or with `error=access_denied`. Errors are a page; JSON where `Accept` prefers it.',
    callers: ['anybody'],
    query: AUTHORIZE_QUERY,
    page: 'With the parameter `transaction`, which only this server sends a browser with: the page where providers are chosen.',
    answer: {
      status: 302,
      description: 'To the page where providers are chosen.',
      headers: { Location: 'The page.', 'Set-Cookie': '`oauth_req`.' },
    },
    refusals: [
      invalid(
        'A parameter is missing or unusable, or the application has to push its requests.',
        'user_id is missing',
      ),
      ...wrongParameters,
      oauthRefusal(
        'invalid_request_uri',
        'The pushed request is unknown, spent, too old or another application’s.',
        'request_uri is unknown, was used already, or has expired',
      ),
      oauthRefusal('invalid_client', 'The application is unknown.', {
        description: 'Unknown client_id',
        status: 401,
      }),
      oauthRefusal('invalid_request', 'The query is longer than 16 kB.', {
        description: queryTooLong(PAGE_QUERY_BYTES).message,
        status: 414,
      }),
      oauthRefusal('temporarily_unavailable', 'Too many flows were started from one address.', {
        description: 'Too many requests',
        status: 429,
        headers: { 'Retry-After': 'Whole seconds.' },
      }),
    ],
  },
  TOKENS,
  {
    method: 'post',
    path: '/revoke',
    id: 'revokeTokens',
    group,
    summary: 'End every token of the user at the application',
    description: 'By any access or refresh token of theirs. The same answer whatever became of the token.',
    callers: ['anybody'],
    body: { fields: REVOCATION_FORM, required: true, types: ['application/json', FORM] },
    answer: {
      description: 'Done.',
      schema: Type.Object({ success: Type.Literal(true) }),
      example: { success: true },
    },
    refusals: [invalid('`token` is missing or no text.', 'token is missing'), ...largeForms],
  },
  {
    method: 'get',
    path: '/.well-known/oauth-authorization-server',
    id: 'getServerMetadata',
    group,
    summary: 'What the authorization server offers (RFC 8414)',
    description: 'Libraries for OAuth read it to find the endpoints and what they take.',
    callers: ['anybody'],
    answer: {
      description: 'The metadata.',
      schema: Metadata,
      example: serverMetadata({ publicUrl: 'https://kalends.example', tokenAlgorithm: 'HS256' }),
    },
    refusals: [],
  },
  {
    method: 'get',
    path: '/.well-known/jwks.json',
    id: 'getSigningKeys',
    group,
    summary: 'The public keys of access tokens (RFC 7517)',
    description:
      'Empty while tokens are signed with HS256, as they are by default: nobody but this server verifies those.',
    callers: ['anybody'],
    answer: { description: 'The keys.', schema: KeySet, example: { keys: [] } },
    refusals: [],
  },
];
