/** Pushed authorization requests (RFC 9126). The application is authenticated, so they identify the user. */
import { randomBytes } from 'node:crypto';
import { queryWithout, type ReceivedQuery, receivedQuery, scalar, values } from '../http/received-query.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import type { Client } from './client.ts';
import type { Issuer } from './issuers.ts';
import { invalidRequest } from './oauth-error.ts';
import { CHALLENGE_REQUIRED, lacksChallenge } from './pkce.ts';
import type { PushedRequest, PushedRequestStore } from './pushed-request-store.ts';
import { chooseRedirectUri, UNREGISTERED_REDIRECT_URI } from './redirect-uri.ts';
import { hasResources, type ResourceDeps, readResource } from './resource-indicators.ts';

/** The lifetime of a pushed request (RFC 9126 §2.2). */
export const PUSHED_REQUEST_SECONDS = 60;
/** The lifetime of a transaction, so that a browser that used the request can find its transaction again. */
export const PUSHED_REQUEST_KEPT_MS = 2 * 3_600_000;

/** The maximum of unused requests per application. The oldest, long expired, are deleted first. */
const MOST_UNSPENT = 10_000;

const URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';
const REFERENCE_BYTES = 32;
export const MAX_NAME_CHARACTERS = 200;
export const MAX_HINT_CHARACTERS = 320;
/** The id of a CalDAV account is a URL. */
export const MAX_RECONNECT_CHARACTERS = 2100;

export type PushedRequestDeps = ResourceDeps & {
  /** The issuer to which the application belongs. */
  readonly issuer: Issuer;
  readonly pushedRequests: Pick<PushedRequestStore, 'add'>;
  /** Checks parameters like `/authorize` and returns those that it reads. Throws OAuthError for the first mistake. */
  readonly checkAuthorization: (query: ReceivedQuery) => string;
  /** Returns whether the user has the account that `reconnect` names. */
  readonly hasAccount: (account: NamedAccount) => Promise<boolean>;
  readonly now: () => number;
};

/** `reconnect` is `PROVIDER:ID`, as received. */
export type NamedAccount = {
  readonly clientId: string;
  readonly userId: string;
  readonly reconnect: string;
};

/** The response in wire names (RFC 9126 §2.2). */
export type PushedRequestAnswer = { readonly request_uri: string; readonly expires_in: number };

type PushedParameters = {
  readonly client: Client;
  readonly query: ReceivedQuery;
  /** The thumbprint of the DPoP key that the code will be bound to. */
  readonly dpopJkt?: string | undefined;
};

/** Stores the parameters and returns their reference. Throws OAuthError for invalid parameters. */
export async function pushRequest(
  { client, query, dpopJkt }: PushedParameters,
  deps: PushedRequestDeps,
): Promise<PushedRequestAnswer> {
  const { issuer, pushedRequests, checkAuthorization, hasAccount, now } = deps;
  const { clientId } = client;
  // RFC 9126 §2.1
  if (scalar(query, 'request_uri') !== undefined) throw invalidRequest('request_uri must not be pushed');
  checkOnce(query, hasResources(client) ? ['providers', 'resource'] : ['providers']);
  const read = receivedQuery(`?${checkAuthorization(query)}`);
  if (lacksChallenge(client, scalar(query, 'code_challenge'))) throw invalidRequest(CHALLENGE_REQUIRED);
  const missing = STRICTLY_REQUIRED.find((name) => issuer.isStrict && scalar(query, name) === undefined);
  if (missing !== undefined) throw invalidRequest(`${missing} is missing`);
  if (chooseRedirectUri(scalar(query, 'redirect_uri'), client, issuer) === undefined)
    throw invalidRequest(UNREGISTERED_REDIRECT_URI);
  // Anyone can push for a public application, so nothing that it states about the user is read.
  const isPublic = client.clientAuthentication === 'none';
  const resource = readResource(values(query, 'resource'), client, deps);
  const { reconnect } = isPublic ? NO_FACTS : readPushedFacts(query);
  if (reconnect !== undefined) {
    const userId = scalar(query, 'user_id') ?? '';
    if (!(await hasAccount({ clientId, userId, reconnect }))) throw invalidRequest(RECONNECT_UNKNOWN);
  }

  const names = [
    ...(isPublic ? [] : FACTS),
    ...(issuer.isStrict || client.furtherRedirectUris.length > 0 ? ['redirect_uri'] : []),
  ];
  const facts = query.filter(({ name }) => names.includes(name)).map(({ spelling }) => spelling);
  if (resource !== undefined) facts.push(`resource=${encodeURIComponent(resource)}`);
  if (dpopJkt !== undefined) facts.push(`dpop_jkt=${dpopJkt}`);
  const mark = isPublic ? [`${PUBLIC_MARK}=1`] : [];
  const stored = [`client_id=${clientId}`, queryWithout(read, 'client_id'), ...facts, ...mark].join('&');
  const requestUri = await storePushedRequest(
    { issuer: issuer.name, clientId, query: stored, createdAt: now() },
    { pushedRequests },
  );
  return { request_uri: requestUri, expires_in: PUSHED_REQUEST_SECONDS };
}

/** Stores checked parameters and returns their reference. */
export async function storePushedRequest(
  request: PushedRequest,
  { pushedRequests }: Pick<PushedRequestDeps, 'pushedRequests'>,
): Promise<string> {
  const requestUri = URI_PREFIX + randomBytes(REFERENCE_BYTES).toString('base64url');
  await pushedRequests.add(hashOfRequestUri(requestUri), request, MOST_UNSPENT);
  return requestUri;
}

export const hashOfRequestUri = (requestUri: string): string => hashOfSecret(requestUri);

/** Parameters that count only if pushed, because anybody could write them into an address. */
export type PushedFacts = {
  /** The displayed name of the user: a label, not a proof. */
  readonly userName: string | undefined;
  /** The address that the user probably signs in with. */
  readonly loginHint: string | undefined;
  /** The account to reconnect, as `PROVIDER:ID`. */
  readonly reconnect: string | undefined;
};

/** Reads pushed parameters. Throws OAuthError for a text that cannot be displayed. */
export const readPushedFacts = (query: ReceivedQuery): PushedFacts => ({
  userName: readLabel(query, 'user_name', MAX_NAME_CHARACTERS),
  loginHint: readLabel(query, 'login_hint', MAX_HINT_CHARACTERS),
  reconnect: readLabel(query, 'reconnect', MAX_RECONNECT_CHARACTERS),
});

/** Marks a stored request that a public application pushed. No parameter of a request is stored under this name. */
const PUBLIC_MARK = 'public_client';

/** Returns whether an authenticated application pushed the stored request, and so vouches for its user. */
export const isVouchedFor = (stored: ReceivedQuery, { clientAuthentication }: Client): boolean =>
  clientAuthentication !== 'none' && scalar(stored, PUBLIC_MARK) === undefined;

/** Parameters that a strict issuer requires (RFC 6749 §4.1.1), `client_id` also beside an assertion (RFC 9126 §2.1). */
const STRICTLY_REQUIRED = ['redirect_uri', 'response_type', 'client_id'];

const NO_FACTS: PushedFacts = { userName: undefined, loginHint: undefined, reconnect: undefined };
const FACTS = ['user_name', 'login_hint', 'reconnect'];
const RECONNECT_UNKNOWN =
  'reconnect must be PROVIDER:ID of an account of this user, such as google:ada@example.com; see GET /connection-status';

/** Refuses repeated parameters (RFC 6749 §3.1) except lists. */
function checkOnce(query: ReceivedQuery, lists: readonly string[]): void {
  const seen = new Set<string>();
  for (const { name } of query) {
    if (seen.has(name) && !lists.includes(name))
      throw invalidRequest(`${quoted(name)} is given more than once`);
    seen.add(name);
  }
}

/** The caller chooses the name, so the message must stay short and on one line. */
const quoted = (name: string): string => (/^[\w-]{1,40}$/.test(name) ? name : 'A parameter');

function readLabel(query: ReceivedQuery, name: string, most: number): string | undefined {
  const label = scalar(query, name);
  if (label === undefined) return undefined;
  if (label.length > most) throw invalidRequest(`${name} is longer than ${most} characters`);
  // Direction overrides could make a page read as something else; U+FFFD replaces invalid UTF-8.
  if (/[\p{Cc}\u2028-\u202e\u2066-\u2069\ufffd]/u.test(label))
    throw invalidRequest(`${name} has control characters or is not UTF-8`);
  return label;
}
