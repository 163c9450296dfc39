/** The bodies of /token and /revoke: forms, or JSON with the same fields. */
import { asObject, checkMembers, type Input, parsed, required, type Table, text } from '../http/fields.ts';
import type { ClientRequest, PresentedCredentials } from './client-authentication.ts';
import { invalidRequest } from './oauth-error.ts';

const token = (doc: string, example?: string) => text({ allowsControls: true, doc, example });

/** The fields of client authentication. */
export const CREDENTIALS_FORM = {
  client_id: token('Required without HTTP Basic and without `client_assertion`.'),
  client_secret: token('Required without HTTP Basic, unless the application authenticates otherwise.'),
  client_assertion: token('A JWT that a key of the application signed, with `private_key_jwt` (RFC 7523).'),
  client_assertion_type: token(
    'Required with `client_assertion`: `urn:ietf:params:oauth:client-assertion-type:jwt-bearer`.',
  ),
};

/** Unknown fields are ignored (RFC 6749 §3.2). A repeated field arrives as a list and is refused. */
export const TOKEN_FORM = {
  grant_type: token(
    'Required: `authorization_code`, `refresh_token` or `client_credentials`.',
    'authorization_code',
  ),
  ...CREDENTIALS_FORM,
  code: token('Required for `authorization_code`.', 'ada'),
  redirect_uri: token(
    'Required for `authorization_code`: the registered one.',
    'https://app.example/callback',
  ),
  code_verifier: token(
    'PKCE (RFC 7636). Required for `authorization_code` if the authorization request had a code challenge.',
  ),
  refresh_token: token('Required for `refresh_token`.'),
  // Other grant types ignore it, whatever it is.
  scope: parsed((value) => (typeof value === 'string' ? value : ''), {
    doc: 'Required for `client_credentials`: `application`. Otherwise ignored.',
    ...{ schema: { type: 'string' }, also: {}, problem: 'must be text' },
  }),
  // Read by resource-indicators.ts, if the application has them.
  resource: {
    ...token(
      'The URL of this server, if the application has resource indicators (RFC 8707); otherwise ignored.',
    ),
    also: {},
    read: () => undefined,
  },
};
export type TokenForm = Input<typeof TOKEN_FORM>;

/** See docs/wire.md O4.4. */
export const REVOCATION_FORM = {
  token: required(token('Any access or refresh token of the user.', 'eyJhbGciOi…')),
};

export const INTROSPECTION_FORM = {
  token: required(token('An access or refresh token of the application.', 'eyJhbGciOi…')),
  token_type_hint: token('Ignored: the token says its kind.'),
  ...CREDENTIALS_FORM,
};

/** The error of /token during a database failure: the token may have been used. */
export const TOKENS_AWAY =
  'The data cannot be reached at the moment. Repeat the request. If the response is then invalid_grant, start again at /authorize.';

/** Returns the client authentication of a request: its header, or these fields of its body. */
export const presentedCredentials = (
  request: ClientRequest & { readonly headers: { readonly authorization?: string | undefined } },
  form: Input<typeof CREDENTIALS_FORM>,
): PresentedCredentials => ({
  request,
  authorization: request.headers.authorization,
  clientId: form.client_id,
  clientSecret: form.client_secret,
  assertion: form.client_assertion,
  assertionType: form.client_assertion_type,
});

/** Reads a body. Throws OAuthError `invalid_request` that names the first mistake. */
export function readForm<T extends Table>(body: unknown, table: T): Input<T> {
  const members = Array.isArray(body) ? undefined : asObject(body);
  if (members === undefined)
    throw invalidRequest('The request has no readable body: send the documented fields');
  const { value, mistakes } = checkMembers(members, table);
  const [first] = mistakes;
  if (first !== undefined) throw invalidRequest(`${first.field} ${first.problem}`);
  return value;
}
