/** Sign-in and token refresh at an OpenID provider: OpenID Connect Core 1.0 §3.1 with PKCE (RFC 7636). */
import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  getValidatedIdTokenClaims,
  type IDToken,
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
  AppInUse,
  OAuthCredentials,
  PendingSignIn,
  ProviderApp,
  RedirectSignIn,
  SignedInAccount,
  SignInRequest,
  VerifiedAccount,
} from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { clockOptions } from '../../lib/clock-skew.ts';
import type { Scope } from '../../oauth/scope.ts';
import { type Meaning, refusalWith } from '../meaning.ts';
import {
  type OpenIdDeps,
  type OpenIdServer,
  openIdServer,
  type ServerFacts,
} from './authorization-server.ts';
import { mapSignInFailure, type SignInMeanings } from './sign-in-failure.ts';

/** `accountId` is the address, if there is one (docs/wire.md 2.2); `identity` is never reused (docs/security.md T3). */
export type AccountIdentity = Pick<VerifiedAccount, 'accountId' | 'identity' | 'display'>;

export type OpenIdFacts = ServerFacts & {
  /** Returns the `scope` of the authorization request. */
  readonly requestedScope: (scope: Scope) => string;
  readonly covers: RedirectSignIn['covers'];
  /** Returns the provider's additional parameters of the authorization request. */
  readonly parametersFor: (request: SignInRequest) => Readonly<Record<string, string>>;
  /** Reads the identity from a validated ID token. Fails with ProviderError if it has none. */
  readonly identityOf: (claims: IDToken) => AccountIdentity;
  readonly meanings: SignInMeanings;
  /** Returns why access was revoked, if the age of its tokens says more than the provider. */
  readonly revocationReason?: (credentials: OAuthCredentials, now: number) => Meaning;
  /** Return the metadata with the issuer to expect, if one server has many issuers. */
  readonly issuers?: {
    readonly ofCallback: (callback: URL, metadata: AuthorizationServer) => AuthorizationServer;
    readonly ofTokens: (response: Response, metadata: AuthorizationServer) => Promise<AuthorizationServer>;
    /** For refreshing the tokens of the account with this `identity`. */
    readonly ofAccount: (identity: string, metadata: AuthorizationServer) => AuthorizationServer;
  };
};

type Party = OpenIdFacts & { readonly server: OpenIdServer; readonly now: () => number };

/** Creates the sign-in. Failures at the provider become ProviderError; internal errors are rethrown. */
export function openIdSignIn(facts: OpenIdFacts, deps: OpenIdDeps): RedirectSignIn {
  const party: Party = { ...facts, server: openIdServer(facts, deps), now: deps.now };
  const refusing = async <T>(step: () => Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (failure) {
      throw mapSignInFailure(failure, facts.meanings);
    }
  };
  return {
    method: 'redirect',
    covers: facts.covers,
    begin: (request) => refusing(() => begin(request, party)),
    complete: (callback, pending, app) => refusing(() => complete({ callback, pending, app }, party)),
    async renew(credentials, app, identity = '') {
      try {
        return await refusing(() => renew(credentials, app, { ...party, identity }));
      } catch (cause) {
        const hasEnded = cause instanceof ProviderError && cause.kind === 'unauthorized';
        const why = hasEnded ? facts.revocationReason?.(credentials, deps.now()) : undefined;
        throw why === undefined ? cause : refusalWith(why, { cause });
      }
    },
    revoke: (credentials, app) => refusing(() => revoke(credentials, app, party)),
  };
}

async function begin(request: SignInRequest, { server, requestedScope, parametersFor }: Party) {
  const { app, redirectUri, scope, state, loginHint } = request;
  const { authorization_endpoint: endpoint = '' } = await server.metadata(app.user);
  const codeVerifier = generateRandomCodeVerifier();
  const nonce = generateRandomNonce();
  const scopes = requestedScope(scope);
  const url = new URL(endpoint);
  const parameters = {
    client_id: app.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopes,
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...parametersFor(request),
    ...(loginHint === undefined ? {} : { login_hint: loginHint }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url, pending: { state, nonce, codeVerifier, redirectUri, asked: scopes } };
}

type Returned = { readonly callback: URL; readonly pending: PendingSignIn; readonly app: AppInUse };

async function complete({ callback, pending, app }: Returned, party: Party): Promise<SignedInAccount> {
  const {
    state = '',
    nonce = '',
    codeVerifier = '',
    redirectUri = '',
    asked: requestedScopes = '',
  } = pending;
  const { server, issuers, identityOf, covers, now } = party;
  const metadata = await server.metadata(app.user);
  const client = toClient(app, now());
  const issuer = issuers?.ofCallback(callback, metadata) ?? metadata;
  const response = await authorizationCodeGrantRequest(
    metadata,
    client,
    ClientSecretPost(app.clientSecret),
    validateAuthResponse(issuer, client, callback, state),
    redirectUri,
    codeVerifier,
    server.http(app.user),
  );
  const signer = (await issuers?.ofTokens(response, metadata)) ?? metadata;
  const tokens = await processAuthorizationCodeResponse(signer, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await validateApplicationLevelSignature(signer, response, server.http(app.user));
  const claims = getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new Error('The library accepted a response without an ID token');
  // > OPTIONAL, if identical to the scope requested by the client (RFC 6749 §5.1)
  const scopes = parseScopes(tokens.scope ?? requestedScopes);
  return {
    ...identityOf(claims),
    provesOwner: true,
    credentials: {
      scopes,
      appClientId: app.clientId,
      ...toAccessFields(tokens, now()),
      ...toRefreshFields(tokens, now()),
    },
    grantedScopes: scopes,
    // The user may grant less than was requested. Free-busy is enough.
    calendarPermission: covers(scopes, 'free-busy'),
  };
}

/** Returns new tokens. If the response has no refresh token, the previous one stays valid (RFC 6749 §6). */
async function renew(
  credentials: OAuthCredentials,
  app: AppInUse,
  { name, server, issuers, now, identity }: Party & { readonly identity: string },
): Promise<OAuthCredentials> {
  const { refreshToken } = credentials;
  if (refreshToken === undefined)
    throw new ProviderError('unauthorized', `${name} granted no refresh token: sign in again`, {
      reason: 'reauthentication_demanded',
    });
  const metadata = await server.metadata(app.user);
  const client = toClient(app, now());
  const secret = ClientSecretPost(app.clientSecret);
  const response = await refreshTokenGrantRequest(
    issuers?.ofAccount(identity, metadata) ?? metadata,
    client,
    secret,
    refreshToken,
    server.http(app.user),
  );
  const signer = (await issuers?.ofTokens(response, metadata)) ?? metadata;
  const tokens = await processRefreshTokenResponse(signer, client, response);
  return {
    ...credentials,
    appClientId: app.clientId,
    ...toAccessFields(tokens, now()),
    ...(tokens.scope === undefined ? {} : { scopes: parseScopes(tokens.scope) }),
    ...(tokens.refresh_token === undefined ? {} : toRefreshFields(tokens, now())),
  };
}

/** Revokes the whole grant, access tokens included (RFC 7009). Succeeds if it has already ended. */
async function revoke(
  { refreshToken, accessToken }: OAuthCredentials,
  app: AppInUse,
  { server, now }: Party,
): Promise<void> {
  const metadata = await server.metadata(app.user);
  if (metadata.revocation_endpoint === undefined) return;
  const token = refreshToken ?? accessToken;
  try {
    const response = await revocationRequest(
      metadata,
      toClient(app, now()),
      tokenAlone,
      token,
      server.http(app.user),
    );
    await processRevocationResponse(response);
  } catch (failure) {
    // RFC 7009 §2.2 requires a success here; Google returns this error for an unknown or expired token.
    const hasEnded = failure instanceof Error && 'error' in failure && failure.error === 'invalid_token';
    if (!hasEnded) throw failure;
  }
}

/** Sends no client credentials: the token alone authorizes its revocation. */
const tokenAlone: ClientAuth = () => {};

export const toClient = ({ clientId }: ProviderApp, now: number): Client => ({
  client_id: clientId,
  id_token_signed_response_alg: 'RS256',
  ...clockOptions(now),
});

export const parseScopes = (text: string): string[] => text.split(' ').filter((scope) => scope !== '');

/** RFC 6749 §5.1 makes `expires_in` optional. Access tokens of Google and Microsoft live for an hour at least. */
const ACCESS_SECONDS = 3600;

export const toAccessFields = (tokens: TokenEndpointResponse, now: number) => ({
  accessToken: tokens.access_token,
  expiresAt: now + (tokens.expires_in ?? ACCESS_SECONDS) * 1000,
});

export const toRefreshFields = (tokens: TokenEndpointResponse, now: number) => ({
  refreshToken: tokens.refresh_token,
  issuedAt: now,
});
