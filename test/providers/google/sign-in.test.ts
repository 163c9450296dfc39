/** Signing in with Google, and the meaning of each failure. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';

import { SignJWT } from 'jose';

import type { PendingSignIn } from '../../../src/calendars/calendar-provider.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { googleProvider } from '../../../src/providers/google/google-provider.ts';
import { type GoogleAnswer, OddGoogle } from '../../servers/odd-google.ts';
import { recordingLog } from '../../servers/recording-log.ts';
import { failsAs } from './failure.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 21, 7);
const AUTH = 'https://www.googleapis.com/auth/calendar';
const app = { clientId: 'app-1', clientSecret: 'secret-1' };
const redirectUri = 'https://kalends.example/connect/google/callback';

describe('signing in with Google', () => {
  let egress: Egress;
  let server: OddGoogle;
  let now = NOW;
  before(async () => {
    egress = createEgress({ privateNetwork: { mode: 'loopback' } });
    server = await OddGoogle.start();
  });
  beforeEach(() => {
    server.odd = () => undefined;
    server.scope = `openid ${AUTH}.events.readonly ${AUTH}.calendarlist.readonly`;
    server.calls.length = 0;
    now = NOW;
  });
  after(async () => {
    await egress?.close();
    await server?.stop();
  });

  const google = (asksForCalendars = false) => {
    const { origin: issuer } = server;
    const { log } = recordingLog();
    const deps = { egress, issuer, apiUrl: `${issuer}/v3`, log, now: () => now };
    return googleProvider({ ...deps, asksForCalendars }).signIn;
  };
  const request = { app, redirectUri, scope: 'read', state: 'state-1', language: 'fr' } as const;
  const callbackOf = (parameters: Record<string, string> = {}) => {
    const url = new URL(redirectUri);
    const all = { code: 'code-1', state: 'state-1', iss: server.origin, ...parameters };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return url;
  };
  const begun = async (): Promise<PendingSignIn> => {
    const { pending } = await google().begin(request);
    server.nonce = pending.nonce ?? '';
    return pending;
  };
  const tokenAnswers = (answer: (() => GoogleAnswer | Promise<GoogleAnswer>) | undefined) => {
    server.odd = ({ path }) => (path === '/token' ? answer?.() : undefined);
  };
  it('a Google sign-in for read-write access also asks for calendars if the operator enabled that', async () => {
    const scopeOf = async (scope: 'read' | 'read-write') => {
      const { url } = await google(true).begin({ ...request, scope });
      return url.searchParams.get('scope');
    };

    assert.equal(await scopeOf('read'), `openid email ${AUTH}.events.readonly ${AUTH}.calendarlist.readonly`);
    assert.equal(
      await scopeOf('read-write'),
      `openid email ${AUTH}.events ${AUTH}.calendars ${AUTH}.calendarlist`,
    );
  });

  it('a Google sign-in asks for the smallest permission that serves, for a refresh token, and proves itself by PKCE', async () => {
    const { url, pending } = await google().begin({ ...request, loginHint: 'ada@example.com' });

    const parameters = Object.fromEntries(url.searchParams);
    const { nonce, code_challenge: challenge, ...rest } = parameters;
    assert.equal(url.origin + url.pathname, `${server.origin}/auth`);
    assert.deepEqual(rest, {
      client_id: 'app-1',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: `openid email ${AUTH}.events.readonly ${AUTH}.calendarlist.readonly`,
      state: 'state-1',
      code_challenge_method: 'S256',
      access_type: 'offline',
      prompt: 'consent',
      include_granted_scopes: 'true',
      hl: 'fr',
      login_hint: 'ada@example.com',
    });
    assert.equal(nonce, pending.nonce);
    assert.notEqual(challenge, pending.codeVerifier);
    assert.match(challenge ?? '', /^[\w-]{43}$/);
  });

  it('a Google sign-in asks for no more than each scope needs', async () => {
    const scopes = ['free-busy', 'read', 'read-write'] as const;
    const starts = await Promise.all(scopes.map((scope) => google().begin({ ...request, scope })));

    assert.deepEqual(
      starts.map(({ url }) => url.searchParams.get('scope')?.split(' ')[2]),
      [`${AUTH}.events.freebusy`, `${AUTH}.events.readonly`, `${AUTH}.events`],
    );
  });

  it('a Google sign-in redeems the code with the secret in the body and the verifier, and keeps what came of it', async () => {
    const pending = await begun();

    const account = await google().complete(callbackOf(), pending, app);

    const sent = server.calls.find(({ path }) => path === '/token');
    assert.equal(sent?.authorization, undefined);
    assert.deepEqual(Object.fromEntries(sent?.form ?? []), {
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: redirectUri,
      code_verifier: pending.codeVerifier,
      client_id: 'app-1',
      client_secret: 'secret-1',
    });
    assert.deepEqual(account, {
      accountId: 'ada@example.com',
      identity: 'sub:1001',
      provesOwner: true,
      display: 'ada@example.com',
      credentials: {
        accessToken: 'access-1',
        refreshToken: 'refresh-1',
        expiresAt: NOW + 3_599_000,
        scopes: server.scope.split(' '),
        appClientId: 'app-1',
        issuedAt: NOW,
      },
      grantedScopes: server.scope.split(' '),
      calendarPermission: true,
    });
  });

  it('a Google sign-in knows who it is by the subject, not by an address that can change hands', async () => {
    const identity = async (claims: Record<string, unknown>) => {
      const pending = await begun();
      tokenAnswers(async () => server.tokens(await server.idToken(claims)));
      return (await google().complete(callbackOf(), pending, app)).identity;
    };

    const ada = await identity({ sub: '7', email: 'ada@example.com' });
    const renamed = await identity({ sub: '7', email: 'ada.king@example.com' });
    const successor = await identity({ sub: '8', email: 'ada@example.com' });

    assert.equal(renamed, ada);
    assert.notEqual(successor, ada);
  });

  const granted: [rule: string, scope: string, permission: boolean][] = [
    ['of the events alone is not enough', `${AUTH}.events.readonly`, false],
    ['of the list alone is not enough', `${AUTH}.calendarlist.readonly`, false],
    ['of nothing but who it is, is not enough', 'openid', false],
    ['of more than was asked is enough', `openid ${AUTH}`, true],
    [
      'granted before, of less than was asked, is enough',
      `${AUTH}.events.freebusy ${AUTH}.calendarlist.readonly`,
      true,
    ],
  ];
  for (const [rule, scope, permission] of granted) {
    it(`a Google sign-in tells that a permission ${rule}`, async () => {
      const pending = await begun();
      server.scope = scope;

      const account = await google().complete(callbackOf(), pending, app);

      assert.equal(account.calendarPermission, permission);
    });
  }

  it('a Google sign-in knows which scopes a grant serves', () => {
    const list = `${AUTH}.calendarlist.readonly`;

    assert.equal(google().covers([`${AUTH}.events`, list], 'read'), true);
    assert.equal(google().covers([`${AUTH}.events.freebusy`, list], 'free-busy'), true);
    assert.equal(google().covers([`${AUTH}.events.freebusy`, list], 'read'), false);
    assert.equal(google().covers([`${AUTH}.readonly`], 'read-write'), false);
  });

  const answers: [rule: string, parameters: Record<string, string>, kind: string, reason?: string][] = [
    ['another state', { state: 'state-2' }, 'invalid_response', 'provider_answer_unreadable'],
    ['another issuer', { iss: 'https://evil.example' }, 'invalid_response', 'provider_answer_unreadable'],
    ['a user who said no', { error: 'access_denied' }, 'access_denied'],
    ['an app it does not take', { error: 'unauthorized_client' }, 'misconfigured', 'app_credentials_refused'],
    [
      'an administrator’s refusal',
      { error: 'admin_policy_enforced' },
      'permission_missing',
      'admin_consent_required',
    ],
    ['a server out of order', { error: 'temporarily_unavailable' }, 'unavailable', 'provider_unavailable'],
    ['an error nobody knows', { error: 'constructor' }, 'invalid_response', 'provider_answer_unreadable'],
  ];
  for (const [rule, parameters, kind, reason] of answers) {
    it(`a Google sign-in refuses the browser’s return with ${rule} as ${kind}, without redeeming anything`, async () => {
      const pending = await begun();

      await assert.rejects(google().complete(callbackOf(parameters), pending, app), failsAs(kind, reason));
      assert.equal(server.calls.filter(({ path }) => path === '/token').length, 0);
    });
  }

  it('a Google sign-in refuses a return that does not name its issuer, where the server says that it always does', async () => {
    const pending = await begun();
    const callback = callbackOf();
    callback.searchParams.delete('iss');

    await assert.rejects(
      google().complete(callback, pending, app),
      failsAs('invalid_response', 'provider_answer_unreadable'),
    );
  });

  const unsecured = (claims: object) =>
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.`;
  const idTokens: [rule: string, make: () => string | Promise<string>][] = [
    ['signed by another key', () => server.idToken({}, 'foreign')],
    ['for another app', () => server.idToken({ aud: 'app-2' })],
    ['of another issuer', () => server.idToken({ iss: 'https://evil.example' })],
    ['with another nonce', () => server.idToken({ nonce: 'nonce-2' })],
    ['that has ended', () => server.idToken({ exp: 1_000_000 })],
    ['without an address', () => server.idToken({ email: undefined })],
    ['with an address that Google has not verified', () => server.idToken({ email_verified: false })],
    [
      'without a signature',
      () =>
        unsecured({
          iss: server.origin,
          aud: 'app-1',
          sub: '1',
          email: 'a@b',
          exp: 9e9,
          nonce: server.nonce,
        }),
    ],
    [
      'signed with the app’s secret',
      () =>
        new SignJWT({
          iss: server.origin,
          aud: 'app-1',
          sub: '1',
          email: 'a@b',
          exp: 9e9,
          iat: 1,
          nonce: server.nonce,
        })
          .setProtectedHeader({ alg: 'HS256' })
          .sign(Buffer.from('secret-1'.padEnd(32, '-'))),
    ],
    ['that is none', () => 'nonsense'],
  ];
  for (const [rule, make] of idTokens) {
    it(`a Google sign-in refuses an ID token ${rule}`, async () => {
      const pending = await begun();
      tokenAnswers(async () => server.tokens(await make()));

      await assert.rejects(
        google().complete(callbackOf(), pending, app),
        failsAs('invalid_response', 'provider_answer_unreadable'),
      );
    });
  }

  it('a Google sign-in whose answer has no ID token is refused', async () => {
    const pending = await begun();
    tokenAnswers(() => ({ status: 200, body: { access_token: 'a', token_type: 'Bearer', expires_in: 10 } }));

    await assert.rejects(
      google().complete(callbackOf(), pending, app),
      failsAs('invalid_response', 'provider_answer_unreadable'),
    );
  });

  it('Google’s metadata is asked for once an hour, and after a failure again at once', async () => {
    const signIn = google();
    const isMetadata = ({ path }: { path: string }) => path.startsWith('/.well-known/');
    server.odd = (call) => (isMetadata(call) ? { status: 503 } : undefined);
    await assert.rejects(signIn.begin(request), failsAs('unavailable', 'provider_unavailable'));
    server.odd = () => undefined;
    await signIn.begin(request);
    await signIn.begin(request);
    now += HOUR;
    await signIn.begin(request);

    assert.equal(server.calls.filter(isMetadata).length, 3);
  });

  const metadata: [rule: string, change: object, kind: string, reason: string][] = [
    [
      'of another issuer',
      { issuer: 'https://evil.example' },
      'invalid_response',
      'provider_answer_unreadable',
    ],
    ['of an issuer that is no address', { issuer: 'google' }, 'misconfigured', 'provider_not_set_up'],
    ['without a token endpoint', { token_endpoint: undefined }, 'misconfigured', 'provider_not_set_up'],
    ['with keys nowhere', { jwks_uri: 7 }, 'misconfigured', 'provider_not_set_up'],
  ];
  for (const [rule, change, kind, reason] of metadata) {
    it(`a Google sign-in refuses metadata ${rule}`, async () => {
      server.odd = ({ path }) =>
        path.startsWith('/.well-known/')
          ? { status: 200, body: { ...server.metadata(), ...change } }
          : undefined;

      await assert.rejects(google().begin(request), failsAs(kind, reason));
    });
  }

  const keys: [rule: string, answer: GoogleAnswer, kind: string, reason: string][] = [
    ['none', { status: 200, body: { keys: [] } }, 'invalid_response', 'provider_answer_unreadable'],
    [
      'one that is none',
      { status: 200, body: { keys: [{ kty: 'RSA', kid: 'k1', alg: 'RS256', n: 'x', e: '!' }] } },
      'invalid_response',
      'provider_answer_unreadable',
    ],
    ['no answer', { status: 503 }, 'unavailable', 'provider_unavailable'],
  ];
  for (const [rule, answer, kind, reason] of keys) {
    it(`no ID token is accepted where Google’s keys are ${rule}`, async () => {
      const pending = await begun();
      server.odd = ({ path }) => (path === '/certs' ? answer : undefined);

      await assert.rejects(google().complete(callbackOf(), pending, app), failsAs(kind, reason));
    });
  }
});
