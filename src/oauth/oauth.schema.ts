/** GET /authorize, POST /token, POST /revoke and metadata (docs/wire.md O4, RFC 8414) for the API reference. */
import { Type } from 'typebox';
import { THEMES } from '../branding/branding.ts';
import { DPOP } from '../http/dpop-error.ts';
import { oneOf, required, text } from '../http/fields.ts';
import { enumeration, type Operation, type OperationError } from '../http/operation.ts';
import { ANY_CALL, type ErrorRow } from '../http/refusal.ts';
import { bodyTooLarge, FORM_BYTES, formatSize, PAGE_QUERY_BYTES, queryTooLong } from '../http/sizes.ts';
import { createIssuer, type IssuerName } from './issuers.ts';
import { AUTHORIZATION } from './oauth-error.ts';
import { SCOPES } from './scope.ts';
import { serverMetadata } from './server-metadata.ts';
import { REVOCATION_FORM, TOKEN_FORM, TOKENS_AWAY } from './token-form.ts';

/** Returns an error in the shape of RFC 6749 §5.2: a row with the operation's changes. */
export const oauth = (row: ErrorRow, differing: Partial<ErrorRow> = {}): OperationError => ({
  ...row,
  ...differing,
  shape: 'oauth',
});

/** Returns `invalid_request` with status 400. */
export const invalid = (when: string, message: string): OperationError =>
  oauth(ANY_CALL.invalid_request, { when, message });

export const wrongIssuer = oauth(AUTHORIZATION.unauthorized_client, {
  message:
    'This application belongs to the issuer https://kalends.example/fapi2, not to https://kalends.example',
});
/** The errors of DPoP proofs. */
export const badProofs: readonly OperationError[] = Object.values(DPOP).map((row) => oauth(row));

export const badBodyClient = oauth(AUTHORIZATION.invalid_client, {
  when: 'The credentials in the body are wrong.',
});

/** The errors of HTTP Basic. */
export const badClients: readonly OperationError[] = [
  oauth(AUTHORIZATION.invalid_client, {
    status: 401,
    when: 'The application or its secret is wrong.',
    headers: { 'WWW-Authenticate': 'A Basic challenge.' },
  }),
  oauth(ANY_CALL.temporarily_unavailable, {
    status: 429,
    when: 'Too many wrong secrets or codes. A correct one is never limited.',
    message: 'Too many failed attempts; try again in 30 seconds',
  }),
];

/** The errors of parameters that `/authorize` and `/par` share, besides `invalid_request`. */
export const wrongParameters = [
  AUTHORIZATION.invalid_scope,
  AUTHORIZATION.unsupported_response_type,
  AUTHORIZATION.invalid_target,
].map((row) => oauth(row));

/** The errors of a body that is read before its sender is known. */
export const largeForms: readonly OperationError[] = [
  oauth(ANY_CALL.invalid_request, {
    status: 413,
    when: `The body is larger than ${formatSize(FORM_BYTES)}.`,
    message: bodyTooLarge(FORM_BYTES).message,
  }),
];

const TokenAnswer = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT.' }),
    token_type: enumeration(['Bearer', 'DPoP'], '`DPoP` if the access token is bound to a key.'),
    expires_in: Type.Integer({
      description: 'The lifetime of the access token in seconds: 3600, with `client_credentials` 600.',
    }),
    refresh_token: Type.Optional(
      Type.String({
        description:
          'A new token each time, except within a refresh replay window and with refresh rotation `never`. Absent with `client_credentials`.',
      }),
    ),
    scope: Type.Optional(Type.Literal('application', { description: 'Only with `client_credentials`.' })),
  },
  { $id: 'TokenAnswer' },
);

const Metadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    pushed_authorization_request_endpoint: Type.String(),
    require_pushed_authorization_requests: Type.Boolean({
      description: 'False for the server. An application can be required to push its requests.',
    }),
    jwks_uri: Type.Optional(Type.String({ description: 'Present only with ES256.' })),
    response_types_supported: Type.Array(Type.String()),
    response_modes_supported: Type.Array(Type.String()),
    grant_types_supported: Type.Array(Type.String()),
    scopes_supported: Type.Array(enumeration(SCOPES)),
    token_endpoint_auth_methods_supported: Type.Array(Type.String()),
    token_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
    introspection_endpoint_auth_methods_supported: Type.Array(Type.String()),
    code_challenge_methods_supported: Type.Array(Type.String()),
    revocation_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    introspection_endpoint_auth_signing_alg_values_supported: Type.Array(Type.String()),
    dpop_signing_alg_values_supported: Type.Array(Type.String()),
    authorization_response_iss_parameter_supported: Type.Optional(Type.Boolean()),
  },
  { $id: 'ServerMetadata' },
);

const exampleMetadata = (name: IssuerName) =>
  serverMetadata(createIssuer(name, 'https://kalends.example'), 'HS256');

const KeySet = Type.Object(
  { keys: Type.Array(Type.Record(Type.String(), Type.Unknown())) },
  { $id: 'KeySet', description: 'Keys as in RFC 7517. Empty with HS256.' },
);

const group = 'Authorization';
const FORM = 'application/x-www-form-urlencoded';

/** Parameters of `/authorize`, in its query or pushed. Their readers are in connect/flow/authorize-request.ts. */
export const AUTHORIZATION_PARAMETERS = {
  scope: oneOf(SCOPES, { doc: '`read-write` by default.', example: 'read' }),
  state: text({ doc: 'Returned unchanged.', example: 'xyz' }),
  response_type: text({ doc: '`code`.', example: 'code' }),
  redirect_uri: text({
    doc: 'Ignored if the application has one redirect URI. If it has several, one of them: the default if absent, and an error if it is not registered.',
    example: 'https://app.example/callback',
  }),
  lng: text({ doc: 'The language of the pages. Default: the browser’s language.', example: 'fr' }),
  theme: oneOf(THEMES, { doc: 'The color theme of the pages.', example: 'dark' }),
  display: oneOf(['page', 'popup'], {
    doc: '`popup`: the result is posted to the page that opened the window.',
    example: 'popup',
  }),
  providers: text({
    doc: 'The offered providers, separated by commas. Default: all.',
    example: 'google,caldav',
  }),
  code_challenge: text({
    doc: 'PKCE (RFC 7636). Required for an application with PKCE `required`.',
    example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  }),
  code_challenge_method: text({ doc: '`S256`, with `code_challenge`.', example: 'S256' }),
  resource: text({
    doc: 'The URL of this server, which becomes the audience of the tokens (RFC 8707). Ignored unless the application has resource indicators.',
    example: 'https://kalends.example',
  }),
  dpop_jkt: text({
    doc: 'The thumbprint of the DPoP key that the code is bound to (RFC 9449 §10). Ignored unless the application has a sender constraint.',
    example: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I',
  }),
};

const AUTHORIZE_QUERY = {
  client_id: required(text({ doc: 'The application.', example: 'proj1a2b3c' })),
  user_id: text({
    doc: 'Your id for the user, who is created by the first request. Required without `request_uri`.',
    example: 'ada',
    isShown: true,
  }),
  request_uri: text({
    doc: 'The `request_uri` that `/par` returned. If it is sent, only `client_id` is read besides it.',
    example: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c6b3yD0zXk7zQKqPo',
  }),
  ...AUTHORIZATION_PARAMETERS,
};

const TOKENS: Operation = {
  method: 'post',
  path: '/token',
  id: 'issueTokens',
  group,
  summary: 'Exchange a code, or refresh',
  description:
    'Client authentication by HTTP Basic, by `client_id` and `client_secret` in the body, or by `client_assertion`: only one of them. A public application sends `client_id`. The body can be a form or JSON. The header `DPoP` binds the tokens of an application with a sender constraint to its key (RFC 9449).',
  callers: ['application', 'anybody'],
  body: {
    fields: TOKEN_FORM,
    description:
      'Required with `grant_type=authorization_code`: `code` and `redirect_uri`, and `code_verifier` if the authorization request had a code challenge. Required with `grant_type=refresh_token`: `refresh_token`.',
    required: true,
    types: [FORM, 'application/json'],
  },
  answer: {
    description: 'The tokens. `grant_type=client_credentials` returns one that is of the application.',
    schema: TokenAnswer,
    example: {
      access_token: 'eyJhbGciOi…',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'eyJhbGciOi…',
    },
  },
  errors: [
    oauth(AUTHORIZATION.invalid_grant),
    invalid('A field is missing.', 'grant_type is missing'),
    oauth(AUTHORIZATION.unsupported_grant_type),
    oauth(AUTHORIZATION.invalid_target),
    oauth(AUTHORIZATION.unauthorized_client),
    oauth(AUTHORIZATION.invalid_scope, { when: '`client_credentials` without the scope `application`.' }),
    oauth(AUTHORIZATION.session_expired),
    wrongIssuer,
    ...badProofs,
    badBodyClient,
    ...badClients,
    ...largeForms,
    oauth(ANY_CALL.temporarily_unavailable, {
      when: 'The database, or the `jwks_uri` of the application, cannot be reached.',
      message: TOKENS_AWAY,
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
      'The flow ends at a registered redirect URI with `code` and `state`, or with `error=access_denied`. Errors are shown as a page, or returned as JSON if `Accept` prefers it.',
    callers: ['anybody'],
    query: AUTHORIZE_QUERY,
    page: 'With the parameter `transaction`, which only this server adds: the page where the user selects a provider.',
    answer: {
      status: 302,
      description: 'Redirect to the page where the user selects a provider.',
      headers: { Location: 'The page.', 'Set-Cookie': '`oauth_req`.' },
    },
    errors: [
      invalid(
        'A parameter is missing or invalid, or the application must push its requests.',
        'user_id is missing',
      ),
      ...wrongParameters,
      oauth(AUTHORIZATION.invalid_request_uri),
      wrongIssuer,
      oauth(AUTHORIZATION.invalid_client, {
        status: 401,
        when: 'The application is unknown.',
        message: 'Unknown client_id',
      }),
      oauth(ANY_CALL.invalid_request, {
        status: 414,
        when: `The query is longer than ${formatSize(PAGE_QUERY_BYTES)}.`,
        message: queryTooLong(PAGE_QUERY_BYTES).message,
      }),
      oauth(ANY_CALL.temporarily_unavailable, {
        status: 429,
        when: 'Too many flows were started from one address.',
        message: 'Too many requests',
      }),
    ],
  },
  TOKENS,
  {
    method: 'post',
    path: '/revoke',
    id: 'revokeTokens',
    group,
    summary: 'Revoke all tokens of the user at the application',
    description:
      'Send any access or refresh token of the user. The response does not depend on the state of the token. If the application has revocation `authenticated`, it must authenticate as at `/token`: by HTTP Basic, or by `client_id` and `client_secret` in the body. Otherwise both are ignored.',
    callers: ['anybody', 'application'],
    body: {
      fields: REVOCATION_FORM,
      required: true,
      types: ['application/json', FORM],
    },
    answer: {
      description: 'The token was processed.',
      schema: Type.Object({ success: Type.Literal(true) }),
      example: { success: true },
    },
    errors: [
      invalid('`token` is missing or not a string.', 'token is missing'),
      oauth(AUTHORIZATION.invalid_grant, {
        when: 'The application of the token requires authentication, and another one authenticated.',
        message: 'Client mismatch',
      }),
      oauth(AUTHORIZATION.invalid_client, {
        status: 401,
        when: 'The application of the token requires authentication, and there is none.',
        headers: { 'WWW-Authenticate': 'A Basic challenge.' },
      }),
      ...largeForms,
    ],
  },
  {
    method: 'get',
    path: '/.well-known/oauth-authorization-server',
    id: 'getServerMetadata',
    group,
    summary: 'Show the metadata of the authorization server (RFC 8414)',
    description: 'OAuth libraries read it to find the endpoints and their options.',
    callers: ['anybody'],
    answer: {
      description: 'The metadata.',
      schema: Metadata,
      example: exampleMetadata('default'),
    },
    errors: [],
  },
  {
    method: 'get',
    path: '/.well-known/jwks.json',
    id: 'getSigningKeys',
    group,
    summary: 'The public keys of access tokens (RFC 7517)',
    description: 'Empty with HS256, the default, because only this server verifies such tokens.',
    callers: ['anybody'],
    answer: { description: 'The keys.', schema: KeySet, example: { keys: [] } },
    errors: [],
  },
  {
    method: 'get',
    path: '/.well-known/oauth-authorization-server/fapi2',
    id: 'getStrictServerMetadata',
    group,
    summary: 'Show the metadata of the issuer for applications with the profile `fapi2`',
    description: 'Its endpoints are those of the other issuer, under `/fapi2`.',
    callers: ['anybody'],
    answer: { description: 'The metadata.', schema: Metadata, example: exampleMetadata('fapi2') },
    errors: [],
  },
  {
    method: 'get',
    path: '/fapi2/jwks.json',
    id: 'getStrictSigningKeys',
    group,
    summary: 'The public keys of access tokens of applications with the profile `fapi2`',
    description: 'These tokens are signed with ES256. Empty until the first application has the profile.',
    callers: ['anybody'],
    answer: { description: 'The keys.', schema: KeySet, example: { keys: [] } },
    errors: [],
  },
];
