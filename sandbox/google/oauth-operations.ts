/** Google's OAuth and OpenID Connect endpoints. */
import type { IdTokenSigner } from '../core/id-token-signer.ts';
import { jsonAnswer } from '../core/page-answer.ts';
import { bearerToken, clientCredentials } from '../core/request-credentials.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { Operation, SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import { type AuthorizeDeps, authorization } from './authorize.ts';
import { EMAIL_SCOPE, PROFILE_SCOPE, SCOPES } from './google-scopes.ts';
import type { GoogleApp, IssuedTokens } from './google-tokens.ts';
import { idTokenClaims } from './id-token-claims.ts';
import { ACCOUNT_PATH, CONSENT_PATH } from './sign-in.page.ts';

export type OAuthDeps = AuthorizeDeps & { readonly signer: IdTokenSigner; readonly now: () => number };

/** `undefined` for other paths. The paths under Google's several hosts are all on one origin here. */
export function oauthOperations(deps: OAuthDeps): (request: SandboxRequest) => Operation | undefined {
  const { issuer, tokens } = deps;
  const pages = authorization(deps);
  return (request) => {
    const { url, method, body } = request;
    const form = new URLSearchParams(body);
    const operation = (name: string, run: () => SandboxAnswer | Promise<SandboxAnswer>, user?: string) => ({
      name,
      user,
      run,
    });
    switch (`${method} ${url.pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return operation('discovery', () => jsonAnswer(200, metadata(issuer())));
      case 'GET /oauth2/v3/certs':
        return operation('certs', async () => {
          const key = await deps.signer.publicKey();
          return jsonAnswer(200, { keys: [{ ...key, alg: 'RS256' }] });
        });
      case 'GET /o/oauth2/v2/auth':
        return operation('auth', () => pages.begin(url.searchParams));
      case `POST ${ACCOUNT_PATH}`:
        return operation('auth', () => pages.chooseAccount(form), form.get('account') ?? undefined);
      case `POST ${CONSENT_PATH}`:
        return operation('auth', () => pages.decide(form));
      case 'POST /token':
        return operation('token', () => answerToken(request, form, deps), userOf(form, deps));
      case 'POST /revoke':
        return operation('revoke', () => revoke(url.searchParams.get('token') ?? form.get('token'), deps));
      case 'GET /v1/userinfo':
        return operation(
          'userinfo',
          () => userinfo(request, deps),
          tokens.accessOf(bearerToken(request) ?? '')?.user,
        );
      default:
        return undefined;
    }
  };
}

/** OpenID Connect Discovery §3; RFC 9207 §3 for the last member. */
const metadata = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/o/oauth2/v2/auth`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/v1/userinfo`,
  revocation_endpoint: `${issuer}/revoke`,
  jwks_uri: `${issuer}/oauth2/v3/certs`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  scopes_supported: ['openid', 'email', 'profile'],
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  claims_supported: ['aud', 'email', 'email_verified', 'exp', 'iat', 'iss', 'name', 'sub'],
  code_challenge_methods_supported: ['S256'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  authorization_response_iss_parameter_supported: true,
});

const userOf = (form: URLSearchParams, { tokens }: OAuthDeps) =>
  tokens.ownerOf(form.get('refresh_token') ?? '');

async function answerToken(
  request: SandboxRequest,
  form: URLSearchParams,
  deps: OAuthDeps,
): Promise<SandboxAnswer> {
  const app = authenticated(request, deps);
  const required = (name: string) => {
    const value = form.get(name);
    if (!value) throw new SandboxRefusal(400, 'invalid_request', `Missing required parameter: ${name}`);
    return value;
  };
  const grantType = required('grant_type');
  if (grantType === 'refresh_token') {
    return tokenAnswer(deps.tokens.refresh(required('refresh_token'), app), deps);
  }
  if (grantType !== 'authorization_code') {
    throw new SandboxRefusal(400, 'unsupported_grant_type', `Invalid grant_type: ${grantType}`);
  }
  const codeVerifier = form.get('code_verifier') ?? undefined;
  const redeemed = { code: required('code'), redirectUri: required('redirect_uri'), codeVerifier };
  return tokenAnswer(deps.tokens.redeemCode(redeemed, app), deps);
}

async function tokenAnswer(issued: IssuedTokens, deps: OAuthDeps): Promise<SandboxAnswer> {
  const { store, signer, issuer, now } = deps;
  const person = store.people.get(issued.user);
  if (person === undefined) throw new SandboxRefusal(400, 'invalid_grant', 'Account has been deleted');
  const { accessToken, expiresIn, scopes, refreshToken, refreshTokenExpiresIn } = issued;
  return jsonAnswer(200, {
    access_token: accessToken,
    expires_in: expiresIn,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    // Sent for apps in Testing. No source confirms that.
    ...(refreshTokenExpiresIn === undefined ? {} : { refresh_token_expires_in: refreshTokenExpiresIn }),
    scope: scopes.filter((scope) => SCOPES.has(scope)).join(' '),
    token_type: 'Bearer',
    ...(scopes.includes('openid')
      ? { id_token: await signer.sign(idTokenClaims(issued, person, { issuer: issuer(), now: now() })) }
      : {}),
  });
}

function authenticated(request: SandboxRequest, { apps }: OAuthDeps): GoogleApp {
  const { clientId, clientSecret } = clientCredentials(request);
  if (!clientId)
    throw new SandboxRefusal(400, 'invalid_request', 'Could not determine client ID from request.');
  const app = apps.get(clientId);
  if (app === undefined) throw new SandboxRefusal(401, 'invalid_client', 'The OAuth client was not found.');
  if (!clientSecret) throw new SandboxRefusal(400, 'invalid_request', 'client_secret is missing.');
  if (clientSecret === app.clientSecret) return app;
  throw new SandboxRefusal(401, 'invalid_client', 'The provided client secret is invalid.');
}

/** Google's way of RFC 7009: a token that is none is an error, and the whole grant goes with one that is. */
function revoke(token: string | null, { tokens }: OAuthDeps): SandboxAnswer {
  if (!token) throw new SandboxRefusal(400, 'invalid_request', 'Missing required parameter: token');
  if (tokens.revoke(token)) return jsonAnswer(200, {});
  throw new SandboxRefusal(400, 'invalid_token', 'Token expired or revoked');
}

function userinfo(request: SandboxRequest, { tokens, store }: OAuthDeps): SandboxAnswer {
  const grant = tokens.accessOf(bearerToken(request) ?? '');
  const person = grant && store.people.get(grant.user);
  if (grant === undefined || person === undefined || !grant.scopes.includes('openid')) {
    throw new SandboxRefusal(401, 'invalid_request', 'Invalid Credentials');
  }
  const { sub, email, name } = person;
  return jsonAnswer(200, {
    sub,
    ...(grant.scopes.includes(EMAIL_SCOPE) ? { email, email_verified: true } : {}),
    ...(grant.scopes.includes(PROFILE_SCOPE) ? { name } : {}),
  });
}
