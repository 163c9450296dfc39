/**
 * Pushed authorization requests (RFC 9126): the application sends the parameters of `/authorize` itself, authenticated,
 * and the browser carries a reference that nobody can guess or change. So they say who the user is.
 */
import { randomBytes } from 'node:crypto';

import { queryWithout, type ReceivedQuery, receivedQuery, scalar } from '../http/received-query.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import type { Client } from './client.ts';
import { invalidRequest } from './oauth-error.ts';
import type { PushedRequest, PushedRequestStore } from './pushed-request-store.ts';

/** How long one can be used (RFC 9126 §2.2). */
export const PUSHED_REQUEST_SECONDS = 60;
/** As long as a transaction lives: the browser that spent one finds its transaction again. */
export const PUSHED_REQUEST_KEPT_MS = 2 * 3_600_000;

/** So many of an application wait to be used: beyond it the oldest make room, which are past their 60 seconds long before. */
const MOST_UNSPENT = 10_000;

const URI_PREFIX = 'urn:ietf:params:oauth:request_uri:';
const REFERENCE_BYTES = 32;
export const MAX_NAME_CHARACTERS = 200;
export const MAX_HINT_CHARACTERS = 320;

export type PushedRequestDeps = {
  readonly pushedRequests: Pick<PushedRequestStore, 'add'>;
  /**
   * Checks the parameters as `/authorize` does, and answers the query of those it reads; throws OAuthError for the first
   * that cannot be used.
   */
  readonly checkAuthorization: (query: ReceivedQuery) => string;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** The answer, with the wire's own names (RFC 9126 §2.2). */
export type PushedRequestAnswer = { readonly request_uri: string; readonly expires_in: number };

/** Keeps the parameters and answers their reference. Throws OAuthError for what `/authorize` would refuse. */
export async function pushRequest(
  { client, query }: { readonly client: Client; readonly query: ReceivedQuery },
  { pushedRequests, checkAuthorization, now }: PushedRequestDeps,
): Promise<PushedRequestAnswer> {
  const { clientId } = client;
  // RFC 9126 §2.1
  if (scalar(query, 'request_uri') !== undefined) throw invalidRequest('request_uri must not be pushed');
  checkOnce(query);
  const read = receivedQuery(`?${checkAuthorization(query)}`);
  readPushedFacts(query);

  const facts = query.filter(({ name }) => FACTS.includes(name)).map(({ spelling }) => spelling);
  const kept = [`client_id=${clientId}`, queryWithout(read, 'client_id'), ...facts].join('&');
  const requestUri = await keepPushed({ clientId, query: kept, createdAt: now() }, { pushedRequests });
  return { request_uri: requestUri, expires_in: PUSHED_REQUEST_SECONDS };
}

/** Keeps what is checked, or is our own, and answers its reference. */
export async function keepPushed(
  request: PushedRequest,
  { pushedRequests }: Pick<PushedRequestDeps, 'pushedRequests'>,
): Promise<string> {
  const requestUri = URI_PREFIX + randomBytes(REFERENCE_BYTES).toString('base64url');
  await pushedRequests.add(hashOfRequestUri(requestUri), request, MOST_UNSPENT);
  return requestUri;
}

/** Under what a `request_uri` is stored. */
export const hashOfRequestUri = (requestUri: string): string => hashOfSecret(requestUri);

/** What counts only when it was pushed, since in an address anybody could write it. */
export type PushedFacts = {
  /** What people call the user: a label and no proof. */
  readonly userName: string | undefined;
  /** The address the user is likely to sign in with. */
  readonly loginHint: string | undefined;
};

/** Of pushed parameters. Throws OAuthError for a text that cannot be shown. */
export function readPushedFacts(query: ReceivedQuery): PushedFacts {
  return {
    userName: readLabel(query, 'user_name', MAX_NAME_CHARACTERS),
    loginHint: readLabel(query, 'login_hint', MAX_HINT_CHARACTERS),
  };
}

const FACTS = ['user_name', 'login_hint'];

/** RFC 6749 §3.1. `providers` is a list, in either of the ways lists are sent. */
function checkOnce(query: ReceivedQuery): void {
  const seen = new Set<string>();
  for (const { name } of query) {
    if (seen.has(name) && name !== 'providers')
      throw invalidRequest(`${quoted(name)} is given more than once`);
    seen.add(name);
  }
}

/** A parameter's name comes from outside: what is said of it stays short and in one line. */
const quoted = (name: string): string => (/^[\w-]{1,40}$/.test(name) ? name : 'A parameter');

function readLabel(query: ReceivedQuery, name: string, most: number): string | undefined {
  const label = scalar(query, name);
  if (label === undefined) return undefined;
  if (label.length > most) throw invalidRequest(`${name} is longer than ${most} characters`);
  // Direction overrides could make a page read as something else; U+FFFD stands for what is no UTF-8.
  if (/[\p{Cc}\u2028-\u202e\u2066-\u2069\ufffd]/u.test(label)) {
    throw invalidRequest(`${name} has control characters or is not UTF-8`);
  }
  return label;
}
