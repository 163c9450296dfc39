/**
 * Signing in with Google: OpenID Connect Core 1.0 §3.1 with PKCE (RFC 7636), and what becomes of the tokens after.
 * The protocol is oauth4webapi's; here is what Google adds to it.
 */
import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockSkew,
  generateRandomCodeVerifier,
  generateRandomNonce,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  processRevocationResponse,
  refreshTokenGrantRequest,
  revocationRequest,
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
import { secondsAhead } from '../../lib/clock-skew.ts';
import {
  type AuthorizationServerDeps,
  authorizationServer,
  type GoogleServer,
} from './authorization-server.ts';
import { causeOfDeath } from './cause-of-death.ts';
import { askedScope, covers, scopesOf } from './scopes.ts';
import { signInFailure } from './sign-in-failure.ts';

/** `asksForCalendars`: users are asked to let calendars be created, changed and deleted, not only events; not unless it is said. */
export type GoogleSignInDeps = AuthorizationServerDeps & { readonly asksForCalendars?: boolean };

type Deps = GoogleSignInDeps & { readonly server: GoogleServer };

export function googleSignIn(given: GoogleSignInDeps): RedirectSignIn {
  const deps: Deps = { ...given, server: authorizationServer(given) };
  return {
    method: 'redirect',
    begin: (request) => refusing(() => begin(request, deps)),
    complete: (callback, pending, app) => refusing(() => complete(callback, pending, app, deps)),
    covers,
    renew: (credentials, app) => renew(credentials, app, deps),
    revoke: (credentials, app) => refusing(() => revoke(credentials, app, deps)),
    grantOf,
  };
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (failure) {
    throw signInFailure(failure);
  }
}

async function begin(
  { app, redirectUri, scope, state, loginHint, language }: SignInRequest,
  { server, asksForCalendars = false }: Deps,
): Promise<{ url: URL; pending: PendingSignIn }> {
  const { authorization_endpoint: endpoint = '' } = await server.metadata();
  const codeVerifier = generateRandomCodeVerifier();
  const nonce = generateRandomNonce();
  const url = new URL(endpoint);
  const asked = askedScope(scope, asksForCalendars);
  const parameters = {
    client_id: app.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: asked,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    // Without both a user who came before gets no refresh token.
    access_type: 'offline',
    prompt: 'consent',
    // What was granted before stays granted, so that a larger scope later is asked for on top.
    include_granted_scopes: 'true',
    hl: language,
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url, pending: { state, nonce, codeVerifier, redirectUri, asked } };
}

async function complete(
  callback: URL,
  pending: PendingSignIn,
  app: ProviderApp,
  { server, now }: Deps,
): Promise<SignedInAccount> {
  const { state = '', nonce = '', codeVerifier = '', redirectUri = '', asked = '' } = pending;
  const metadata = await server.metadata();
  const client = clientOf(app, now());
  const parameters = validateAuthResponse(metadata, client, callback, state);
  const response = await authorizationCodeGrantRequest(
    metadata,
    client,
    ClientSecretPost(app.clientSecret),
    parameters,
    redirectUri,
    codeVerifier,
    server.http,
  );
  const tokens = await processAuthorizationCodeResponse(metadata, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await validateApplicationLevelSignature(metadata, response, server.http);
  const email = emailIn(tokens);
  // > OPTIONAL, if identical to the scope requested by the client (RFC 6749 §5.1)
  const scopes = scopesOf(tokens.scope ?? asked);
  const issued = { scopes, ...accessOf(tokens, now()), ...refreshOf(tokens, now()) };
  return {
    accountId: email,
    display: email,
    credentials: { ...issued, appClientId: app.clientId },
    grantedScopes: scopes,
    // Less than was asked, but what was granted before: it serves what it served.
    calendarPermission: covers(scopes, 'free-busy'),
  };
}

/** The account is known by its address on the wire (wire 2.2): Google's `sub` would tell its user nothing. */
function emailIn(tokens: TokenEndpointResponse): string {
  const claims = getValidatedIdTokenClaims(tokens);
  const email = claims?.email;
  // An address that anybody could have typed would take the place of the account that is really its.
  if (typeof email === 'string' && email !== '' && claims?.email_verified !== false) return email;
  throw new ProviderError('invalid_response', 'Google does not say whose account it is', {
    reason: 'provider_answer_unreadable',
  });
}

/**
 * New tokens. Google mostly sends no new refresh token; the one before lives on then. Fails as `unauthorized` with the
 * reason when the refresh token is dead.
 */
async function renew(
  credentials: OAuthCredentials,
  app: ProviderApp,
  { server, now }: Deps,
): Promise<OAuthCredentials> {
  const { refreshToken } = credentials;
  try {
    if (refreshToken === undefined)
      throw new ProviderError('unauthorized', 'Google gave access for an hour only');
    const metadata = await server.metadata();
    const client = clientOf(app, now());
    const authentication = ClientSecretPost(app.clientSecret);
    const response = await refreshTokenGrantRequest(
      metadata,
      client,
      authentication,
      refreshToken,
      server.http,
    );
    const tokens = await processRefreshTokenResponse(metadata, client, response);
    const scopes = tokens.scope === undefined ? credentials.scopes : scopesOf(tokens.scope);
    const renewed = { ...credentials, ...accessOf(tokens, now()), scopes, appClientId: app.clientId };
    return tokens.refresh_token === undefined ? renewed : { ...renewed, ...refreshOf(tokens, now()) };
  } catch (failure) {
    const refusal = signInFailure(failure);
    if (!(refusal instanceof ProviderError) || refusal.kind !== 'unauthorized') throw refusal;
    const { reason, message } = causeOfDeath(credentials, now());
    throw new ProviderError('unauthorized', message, { reason, cause: refusal });
  }
}

/** Ends the whole grant: with the refresh token go the access tokens. What is dead already is no failure. */
async function revoke(
  { refreshToken, accessToken }: OAuthCredentials,
  app: ProviderApp,
  { server, now }: Deps,
): Promise<void> {
  const metadata: AuthorizationServer = await server.metadata();
  if (metadata.revocation_endpoint === undefined) return;
  const token = refreshToken ?? accessToken;
  try {
    const response = await revocationRequest(metadata, clientOf(app, now()), tokenAlone, token, server.http);
    await processRevocationResponse(response);
  } catch (failure) {
    // (k) Google's word for a token it does not know or knows no more.
    const isDead = failure instanceof Error && 'error' in failure && failure.error === 'invalid_token';
    if (!isDead) throw failure;
  }
}

/**
 * What a user granted is granted to the project (k), since it is asked for with `include_granted_scopes`: revoking it for
 * one of its apps revokes it for all. An app's id begins with the project's number.
 */
const grantOf = (appClientId: string): string => /^(\d+)-/.exec(appClientId)?.[1] ?? appClientId;

/** (k) Google's revocation asks for nothing but the token. */
const tokenAlone: ClientAuth = () => {};

/** The library reads the system's clock, where ours can be another one: it is told by how much. */
const clientOf = ({ clientId }: ProviderApp, now: number): Client => ({
  client_id: clientId,
  id_token_signed_response_alg: 'RS256',
  [clockSkew]: secondsAhead(now),
});

/** Where an answer does not say: an hour, as Google's access tokens last. */
const ACCESS_SECONDS = 3600;

const accessOf = (tokens: TokenEndpointResponse, now: number) => ({
  accessToken: tokens.access_token,
  expiresAt: now + (tokens.expires_in ?? ACCESS_SECONDS) * 1000,
});

const refreshOf = (tokens: TokenEndpointResponse, now: number) => ({
  refreshToken: tokens.refresh_token,
  issuedAt: now,
});
