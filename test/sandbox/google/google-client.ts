/** An independent client of the sandbox's Google (oauth4webapi), and a browser of a few lines. */
import assert from 'node:assert/strict';
import { after } from 'node:test';

import type { calendar_v3 } from '@googleapis/calendar';
import * as oauth from 'oauth4webapi';

import { type SandboxClock, sandboxClock } from '../../../sandbox/core/clock.ts';
import { type Faults, faultBoard } from '../../../sandbox/core/faults.ts';
import { completeSignIn } from '../../../sandbox/google/complete-sign-in.ts';
import {
  type GoogleSandbox,
  type GoogleSandboxOptions,
  googleSandbox,
} from '../../../sandbox/google/google-sandbox.ts';

export const CALLBACK = 'http://127.0.0.1:9/connect/google/callback';
export const APP = {
  clientId: '1234-kalends.apps.googleusercontent.com',
  clientSecret: 'GOCSPX-a-secret',
  redirectUris: [CALLBACK],
};
export const ADA = { email: 'ada@example.com', name: 'Ada Lovelace' };
export const BOB = { email: 'bob@example.com', name: 'Bob Bemer' };
export const calendarScope = (name: string): string => `https://www.googleapis.com/auth/calendar.${name}`;
export const READ_WRITE = `openid email ${calendarScope('events')} ${calendarScope('calendarlist.readonly')}`;

export type OpenGoogle = { google: GoogleSandbox; clock: SandboxClock; faults: Faults };

const opened: GoogleSandbox[] = [];
after(() => Promise.all(opened.map((google) => google.close())));

/** A Google with Ada and Bob, closed when the file's tests are over. */
export async function openGoogle(
  options: { status?: 'testing'; now?: () => number } = {},
  behaviour: GoogleSandboxOptions = {},
): Promise<OpenGoogle> {
  const clock = sandboxClock(options.now);
  const faults = faultBoard();
  const app = options.status === undefined ? APP : { ...APP, status: options.status };
  const google = await googleSandbox({ clock, faults, apps: [app], ...behaviour });
  opened.push(google);
  await google.manual.addPerson(ADA);
  await google.manual.addPerson(BOB);
  return { google, clock, faults };
}

type SignInOptions = {
  readonly email?: string;
  readonly scope?: string;
  /** Scopes whose boxes are unticked. */
  readonly untick?: readonly string[];
  readonly parameters?: Readonly<Record<string, string>>;
};

type Requested = {
  readonly as: oauth.AuthorizationServer;
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
};

const insecure = { [oauth.allowInsecureRequests]: true };
const client: oauth.Client = { client_id: APP.clientId };

/** The authorization request as an application makes it. */
export async function request(
  { issuer }: GoogleSandbox,
  { scope = READ_WRITE, parameters = {} }: SignInOptions = {},
): Promise<Requested> {
  const discovered = await oauth.discoveryRequest(new URL(issuer), insecure);
  const as = await oauth.processDiscoveryResponse(new URL(issuer), discovered);
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const url = new URL(as.authorization_endpoint ?? '');
  const all = {
    client_id: APP.clientId,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    access_type: 'offline',
    prompt: 'consent',
    ...parameters,
  };
  for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
  return { as, url, verifier, state, nonce };
}

/** Walks the pages like a person: picks the account, unticks, continues. Answers the callback's address. */
export const walk = (url: URL, { email = ADA.email, untick = [] }: SignInOptions = {}): Promise<URL> =>
  completeSignIn(url, { email, untick });

/** Redeems a callback, with all the checks oauth4webapi has: state, iss, nonce, audience, and the signature. */
export async function redeem(callback: URL, { as, verifier, state, nonce }: Requested) {
  const parameters = oauth.validateAuthResponse(as, client, callback, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.ClientSecretPost(APP.clientSecret),
    parameters,
    CALLBACK,
    verifier,
    insecure,
  );
  const result = await oauth.processAuthorizationCodeResponse(as, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(as, response, insecure);
  return result;
}

export async function signIn(google: GoogleSandbox, options: SignInOptions = {}) {
  const requested = await request(google, options);
  return redeem(await walk(requested.url, options), requested);
}

/** A refresh, answered as it is. */
export function refresh(
  { issuer }: GoogleSandbox,
  refreshToken: string,
  secret = APP.clientSecret,
): Promise<Response> {
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: APP.clientId,
    client_secret: secret,
  });
  return fetch(`${issuer}/token`, { method: 'POST', body });
}

export type Api = ReturnType<typeof apiOf>;

/** The Calendar API with a token: plain fetch. */
export function apiOf({ apiUrl }: GoogleSandbox, token: string) {
  const call = async (
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ) => {
    const init = { method, headers: { authorization: `Bearer ${token}`, ...headers } };
    const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
    const response = await fetch(`${apiUrl}${path}`, sent);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
  };
  const events = (calendarId: string, query: Record<string, string> = {}) =>
    call('GET', `/calendars/${encodeURIComponent(calendarId)}/events?${new URLSearchParams(query)}`);
  return { call, events };
}

/** Every page of a listing, as a client that follows the tokens sees it. */
export async function allPages(
  api: Api,
  calendarId: string,
  query: Record<string, string> = {},
): Promise<{ items: calendar_v3.Schema$Event[]; pages: number; nextSyncToken: string | undefined }> {
  const items: calendar_v3.Schema$Event[] = [];
  let pageToken: string | undefined;
  for (let pages = 1; pages < 100; pages += 1) {
    const { status, body } = await api.events(calendarId, { ...query, ...(pageToken && { pageToken }) });
    assert.equal(status, 200, JSON.stringify(body));
    items.push(...body.items);
    if (body.nextPageToken === undefined) return { items, pages, nextSyncToken: body.nextSyncToken };
    assert.equal(body.nextSyncToken, undefined, 'A sync token comes on the last page only');
    pageToken = body.nextPageToken;
  }
  throw new Error('The pages do not end');
}
