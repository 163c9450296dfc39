/** Client authentication at the token endpoint (RFC 6749 §2.3.1, docs/wire.md O5). */
import { timingSafeEqual } from 'node:crypto';
import { callerKey } from '../http/address-key.ts';
import type { AskedBy } from '../http/asker.ts';
import type { AttemptLimit } from '../http/attempt-limit.ts';
import { ANY_CALL } from '../http/refusal.ts';
import type { Log } from '../lib/log.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import type { Client } from './client.ts';
import type { ClientStore } from './client-store.ts';
import { type Issuer, issuerProblem } from './issuers.ts';
import { AUTHORIZATION, invalidRequest, OAuthError } from './oauth-error.ts';

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
};

export type ClientAuthenticationDeps = {
  readonly clients: ClientStore;
  readonly wrongSecrets: AttemptLimit;
  readonly log: Log;
  readonly now: () => number;
};

/** Limits the logged characters of an id. Real ids are far shorter. */
const MOST_CHARACTERS_LOGGED = 200;

/** As long as a SHA-256 in hex, but equal to no hash. */
const NO_HASH = Buffer.from('-'.repeat(64));

type Credentials = { clientId: string; clientSecret: string; method: 'basic' | 'body' };

/**
 * Returns the authenticated application. Throws the same `invalid_client` for an unknown application and a wrong
 * secret: 401 if Basic was used, otherwise 400. Departs from RFC 6749 §5.2 (401 for any method):
 * docs/departures.md#invalid-client-400.
 */
export async function authenticateClient(
  presented: PresentedCredentials,
  deps: ClientAuthenticationDeps,
): Promise<Client> {
  const credentials = readClientCredentials(presented);
  const { clientId, clientSecret, method } = credentials;
  const match = await deps.clients.findClientWithSecrets(clientId, deps.now());
  // The secret is hashed and compared even for an unknown application: both take the same time.
  if (secretMatches(clientSecret, match?.secretHashes ?? []) && match !== undefined) {
    presented.request.asker = { clientId: match.client.clientId };
    return match.client;
  }

  if (match !== undefined) presented.request.asker = { clientId: match.client.clientId, isClaimed: true };
  const loggedId = clientId.slice(0, MOST_CHARACTERS_LOGGED);
  deps.log.warn({ event: 'client_refused', clientId: loggedId, method }, 'Client authentication failed');
  // Counted after the comparison: a correct secret always passes, so wrong ones cannot lock an application out.
  const wait = await deps.wrongSecrets(callerKey({ clientId, address: presented.request.ip }));
  if (wait !== undefined) throw tooManyAttempts(wait);
  throw invalidClient(method);
}

/** Returns the 429 for failed attempts; `wait` is whole seconds. */
export function tooManyAttempts(wait: number): OAuthError {
  const message = `Too many failed attempts; try again in ${wait} seconds`;
  return new OAuthError(ANY_CALL.temporarily_unavailable, message, { status: 429, retryAfter: wait });
}

function readClientCredentials({ authorization, clientId, clientSecret }: PresentedCredentials): Credentials {
  const basic = /^Basic(?: +(.*))?$/i.exec(authorization ?? '');
  if (basic === null) {
    if (clientId === undefined || clientSecret === undefined) throw invalidClient('body');
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
function decodeBasic(encoded: string): Omit<Credentials, 'method'> | undefined {
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

function invalidClient(method: 'basic' | 'body'): OAuthError {
  const headers = { 'www-authenticate': 'Basic realm="Kalends", charset="UTF-8"' };
  return new OAuthError(
    AUTHORIZATION.invalid_client,
    undefined,
    method === 'basic' ? { status: 401, headers } : {},
  );
}

/** Authenticates by HTTP Basic only. Throws 401 `invalid_client` with its challenge. */
export function authenticateBasic(
  request: ClientRequest & { readonly headers: { readonly authorization?: string | undefined } },
  deps: ClientAuthenticationDeps,
): Promise<Client> {
  const { authorization } = request.headers;
  // Any other scheme gets the challenge of Basic.
  const basic = /^Basic\b/i.test(authorization ?? '') ? authorization : 'Basic';
  const credentials = { request, authorization: basic, clientId: undefined, clientSecret: undefined };
  return authenticateClient(credentials, deps);
}

/** Throws OAuthError `unauthorized_client`, which names the right issuer, if the application belongs to another one. */
export function requireIssuer(client: Client, issuer: Issuer): void {
  const problem = issuerProblem(client, issuer);
  if (problem !== undefined) throw new OAuthError(AUTHORIZATION.unauthorized_client, problem);
}
