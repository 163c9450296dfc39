/** Single sign-on of members at an OpenID issuer: OpenID Connect Core 1.0 §3.1 with PKCE (RFC 7636). */
import {
  AuthorizationResponseError,
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockTolerance,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  ResponseBodyError,
  UnsupportedOperationError,
  userInfoRequest,
  validateApplicationLevelSignature,
  validateAuthResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';

import { ProviderError } from '../../calendars/provider-error.ts';
import { clockOptions } from '../../lib/clock-skew.ts';
import type { Egress } from '../../lib/egress/egress.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import type { Claims } from '../../people/claims.ts';
import type {
  IdentityProvider,
  PendingSignIn,
  ProvenIdentity,
  SignInRequest,
} from '../../people/identity-provider.ts';
import { PeopleRefusal } from '../../people/people-refusal.ts';
import { type OpenIdServer, openIdServer } from './authorization-server.ts';

export type IdentityProviderDeps = {
  readonly egress: Egress;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Applies to each request. */
  readonly timeoutMs?: number;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Shorter than for calendar servers, because a person is waiting. */
const TIMEOUT_MS = 8_000;
const MOST_BYTES = 256_000;
/** Seconds by which the clocks may differ. */
const TOLERANCE_SECONDS = 60;
/** Maximum seconds since the person's last sign-in at the issuer, if a new one is required. */
const MAX_AGE_SECONDS = 300;
/** OpenID Connect Core 1.0 §2. */
const MOST_SUBJECT_CHARACTERS = 255;
const NAME = 'single sign-on';

/** How long unreadable metadata is not requested again. */
const AWAY_MS = 5_000;

type Party = Pick<IdentityProviderDeps, 'clientId' | 'clientSecret' | 'now'> & {
  readonly server: OpenIdServer;
  /** Reads the metadata, once for all concurrent callers. */
  readonly metadata: () => Promise<AuthorizationServer>;
  readonly issuer: URL;
};

export function identityProvider(deps: IdentityProviderDeps): IdentityProvider {
  const { timeoutMs = TIMEOUT_MS, now } = deps;
  const egress: Egress = {
    request: (request) => deps.egress.request({ ...request, timeoutMs, maxBytes: MOST_BYTES }),
    close: () => deps.egress.close(),
  };
  const server = openIdServer({ name: NAME }, { egress, issuer: deps.issuer, now });
  const metadata = rememberFailure(server, now);
  const party: Party = { ...deps, server, metadata, issuer: new URL(deps.issuer) };
  return {
    issuer: party.issuer.href,
    async begin(request) {
      return mapFailures(async () => begin(request, await party.metadata(), party));
    },
    async complete(returned, pending, request) {
      return mapFailures(async () => complete({ returned, pending, request }, await party.metadata(), party));
    },
  };
}

/** Returns a reader of the metadata that repeats a failure for `AWAY_MS` without calling the issuer. */
function rememberFailure(server: OpenIdServer, now: () => number): () => Promise<AuthorizationServer> {
  let running: Promise<AuthorizationServer> | undefined;
  let failed: { readonly cause: unknown; readonly until: number } | undefined;
  const ask = async () => {
    try {
      return await server.metadata();
    } catch (cause) {
      if (!isIssuerFailure(cause)) throw cause;
      failed = { cause, until: now() + AWAY_MS };
      throw new PeopleRefusal('issuer_unavailable', { cause });
    } finally {
      running = undefined;
    }
  };
  return async () => {
    if (failed !== undefined && now() < failed.until)
      throw new PeopleRefusal('issuer_unavailable', { cause: failed.cause });
    running ??= ask();
    return running;
  };
}

async function begin({ redirectUri, isFresh }: SignInRequest, metadata: AuthorizationServer, party: Party) {
  const url = new URL(metadata.authorization_endpoint ?? '');
  // A browser is redirected there, so other schemes are refused.
  if (url.protocol !== 'https:' && url.protocol !== party.issuer.protocol)
    throw new PeopleRefusal('issuer_unavailable', {
      cause: new Error('Its authorization endpoint is not https'),
    });
  const pending: PendingSignIn = {
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    codeVerifier: generateRandomCodeVerifier(),
  };
  const parameters = {
    client_id: party.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: buildScope(metadata),
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.codeVerifier),
    code_challenge_method: 'S256',
    ...(isFresh && { prompt: 'login', max_age: '0' }),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, pending };
}

/** Requests `groups` if that scope exists: some issuers send the claim only with it. */
const buildScope = ({ scopes_supported: scopes }: AuthorizationServer): string =>
  ['openid', 'profile', 'email', ...(scopes?.includes('groups') ? ['groups'] : [])].join(' ');

type Returned = {
  readonly returned: URL;
  readonly pending: PendingSignIn;
  readonly request: SignInRequest;
};

async function complete(
  { returned, pending, request }: Returned,
  metadata: AuthorizationServer,
  party: Party,
): Promise<ProvenIdentity> {
  const { server, clientId, now } = party;
  const client: Client = { client_id: clientId, ...clockOptions(now()), [clockTolerance]: TOLERANCE_SECONDS };
  const response = await authorizationCodeGrantRequest(
    metadata,
    client,
    chooseClientAuth(metadata, party),
    validateAuthResponse(metadata, client, returned, pending.state),
    request.redirectUri,
    pending.codeVerifier,
    server.http(),
  );
  const tokens = await processAuthorizationCodeResponse(metadata, client, response, {
    expectedNonce: pending.nonce,
    requireIdToken: true,
    ...(request.isFresh && { maxAge: MAX_AGE_SECONDS }),
  });
  await validateApplicationLevelSignature(metadata, response, server.http());
  const idToken = getValidatedIdTokenClaims(tokens);
  if (idToken === undefined) throw new Error('The library accepted a response without an ID token');
  const { sub: subject, auth_time: seconds } = idToken;
  if (subject === '' || subject.length > MOST_SUBJECT_CHARACTERS || /\p{Cc}/u.test(subject))
    throw new PeopleRefusal('sign_in_failed', {
      cause: new Error('Its subject is empty, too long or not a string'),
    });
  // > The Claims requested by the profile, email … scope values are returned from the UserInfo Endpoint (§5.4)
  const others =
    metadata.userinfo_endpoint === undefined
      ? {}
      : await processUserInfoResponse(
          metadata,
          client,
          subject,
          await userInfoRequest(metadata, client, tokens.access_token, server.http()),
        );
  return {
    subject,
    authenticatedAt: seconds === undefined ? undefined : seconds * 1000,
    claims: { ...others, ...idToken, ...selectEmailClaims([idToken, others]) },
  };
}

/** Returns the first email that comes with its verification. The two must be from one document. */
function selectEmailClaims(documents: readonly Claims[]): Claims {
  const document = documents.find((one) => one.email !== undefined && one.email_verified !== undefined);
  return { email: document?.email, email_verified: document?.email_verified };
}

/** Chooses how the client authenticates. The default is that of Discovery 1.0 §3. */
function chooseClientAuth(
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: AuthorizationServer,
  { clientSecret }: Party,
): ClientAuth {
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret);
}

async function mapFailures<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (failure) {
    throw isIssuerFailure(failure) ? new PeopleRefusal(toErrorCode(failure), { cause: failure }) : failure;
  }
}

/** Returns whether the issuer or the browser caused a failure, as opposed to an internal error. */
const isIssuerFailure = (failure: unknown): boolean =>
  failure instanceof EgressError ||
  failure instanceof ProviderError ||
  failure instanceof AuthorizationResponseError ||
  failure instanceof ResponseBodyError ||
  failure instanceof WWWAuthenticateChallengeError ||
  failure instanceof OperationProcessingError ||
  // A token or key of an unsupported kind, or one that WebCrypto cannot read.
  failure instanceof UnsupportedOperationError ||
  failure instanceof DOMException;

/** Errors that mean that the person did not sign in (OpenID Connect Core 1.0 §3.1.2.6). */
const CANCELLED_ERRORS = ['access_denied', 'login_required', 'interaction_required', 'consent_required'];
const UNAVAILABLE_ERRORS = ['temporarily_unavailable', 'server_error'];

function toErrorCode(failure: unknown): 'issuer_unavailable' | 'sign_in_cancelled' | 'sign_in_failed' {
  if (failure instanceof EgressError) return 'issuer_unavailable';
  if (failure instanceof AuthorizationResponseError || failure instanceof ResponseBodyError) {
    if (CANCELLED_ERRORS.includes(failure.error)) return 'sign_in_cancelled';
    if (UNAVAILABLE_ERRORS.includes(failure.error)) return 'issuer_unavailable';
  }
  const isOutOfOrder =
    failure instanceof OperationProcessingError &&
    failure.cause instanceof Response &&
    (failure.cause.status === 429 || failure.cause.status >= 500);
  return isOutOfOrder ? 'issuer_unavailable' : 'sign_in_failed';
}
