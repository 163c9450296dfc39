/**
 * Signing in with Microsoft: the authorization code flow of RFC 6749 §4.1 with PKCE (RFC 7636), and an ID token
 * (OpenID Connect Core 1.0 §3.1) that says who it was.
 */
import {
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockTolerance,
  generateRandomCodeVerifier,
  generateRandomNonce,
  getValidatedIdTokenClaims,
  type IDToken,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  type TokenEndpointResponse,
  validateApplicationLevelSignature,
  validateAuthResponse,
} from 'oauth4webapi';

import type {
  OAuthCredentials,
  PendingSignIn,
  ProviderApp,
  RedirectSignIn,
  SignedInAccount,
  SignInRequest,
} from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Scope } from '../../oauth/scope.ts';
import { accountIdentity } from './identity.ts';
import { askedScope, covers, scopesOf } from './scopes.ts';
import { signInFailure } from './sign-in-failure.ts';
import {
  type Authority,
  type AuthorityDeps,
  adminConsentUrl,
  authority,
  metadataFor,
  metadataOfCallback,
} from './tenant-issuer.ts';

type SignInDeps = { readonly from: Authority; readonly now: () => number };

/** Seconds by which Microsoft's clock and ours may differ. */
const TOLERANCE = 300;
const ANY_TIME = 1_000_000_000;
/** RFC 6749 §5.1 lets the lifetime out; Microsoft's tokens live for an hour at least. */
const DEFAULT_LIFETIME = 3600;

export function microsoftSignIn(deps: AuthorityDeps): RedirectSignIn {
  const own: SignInDeps = { from: authority(deps), now: deps.now };
  return {
    method: 'redirect',
    begin: (request) => told(() => begin(request, own)),
    complete: (callback, pending, app) => told(() => complete(callback, pending, app, own)),
    renew: (credentials, app) => told(() => renew(credentials, app, own)),
    // There is none to call: Microsoft lets users and administrators withdraw access on its own pages only.
    revoke: async () => {},
    covers,
    adminConsentUrl: ({ clientId }, { redirectUri, scope }) =>
      adminConsentUrl(deps.issuer, { clientId, redirectUri, scope: askedScope(scope) }),
  };
}

/** Runs a step and tells what it failed of in our words. */
async function told<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (failure) {
    throw signInFailure(failure);
  }
}

async function begin(request: SignInRequest, { from }: SignInDeps) {
  const { app, redirectUri, scope, state, loginHint, language } = request;
  const { authorization_endpoint: endpoint = '' } = await from.metadata();
  const nonce = generateRandomNonce();
  const codeVerifier = generateRandomCodeVerifier();
  const url = new URL(endpoint);
  const parameters = {
    client_id: app.clientId,
    response_type: 'code',
    response_mode: 'query',
    redirect_uri: redirectUri,
    scope: askedScope(scope),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    // Without it the account signed in to this browser would be taken unasked.
    prompt: 'select_account',
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
    ui_locales: language,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url, pending: { state, nonce, codeVerifier, redirectUri, scope } };
}

async function complete(
  callback: URL,
  pending: PendingSignIn,
  app: ProviderApp,
  { from, now }: SignInDeps,
): Promise<SignedInAccount> {
  const { state = '', nonce = '', codeVerifier = '', redirectUri = '' } = pending;
  const metadata = await from.metadata();
  const client = clientOf(app);
  const answer = validateAuthResponse(metadataOfCallback(callback, metadata), client, callback, state);
  const secret = ClientSecretPost(app.clientSecret);
  const response = await authorizationCodeGrantRequest(
    metadata,
    client,
    secret,
    answer,
    redirectUri,
    codeVerifier,
    from.http,
  );
  const tenant = metadataFor(await idTokenIn(response), metadata);
  const options = { expectedNonce: nonce, requireIdToken: true };
  const tokens = await processAuthorizationCodeResponse(tenant, client, response, options);
  await validateApplicationLevelSignature(tenant, response, from.http);
  const claims = getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new ProviderError('invalid_response', 'Microsoft sent no ID token');

  checkTimes(claims, now());
  const asked = askedIn(pending);
  // > OPTIONAL, if identical to the scope requested by the client (RFC 6749 §5.1)
  const scopes = scopesOf(tokens.scope ?? askedScope(asked));
  return {
    ...accountIdentity(claims),
    credentials: { ...credentialsOf(tokens, app, now()), scopes },
    grantedScopes: scopes,
    calendarPermission: covers(scopes, 'free-busy'),
  };
}

async function renew(
  credentials: OAuthCredentials,
  app: ProviderApp,
  { from, now }: SignInDeps,
): Promise<OAuthCredentials> {
  const { refreshToken, scopes } = credentials;
  if (refreshToken === undefined)
    throw new ProviderError('unauthorized', 'Microsoft gave no lasting access: sign in again', {
      reason: 'reauthentication_demanded',
    });
  const metadata = await from.metadata();
  const client = clientOf(app);
  const secret = ClientSecretPost(app.clientSecret);
  const response = await refreshTokenGrantRequest(metadata, client, secret, refreshToken, from.http);
  const tenant = metadataFor(await idTokenIn(response), metadata);
  const tokens = await processRefreshTokenResponse(tenant, client, response);
  const renewed = credentialsOf(tokens, app, now());
  return {
    ...renewed,
    ...(tokens.scope === undefined && { scopes }),
    // RFC 6749 §6: without a new one the old one goes on.
    ...(tokens.refresh_token === undefined && { refreshToken, issuedAt: credentials.issuedAt }),
  };
}

/** Kept as text meanwhile. */
function askedIn({ scope }: PendingSignIn): Scope {
  return scope === 'free-busy' || scope === 'read' ? scope : 'read-write';
}

/** The library reads the system's clock, where ours can be another one: it is told to let all times pass. */
const clientOf = ({ clientId }: ProviderApp): Client => ({ client_id: clientId, [clockTolerance]: ANY_TIME });

/** OpenID Connect Core §3.1.3.7, 9 and 10. */
function checkTimes({ exp, nbf, iat }: IDToken, now: number): void {
  const seconds = now / 1000;
  const begins = typeof nbf === 'number' ? Math.max(iat, nbf) : iat;
  if (begins <= seconds + TOLERANCE && exp > seconds - TOLERANCE) return;
  throw new ProviderError('invalid_response', 'The ID token of Microsoft is not of this time', {
    reason: 'provider_answer_unreadable',
  });
}

/** The ID token of an answer that is still to be processed. */
async function idTokenIn(response: Response): Promise<string | undefined> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const idToken = typeof body === 'object' && body !== null && 'id_token' in body ? body.id_token : undefined;
  return typeof idToken === 'string' ? idToken : undefined;
}

function credentialsOf(
  tokens: TokenEndpointResponse,
  { clientId }: ProviderApp,
  now: number,
): OAuthCredentials {
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    expiresAt: now + (tokens.expires_in ?? DEFAULT_LIFETIME) * 1000,
    scopes: scopesOf(tokens.scope ?? ''),
    appClientId: clientId,
    issuedAt: now,
  };
}
