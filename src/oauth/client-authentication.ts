/**
 * Client authentication at the token endpoint (RFC 6749 §2.3.1, docs/wire.md O5): by a secret, by an assertion, or for a
 * public application by its id alone.
 */
import { timingSafeEqual } from 'node:crypto';
import { callerKey } from '../http/address-key.ts';
import type { AskedBy } from '../http/asker.ts';
import type { AttemptLimit } from '../http/attempt-limit.ts';
import { ANY_CALL } from '../http/refusal.ts';
import type { Log } from '../lib/log.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import type { Client } from './client.ts';
import { ASSERTION_TYPE, type ClientAssertions } from './client-assertion.ts';
import type { ClientStore } from './client-store.ts';
import type { AccessChecks, AccessRequest } from './dpop.ts';
import { type Issuer, issuerProblem } from './issuers.ts';
import { AUTHORIZATION, invalidRequest, OAuthError } from './oauth-error.ts';
import type { TokenSigner } from './token-signer.ts';

/** The part of a token request that authentication reads; authentication sets its caller, also a claimed one. */
export type ClientRequest = AskedBy & {
  /** The caller's address. Wrong secrets are counted by address, or by /64 for IPv6. */
  readonly ip: string;
};

export type PresentedCredentials = {
  readonly request: ClientRequest;
  readonly authorization: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** `client_assertion` and `client_assertion_type`; absent where only HTTP Basic is accepted. */
  readonly assertion?: string | undefined;
  readonly assertionType?: string | undefined;
};

export type ClientAuthenticationDeps = {
  readonly clients: ClientStore;
  readonly assertions: ClientAssertions;
  readonly wrongSecrets: AttemptLimit;
  readonly log: Log;
  readonly now: () => number;
};

/** Limits the logged characters of an id. Real ids are far shorter. */
const MOST_CHARACTERS_LOGGED = 200;

/** As long as a SHA-256 in hex, but equal to no hash. */
const NO_HASH = Buffer.from('-'.repeat(64));

type Method = 'basic' | 'body' | 'assertion';
type Credentials = {
  clientId: string;
  clientSecret: string | undefined;
  method: Exclude<Method, 'assertion'>;
};

/**
 * Returns the authenticated application, or a public one that was named. Throws the same `invalid_client` for an unknown
 * application and a wrong secret: 401 if Basic was used, otherwise 400. Departs from RFC 6749 §5.2 (401 for any method):
 * docs/departures.md#invalid-client-400. Throws 503 if the keys of the application cannot be read.
 */
export async function authenticateClient(
  presented: PresentedCredentials,
  deps: ClientAuthenticationDeps,
): Promise<Client> {
  if ((presented.assertion ?? presented.assertionType) !== undefined)
    return authenticateByAssertion(presented, deps);
  const { request } = presented;
  const { clientId, clientSecret, method } = readClientCredentials(presented);
  const match = await deps.clients.findClientWithSecrets(clientId, deps.now());
  const { clientAuthentication } = match?.client ?? {};
  if (clientSecret === undefined) {
    if (match === undefined || clientAuthentication !== 'none') throw invalidClient(method);
    // Anybody could have named it.
    request.asker = { clientId, isClaimed: true };
    return match.client;
  }
  // The secret is hashed and compared even for an unknown application: both take the same time.
  const isRight = secretMatches(clientSecret, match?.secretHashes ?? []);
  if (isRight && match !== undefined && clientAuthentication === 'secret') {
    request.asker = { clientId };
    return match.client;
  }
  throw await refuse({ request, clientId, isKnown: match !== undefined, method }, deps);
}

/** Authenticates by `client_assertion` (RFC 7523 §2.2). */
async function authenticateByAssertion(
  { request, authorization, clientSecret, ...sent }: PresentedCredentials,
  deps: ClientAuthenticationDeps,
): Promise<Client> {
  const { assertion, assertionType } = sent;
  if (clientSecret !== undefined || /^Basic\b/i.test(authorization ?? ''))
    throw invalidRequest('Use one way of client authentication: an assertion or a client secret, not both');
  if (assertion === undefined || assertionType === undefined)
    throw invalidRequest('Send client_assertion together with client_assertion_type');
  const claimed = await deps.assertions.claimedClientId(assertion);
  const clientId = claimed ?? sent.clientId ?? '';
  const match = await deps.clients.findClientWithSecrets(clientId, deps.now());
  const isExpected =
    assertionType === ASSERTION_TYPE &&
    (sent.clientId ?? clientId) === clientId &&
    match?.client.clientAuthentication === 'private_key_jwt';
  const reason =
    isExpected && match !== undefined ? await deps.assertions.findProblem(match.client, assertion) : 'client';
  if (match !== undefined && reason === undefined) {
    request.asker = { clientId };
    return match.client;
  }
  throw await refuse({ request, clientId, isKnown: match !== undefined, method: 'assertion', reason }, deps);
}

type Refused = {
  readonly request: ClientRequest;
  readonly clientId: string;
  readonly isKnown: boolean;
  readonly method: Method;
  /** Why an assertion was refused, for the log. */
  readonly reason?: string | undefined;
};

/** Logs and counts wrong credentials and returns their error. */
async function refuse(
  { request, clientId, isKnown, method, reason }: Refused,
  { log, wrongSecrets }: ClientAuthenticationDeps,
): Promise<OAuthError> {
  if (isKnown) request.asker = { clientId, isClaimed: true };
  const loggedId = clientId.slice(0, MOST_CHARACTERS_LOGGED);
  const fields = { event: 'client_refused', clientId: loggedId, method, ...(reason && { reason }) } as const;
  log.warn(fields, 'Client authentication failed');
  // Counted after the comparison: correct credentials always pass, so wrong ones cannot lock an application out.
  const wait = await wrongSecrets(callerKey({ clientId, address: request.ip }));
  return wait === undefined ? invalidClient(method) : tooManyAttempts(wait);
}

/** Returns the 429 for failed attempts; `wait` is whole seconds. */
export function tooManyAttempts(wait: number): OAuthError {
  const message = `Too many failed attempts; try again in ${wait} seconds`;
  return new OAuthError(ANY_CALL.temporarily_unavailable, message, { status: 429, retryAfter: wait });
}

function readClientCredentials({ authorization, clientId, clientSecret }: PresentedCredentials): Credentials {
  const basic = /^Basic(?: +(.*))?$/i.exec(authorization ?? '');
  if (basic === null) {
    if (clientId === undefined) throw invalidClient('body');
    return { clientId, clientSecret, method: 'body' };
  }
  if (clientSecret !== undefined)
    throw invalidRequest(
      'Use one way of client authentication: HTTP Basic or client_secret in the body, not both',
    );
  const credentials = decodeBasic(basic[1] ?? '');
  if (credentials === undefined) throw invalidClient('basic');
  if (clientId !== undefined && clientId !== credentials.clientId)
    throw invalidRequest('client_id in the body differs from the one in the Authorization header');
  return { ...credentials, method: 'basic' };
}

/** RFC 6749 §2.3.1: both halves are form-encoded. Our ids and secrets are the same raw or encoded. */
function decodeBasic(encoded: string): { clientId: string; clientSecret: string } | undefined {
  const text = Buffer.from(encoded.trim(), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const clientId = colon < 0 ? undefined : formDecode(text.slice(0, colon));
  const clientSecret = formDecode(text.slice(colon + 1));
  return clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

function formDecode(text: string): string | undefined {
  if (/^[\w.~-]*$/.test(text)) return text; // Nothing is encoded, as in all issued ids and secrets.
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined; // Invalid percent-encoding: Kalends issues no such id or secret.
  }
}

function secretMatches(secret: string, hashes: readonly string[]): boolean {
  const presented = Buffer.from(hashOfSecret(secret));
  let matches = timingSafeEqual(presented, NO_HASH);
  for (const secretHash of hashes) matches = timingSafeEqual(presented, Buffer.from(secretHash)) || matches;
  return matches;
}

/** The challenge of a 401. */
export const BASIC_CHALLENGE = { 'www-authenticate': 'Basic realm="Kalends", charset="UTF-8"' };

function invalidClient(method: Method): OAuthError {
  return new OAuthError(
    AUTHORIZATION.invalid_client,
    undefined,
    method === 'basic' ? { status: 401, headers: BASIC_CHALLENGE } : {},
  );
}

type HeaderRequest = ClientRequest & AccessRequest;
export type ApplicationCallDeps = ClientAuthenticationDeps &
  AccessChecks & {
    readonly signer: Pick<TokenSigner, 'readApplicationToken'>;
  };

/** Authenticates by HTTP Basic or an application token. Throws 401 `invalid_client` with the challenge of Basic. */
export async function authenticateBasic(request: HeaderRequest, deps: ApplicationCallDeps): Promise<Client> {
  const { authorization } = request.headers;
  const client = await findTokenClient(request, deps);
  if (client !== undefined) return client;
  // Any other scheme gets the challenge of Basic.
  const basic = /^Basic\b/i.test(authorization ?? '') ? authorization : 'Basic';
  const credentials = { request, authorization: basic, clientId: undefined, clientSecret: undefined };
  return authenticateClient(credentials, deps);
}

/** Returns the application of an application token, if it exists and still authenticates by assertions. */
export async function findTokenClient(
  request: HeaderRequest,
  { signer, clients, dpop, now }: Pick<ApplicationCallDeps, 'signer' | 'clients' | 'dpop' | 'now'>,
): Promise<Client | undefined> {
  const [, scheme = '', text] = /^(Bearer|DPoP) +(\S+) *$/i.exec(request.headers.authorization ?? '') ?? [];
  const claims = text === undefined ? undefined : await signer.readApplicationToken(text);
  if (text === undefined || claims === undefined) return undefined;
  const { client_id: clientId, cnf } = claims;
  const match = await clients.findClientWithSecrets(clientId, now());
  if (match?.client.clientAuthentication !== 'private_key_jwt') return undefined;
  await dpop.checkAccess(request, { scheme, text, claims: { clientId, jkt: cnf?.jkt } });
  request.asker = { clientId: match.client.clientId };
  return match.client;
}

/** Throws OAuthError `unauthorized_client`, which names the right issuer, if the application belongs to another one. */
export function requireIssuer(client: Client, issuer: Issuer): void {
  const problem = issuerProblem(client, issuer);
  if (problem !== undefined) throw new OAuthError(AUTHORIZATION.unauthorized_client, problem);
}
