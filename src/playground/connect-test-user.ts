/**
 * A flow of the playground: a pushed request for a user id that no one else can request. State and PKCE verifier stay
 * here, and only the session that started the flow can finish it, so another person's link or response has no effect.
 */
import { randomBytes } from 'node:crypto';

import type { By } from '../audit/audit-entry.ts';
import { hashOfSecret } from '../lib/sealing.ts';
import { type AuthorizationCodeDeps, authorizationCodeGrant } from '../oauth/authorization-code-grant.ts';
import type { ClientStore } from '../oauth/client-store.ts';
import { createIssuer, issuerOf } from '../oauth/issuers.ts';
import { deriveChallenge } from '../oauth/pkce.ts';
import { playgroundUserId } from '../oauth/playground-users.ts';
import { type PushedRequestDeps, storePushedRequest } from '../oauth/pushed-requests.ts';
import type { Scope } from '../oauth/scope.ts';
import { signerOf } from '../oauth/token-signer.ts';
import type { UserStore } from '../oauth/user-store.ts';
import { PeopleRefusal } from '../people/people-refusal.ts';
import { mustBeAllowed } from '../people/permission.ts';
import type { Person } from '../people/person.ts';
import { proveKey } from './test-key.ts';
import { keyFor, toTestTokens } from './test-tokens.ts';
import type { TestUser, TestUserStore } from './test-user-store.ts';

export type PlaygroundDeps = AuthorizationCodeDeps & {
  readonly clients: Pick<ClientStore, 'findClient'>;
  readonly users: Pick<UserStore, 'deleteUser'>;
  readonly pushedRequests: PushedRequestDeps['pushedRequests'];
  readonly testUsers: TestUserStore;
  /** The origin of the Connect pages and the API. */
  readonly publicUrl: string;
  readonly dashboardUrl: string;
};

/** The path of the flow's redirect URI, under the dashboard's origin. */
export const CALLBACK_PATH = '/dashboard/playground/callback';

const HOUR_MS = 3_600_000;
/** The lifetime of an authorization request. */
const FLOW_MS = 2 * HOUR_MS;
/** A test user is deleted after this time without a new flow. */
const TEST_USER_MS = 24 * HOUR_MS;

const DEFAULT_NAME = 'test-user';
const NAME = /^[a-z0-9][a-z0-9._-]{0,31}$/i;

/** Parses a name for a test user. Returns `undefined` if it cannot be part of an id. */
export function readTestName(typed: string): string | undefined {
  const name = typed.trim() || DEFAULT_NAME;
  return NAME.test(name) ? name : undefined;
}

export type BegunBy = { readonly person: Person; readonly sessionId: string };

/** Starts a flow and returns its first address. Throws PeopleRefusal. */
export async function beginFlow(
  { person, sessionId }: BegunBy,
  flow: { readonly clientId: string; readonly name: string; readonly scope: Scope },
  deps: PlaygroundDeps,
): Promise<string> {
  const { clientId, name, scope } = flow;
  mustBeAllowed(person, 'playground.use', clientId);
  const client = await deps.clients.findClient(clientId);
  if (client === undefined) throw new PeopleRefusal('not_there');
  const issuer = createIssuer(issuerOf(client), deps.publicUrl);
  const [state, verifier] = [newSecret(), newSecret()];
  const now = deps.now();
  const user = await deps.testUsers.beginFlow({
    ...{ clientId, personId: person.personId, sessionId, verifier, now },
    newUserId: playgroundUserId(name, randomBytes(9).toString('base64url')),
    stateHash: hashOfSecret(state),
    endsAt: now + TEST_USER_MS,
  });
  if (user === undefined) throw new PeopleRefusal('not_there');
  const parameters = {
    client_id: clientId,
    user_id: user.userId,
    user_name: name,
    redirect_uri: callbackUrl(deps),
    response_type: 'code',
    ...{ scope, state, code_challenge: deriveChallenge(verifier), code_challenge_method: 'S256' },
  };
  const query = String(new URLSearchParams(parameters));
  const stored = { issuer: issuer.name, clientId, query, createdAt: now };
  const requestUri = await storePushedRequest(stored, deps);
  return `${issuer.url}/authorize?${new URLSearchParams({ client_id: clientId, request_uri: requestUri })}`;
}

export type FlowAnswer = {
  readonly state: string;
  readonly code: string;
  readonly isDenied: boolean;
};

/** Finishes a flow. Throws PeopleRefusal `flow_ended` if this session did not start it. */
export async function finishFlow(
  { person, sessionId }: BegunBy,
  { state, code, isDenied }: FlowAnswer,
  deps: PlaygroundDeps & By,
): Promise<{ readonly user: TestUser; readonly isConnected: boolean }> {
  const begun = { sessionId, begunAfter: deps.now() - FLOW_MS };
  const flow = await deps.testUsers.takeFlow(hashOfSecret(state), begun);
  if (flow === undefined) throw new PeopleRefusal('flow_ended');
  const { user, verifier } = flow;
  // The member may have lost the application in the meantime.
  mustBeAllowed(person, 'playground.use', user.clientId);
  if (isDenied) return { user, isConnected: false };
  const client = await deps.clients.findClient(user.clientId);
  // An opaque code belongs to this flow because its verifier does.
  if (client === undefined || (client.codeFormat === 'user-id' && code !== user.userId))
    throw new PeopleRefusal('flow_ended');
  const key = keyFor(client);
  const proof = key && (await proveKey(key));
  const exchange = { client, proof, code, redirectUri: callbackUrl(deps), codeVerifier: verifier };
  const signer = await signerOf(client, deps);
  const answer = await authorizationCodeGrant(exchange, { ...deps, signer });
  const tokens = toTestTokens(answer, key, deps.now());
  const connection = { tokens, endsAt: deps.now() + TEST_USER_MS, by: deps.by };
  const isConnected = await deps.testUsers.connect(user, connection);
  if (!isConnected) throw new PeopleRefusal('flow_ended');
  return { user, isConnected };
}

/** Deletes the test user with all its data. Its grants end at once, and access at providers where possible. */
export async function startOver(
  person: Person,
  clientId: string,
  { testUsers, users, now, by }: Pick<PlaygroundDeps, 'testUsers' | 'users' | 'now'> & By,
): Promise<void> {
  mustBeAllowed(person, 'playground.use', clientId);
  const user = await testUsers.findTestUser(person.personId, clientId);
  if (user !== undefined) await users.deleteUser(clientId, user.userId, { now: now(), by });
}

const callbackUrl = ({ dashboardUrl }: Pick<PlaygroundDeps, 'dashboardUrl'>): string =>
  dashboardUrl + CALLBACK_PATH;

const newSecret = (): string => randomBytes(32).toString('base64url');
