import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';

import {
  ADA,
  APP,
  apiOf,
  BOB,
  CALLBACK,
  calendarScope,
  type OpenGoogle,
  openGoogle,
  READ_WRITE,
  redeem,
  refresh,
  request,
  signIn,
  walk,
} from './google-client.ts';

const DAY = 86_400_000;
/** A JSON object: every answer of these endpoints is one. */
const json = async (response?: Response): Promise<Record<string, unknown>> =>
  (await response?.json()) as Record<string, unknown>;
const EMAIL = 'https://www.googleapis.com/auth/userinfo.email';

describe('signing in at the sandbox’s Google', () => {
  let open: OpenGoogle;
  before(async () => {
    open = await openGoogle();
  });

  it('signing in gives tokens that an independent client accepts, and an ID token that jose verifies', async () => {
    const { google } = open;

    const tokens = await signIn(google);

    const claims = oauth.getValidatedIdTokenClaims(tokens);
    assert.equal(claims?.email, ADA.email);
    assert.match(claims?.sub ?? '', /^\d{21}$/);
    assert.equal(tokens.expires_in, 3599);
    assert.match(tokens.refresh_token ?? '', /^1\/\/0/);
    const keys = createRemoteJWKSet(new URL(`${google.issuer}/oauth2/v3/certs`));
    const options = { issuer: google.issuer, audience: APP.clientId, algorithms: ['RS256'] };
    const { payload } = await jwtVerify(tokens.id_token ?? '', keys, options);
    assert.equal(payload.sub, claims?.sub);
  });

  it('the short scope names are granted under Google’s own', async () => {
    const tokens = await signIn(open.google);

    assert.deepEqual(tokens.scope?.split(' ').sort(), [
      calendarScope('calendarlist.readonly'),
      calendarScope('events'),
      EMAIL,
      'openid',
    ]);
  });

  it('the consent page lets every calendar permission be unticked, and the scope granted says so', async () => {
    const tokens = await signIn(open.google, { untick: [calendarScope('events')] });

    const list = await apiOf(open.google, tokens.access_token).call('GET', '/users/me/calendarList');
    const events = await apiOf(open.google, tokens.access_token).events('primary');

    assert.ok(!tokens.scope?.includes(calendarScope('events')));
    assert.equal(list.status, 200);
    assert.equal(events.status, 403);
    assert.equal(events.body.error.errors[0].reason, 'insufficientPermissions');
  });

  it('the consent page shows boxes with labels and buttons with names, and no script', async () => {
    const { url } = await request(open.google, { parameters: { login_hint: ADA.email } });

    const response = await fetch(url);
    const text = await response.text();

    assert.match(
      response.headers.get('content-security-policy') ?? '',
      /default-src 'none'.*form-action 'self' http:/,
    );
    assert.match(
      text,
      /<label><input type="checkbox"[^>]*> View and edit events on all your calendars<\/label>/,
    );
    assert.match(text, />Continue<\/button>/);
    assert.match(text, />Cancel<\/button>/);
    assert.doesNotMatch(text, /<script/);
  });

  it('the account chooser is skipped for the account hinted at', async () => {
    const { url } = await request(open.google, { parameters: { login_hint: BOB.email } });

    const text = await (await fetch(url)).text();

    assert.ok(text.includes(BOB.email));
    assert.ok(!text.includes('name="account"'));
  });

  it('a user who cancels is sent back with access_denied and the state', async () => {
    const requested = await request(open.google, { parameters: { login_hint: ADA.email } });
    const text = await (await fetch(requested.url)).text();
    const transaction = /name="transaction" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const body = new URLSearchParams({ transaction, decision: 'cancel' });

    const response = await fetch(`${open.google.issuer}/signin/consent`, {
      method: 'POST',
      body,
      redirect: 'manual',
    });

    const callback = new URL(response.headers.get('location') ?? '');
    assert.equal(callback.searchParams.get('error'), 'access_denied');
    assert.equal(callback.searchParams.get('state'), requested.state);
  });

  it('signing in asks again only for what is new, and keeps what was granted, when scopes are included', async () => {
    const { google } = await openGoogle();
    const first = `openid email ${calendarScope('events.readonly')}`;
    await signIn(google, { scope: first });

    const parameters = { include_granted_scopes: 'true', login_hint: ADA.email };
    const scope = `${first} ${calendarScope('events')}`;
    const page = await (await fetch((await request(google, { scope, parameters })).url)).text();
    const more = await signIn(google, { scope: `openid email ${calendarScope('events')}`, parameters });

    const boxes = [...page.matchAll(/type="checkbox" name="scope" value="([^"]+)"/g)].map(
      ([, value]) => value,
    );
    assert.deepEqual(boxes, [calendarScope('events')]);
    assert.ok(more.scope?.includes(calendarScope('events.readonly')));
    assert.ok(more.scope?.split(' ').includes(calendarScope('events')));
  });

  it('an app that asks for no refresh token is given none', async () => {
    const tokens = await signIn(open.google, { parameters: { access_type: 'online' } });

    assert.equal(tokens.refresh_token, undefined);
  });

  it('a second refresh token is given only where consent is asked for again', async () => {
    const { google } = await openGoogle();
    await signIn(google);

    const silent = await signIn(google, { parameters: { prompt: '' } });
    const again = await signIn(google);

    assert.equal(silent.refresh_token, undefined);
    assert.ok(again.refresh_token);
  });
});

describe('the sandbox’s Google refuses', () => {
  let open: OpenGoogle;
  before(async () => {
    open = await openGoogle();
  });

  for (const [what, change, status, word] of [
    ['an unknown app', { client_id: 'nobody' }, 401, 'invalid_client'],
    ['an address that is not registered', { redirect_uri: `${CALLBACK}/` }, 400, 'redirect_uri_mismatch'],
    ['an unknown scope', { scope: 'openid everything' }, 400, 'invalid_scope'],
    ['another response type', { response_type: 'token' }, 400, 'unsupported_response_type'],
    ['a plain code challenge', { code_challenge_method: 'plain' }, 400, 'invalid_request'],
  ] as const) {
    it(`Google refuses ${what} on a page of its own, sending nobody anywhere`, async () => {
      const { url } = await request(open.google, { parameters: change });

      const response = await fetch(url, { redirect: 'manual' });

      assert.equal(response.status, status);
      assert.match(await response.text(), new RegExp(`Error ${status}: ${word}`));
    });
  }

  it('Google refuses a sign-in that is over', async () => {
    const body = new URLSearchParams({ transaction: 'gone', account: ADA.email });

    const response = await fetch(`${open.google.issuer}/signin/account`, { method: 'POST', body });

    assert.equal(response.status, 400);
  });

  it('Google refuses a code a second time, with another verifier, or for another address', async () => {
    const { google } = open;
    const requested = await request(google);
    const callback = await walk(requested.url);
    await redeem(callback, requested);
    const other = await request(google);
    const otherCallback = await walk(other.url);

    await assert.rejects(redeem(callback, requested), { error: 'invalid_grant' });
    const stolen = { ...other, verifier: requested.verifier };
    await assert.rejects(redeem(otherCallback, stolen), { error: 'invalid_grant' });
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: otherCallback.searchParams.get('code') ?? '',
      redirect_uri: 'http://127.0.0.1:9/elsewhere',
      client_id: APP.clientId,
      client_secret: APP.clientSecret,
    });
    const response = await fetch(`${google.issuer}/token`, { method: 'POST', body });
    assert.equal(response.status, 400);
    assert.equal((await json(response)).error, 'redirect_uri_mismatch');
  });

  it('Google refuses a code after ten minutes', async () => {
    const { google, clock } = await openGoogle();
    const requested = await request(google);
    const callback = await walk(requested.url);

    clock.turn(10 * 60_000);

    await assert.rejects(redeem(callback, requested), { error: 'invalid_grant' });
  });

  it('Google refuses a wrong secret and an unknown app with 401 invalid_client', async () => {
    const { refresh_token: token = '' } = await signIn(open.google);

    const wrong = await refresh(open.google, token, 'GOCSPX-other');
    const none = await fetch(`${open.google.issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'refresh_token', client_id: 'x', client_secret: 'y' }),
    });

    assert.equal(wrong.status, 401);
    assert.equal((await json(wrong)).error, 'invalid_client');
    assert.equal(none.status, 401);
  });

  it('Google refuses requests that leave something out, naming it', async () => {
    const post = (fields: Record<string, string>) =>
      fetch(`${open.google.issuer}/token`, { method: 'POST', body: new URLSearchParams(fields) });
    const app = { client_id: APP.clientId, client_secret: APP.clientSecret };

    const answers = [await post({}), await post(app), await post({ ...app, grant_type: 'password' })];

    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 400],
    );
    assert.match(String((await json(answers[1])).error_description), /grant_type/);
  });
});

describe('tokens of the sandbox’s Google', () => {
  it('Google’s tokens let in for an hour and are renewed by the refresh token, which stays the same', async () => {
    const { google, clock } = await openGoogle();
    const tokens = await signIn(google);
    const list = (token: string) => apiOf(google, token).call('GET', '/users/me/calendarList');
    clock.turn(3_599_000);

    const expired = await list(tokens.access_token);
    const renewed = await json(await refresh(google, tokens.refresh_token ?? ''));

    assert.equal(expired.status, 401);
    assert.equal(expired.body.error.errors[0].reason, 'authError');
    assert.equal(renewed.refresh_token, undefined);
    assert.equal((await list(String(renewed.access_token))).status, 200);
  });

  it('Google’s tokens of an app in Testing die after seven days, of one in production they do not', async () => {
    const [testing, production] = [await openGoogle({ status: 'testing' }), await openGoogle()];
    const mortal = await signIn(testing.google);
    const lasting = await signIn(production.google);
    for (const { clock } of [testing, production]) clock.turn(7 * DAY - 60_000);
    assert.equal((await refresh(testing.google, mortal.refresh_token ?? '')).status, 200);

    for (const { clock } of [testing, production]) clock.turn(120_000);
    const dead = await refresh(testing.google, mortal.refresh_token ?? '');

    assert.equal(dead.status, 400);
    assert.deepEqual(await dead.json(), {
      error: 'invalid_grant',
      error_description: 'Token has been expired or revoked.',
    });
    assert.equal((await refresh(production.google, lasting.refresh_token ?? '')).status, 200);
  });

  it('Google’s tokens die when they are not used for six months', async () => {
    const { google, clock } = await openGoogle();
    const tokens = await signIn(google);
    clock.turn(182 * DAY);
    assert.equal((await refresh(google, tokens.refresh_token ?? '')).status, 200);

    clock.turn(184 * DAY);

    assert.equal((await refresh(google, tokens.refresh_token ?? '')).status, 400);
  });

  it('Google’s tokens are dead, all of them, once the app revoked one', async () => {
    const { google } = await openGoogle();
    const tokens = await signIn(google);
    const revoke = () =>
      fetch(`${google.issuer}/revoke`, {
        method: 'POST',
        body: new URLSearchParams({ token: tokens.refresh_token ?? '' }),
      });

    const [first, second] = [await revoke(), await revoke()];

    assert.deepEqual([first.status, second.status], [200, 400]);
    assert.equal((await refresh(google, tokens.refresh_token ?? '')).status, 400);
    assert.equal((await apiOf(google, tokens.access_token).events('primary')).status, 401);
  });

  it('Google’s tokens are dead once the user withdrew the access, and those of others are not', async () => {
    const { google } = await openGoogle();
    const ada = await signIn(google);
    const bob = await signIn(google, { email: BOB.email });

    await google.manual.revokeAccess(ADA.email);

    assert.equal((await refresh(google, ada.refresh_token ?? '')).status, 400);
    assert.equal((await refresh(google, bob.refresh_token ?? '')).status, 200);
  });

  it('Google’s tokens number a hundred at most: the oldest dies without a word', async () => {
    const { google } = await openGoogle();
    const first = await signIn(google);
    const second = await signIn(google);
    for (let more = 0; more < 99; more += 1) await signIn(google, { parameters: { login_hint: ADA.email } });

    assert.equal((await refresh(google, first.refresh_token ?? '')).status, 400);
    assert.equal((await refresh(google, second.refresh_token ?? '')).status, 200);
  });

  it('Google’s tokens show the userinfo their scopes allow', async () => {
    const { google } = await openGoogle();
    const tokens = await signIn(google, { scope: READ_WRITE.replace(' email', '') });
    const { as } = await request(google);
    const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';
    const insecure = { [oauth.allowInsecureRequests]: true };

    const response = await oauth.userInfoRequest(
      as,
      { client_id: APP.clientId },
      tokens.access_token,
      insecure,
    );

    assert.deepEqual(await oauth.processUserInfoResponse(as, { client_id: APP.clientId }, sub, response), {
      sub,
    });
  });

  it('Google’s tokens are refused at the token endpoint as a fault asks, for the user it names', async () => {
    const { google, faults } = await openGoogle();
    const [ada, bob] = [await signIn(google), await signIn(google, { email: BOB.email })];
    const effect = { kind: 'status', status: 401, reason: 'invalid_client' } as const;
    faults.set({ provider: 'google', operation: 'token', user: ADA.email, effect });

    const [refused, renewed] = [
      await refresh(google, ada.refresh_token ?? ''),
      await refresh(google, bob.refresh_token ?? ''),
    ];

    assert.equal(refused.status, 401);
    assert.equal((await json(refused)).error, 'invalid_client');
    assert.equal(renewed.status, 200);
  });
});
