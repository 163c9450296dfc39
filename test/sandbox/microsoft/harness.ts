/** The sandbox's Microsoft with people in it, signed in to by oauth4webapi, spoken to by plain fetch. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import * as oauth from 'oauth4webapi';

import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import { completeSignIn, type SignInChoices } from '../../../sandbox/microsoft/complete-sign-in.ts';
import { microsoftSandbox } from '../../../sandbox/microsoft/microsoft-sandbox.ts';

export const APP = {
  clientId: '4f1d4f0e-0000-4000-8000-00000000cafe',
  clientSecret: 'kept~secret.of.the.app',
  redirectUris: ['http://127.0.0.1:8080/connect/microsoft/callback'],
  name: 'Kalends',
};
export const REDIRECT_URI = APP.redirectUris[0] ?? '';
export const ADA = 'ada@contoso.example';
export const CLIENT: oauth.Client = { client_id: APP.clientId };
export const INSECURE = { [oauth.allowInsecureRequests]: true };
export const SCOPE = 'openid profile email offline_access User.Read Calendars.ReadWrite';

/** A sandbox with Ada of Contoso and her default calendar in Berlin; ends with the test. */
export async function openMicrosoft(t: TestContext) {
  const clock = sandboxClock();
  const faults = faultBoard();
  const sandbox = await microsoftSandbox({ clock, faults, apps: [APP] });
  t.after(() => sandbox.close());
  await sandbox.manual.addPerson({ email: ADA, name: 'Ada Lovelace' });
  const calendarId = await sandbox.manual.addCalendar(ADA, { title: 'Calendar', timeZone: 'Europe/Berlin' });
  return { sandbox, manual: sandbox.manual, clock, faults, calendarId };
}

export type Opened = Awaited<ReturnType<typeof openMicrosoft>>;

/** Metadata, whose issuer at `common` and `organizations` is a pattern and not the address it was found at. */
export async function discovered(origin: string, tenant = 'common'): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(`${origin}/${tenant}/v2.0`);
  const answer = await oauth.discoveryRequest(issuer, INSECURE);
  const shared = tenant === 'common' || tenant === 'organizations';
  const named = shared ? new URL(`${origin}/{tenantid}/v2.0`) : new URL(`${origin}/${tenantOf(tenant)}/v2.0`);
  return oauth.processDiscoveryResponse(named, answer);
}

const tenantOf = (path: string): string => (path === 'consumers' ? PERSONAL : path);

export const PERSONAL = '9188040d-6c67-4c5b-b112-36a304b66dad';

export type SignInRequest = SignInChoices & {
  scope?: string;
  tenant?: string;
  extra?: Record<string, string>;
};

/** The address of the authorization endpoint, and what has to be kept of the request. */
export async function authorization(
  origin: string,
  { scope = SCOPE, tenant = 'common', extra = {} }: Partial<SignInRequest> = {},
) {
  const server = await discovered(origin, tenant);
  const verifier = oauth.generateRandomCodeVerifier();
  const nonce = oauth.generateRandomNonce();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? '');
  const parameters = {
    client_id: APP.clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    prompt: 'select_account',
    ...extra,
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { server, url, verifier, nonce, state };
}

/** The tokens of a whole sign-in, checked by oauth4webapi. */
export async function signIn(origin: string, request: Partial<SignInRequest> = {}) {
  const { server, url, verifier, nonce, state } = await authorization(origin, request);
  const callback = await completeSignIn(url, { account: ADA, ...request });
  // The issuer of a callback is not compared: Microsoft sends no `iss`.
  const parameters = oauth.validateAuthResponse(server, CLIENT, callback, state);
  const secret = oauth.ClientSecretPost(APP.clientSecret);
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    CLIENT,
    secret,
    parameters,
    REDIRECT_URI,
    verifier,
    INSECURE,
  );
  const { tid } = unverifiedClaims(await jsonOf(answer.clone()));
  const expected = { ...server, issuer: `${origin}/${tid}/v2.0` };
  const tokens = await oauth.processAuthorizationCodeResponse(expected, CLIENT, answer, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(expected, answer, INSECURE);
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  assert.ok(claims);
  return {
    server,
    tokens,
    claims,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? '',
  };
}

/** The claims before they are checked: `tid` names the issuer to check against. */
function unverifiedClaims(body: Json): Record<string, unknown> {
  return JSON.parse(Buffer.from(String(body.id_token).split('.')[1] ?? '', 'base64url').toString());
}

export type Json = Record<string, unknown>;
/** A body that is known to be a JSON object: every answer of the sandbox is. */
export const jsonOf = async (answer: Response): Promise<Json> => (await answer.json()) as Json;

type GraphAnswer = { status: number; headers: Headers; body: Json };

/** Speaks to Graph as one user; an address may be a link it answered. */
export function graphClient(sandbox: { apiUrl: string }, accessToken: string) {
  return async (
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<GraphAnswer> => {
    const url = path.startsWith('http') ? path : `${sandbox.apiUrl}${path}`;
    const answer = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text === '' ? {} : JSON.parse(text) };
  };
}

export type Graph = ReturnType<typeof graphClient>;

/** The members of a collection, over all pages, and the last page's body. */
export async function everyPage(graph: Graph, path: string, headers: Record<string, string> = {}) {
  const value: Json[] = [];
  let last: Json = { '@odata.nextLink': path };
  let pages = 0;
  while (typeof last['@odata.nextLink'] === 'string') {
    const answer = await graph('GET', last['@odata.nextLink'], { headers });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    last = answer.body;
    pages += 1;
    // A collection's `value` is a list of objects.
    value.push(...(last.value as Json[]));
  }
  return { value, last, pages };
}

/** `error.code` of Graph's error body. */
export const codeOf = ({ body }: GraphAnswer): unknown => (body.error as Json | undefined)?.code;
