/** The sandbox's Microsoft identity platform, used by an independent client. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import * as oauth from 'oauth4webapi';

import { completeSignIn } from '../../../sandbox/microsoft/complete-sign-in.ts';
import {
  ADA,
  APP,
  authorization,
  CLIENT,
  discovered,
  graphClient,
  INSECURE,
  type Json,
  jsonOf,
  openMicrosoft,
  PERSONAL,
  REDIRECT_URI,
  SCOPE,
  signIn,
} from './harness.ts';

/** A raw token request, for what a client library would not send. */
async function token(
  origin: string,
  fields: Record<string, string>,
): Promise<{ status: number; body: Json }> {
  const body = new URLSearchParams({ client_id: APP.clientId, client_secret: APP.clientSecret, ...fields });
  const answer = await fetch(`${origin}/common/oauth2/v2.0/token`, { method: 'POST', body });
  return { status: answer.status, body: await jsonOf(answer) };
}

const refresh = (origin: string, refreshToken: string, fields: Record<string, string> = {}) =>
  token(origin, { grant_type: 'refresh_token', refresh_token: refreshToken, ...fields });

describe('Metadata of the Microsoft sandbox', () => {
  it('Microsoft’s metadata names an issuer with a literal {tenantid} at common and organizations, and a real one elsewhere', async (t) => {
    const { sandbox } = await openMicrosoft(t);
    const { origin } = sandbox;

    assert.equal((await discovered(origin)).issuer, `${origin}/{tenantid}/v2.0`);
    assert.equal((await discovered(origin, 'organizations')).issuer, `${origin}/{tenantid}/v2.0`);
    assert.equal((await discovered(origin, 'consumers')).issuer, `${origin}/${PERSONAL}/v2.0`);
    assert.equal((await discovered(origin, PERSONAL)).issuer, `${origin}/${PERSONAL}/v2.0`);
    assert.equal(sandbox.issuer, `${origin}/common/v2.0`);
  });

  it('Microsoft’s metadata knows no tenant of another spelling (AADSTS90002)', async (t) => {
    const { sandbox } = await openMicrosoft(t);

    const answer = await fetch(`${sandbox.origin}/nobody/v2.0/.well-known/openid-configuration`);

    assert.equal(answer.status, 400);
    assert.match(String((await jsonOf(answer)).error_description), /^AADSTS90002: /);
  });
});

describe('Signing in to the Microsoft sandbox', () => {
  it('signing in gives tokens, and an ID token whose issuer is the account’s own tenant', async (t) => {
    const { sandbox } = await openMicrosoft(t);

    const { tokens, claims } = await signIn(sandbox.origin);

    assert.equal(claims.iss, `${sandbox.origin}/${claims.tid}/v2.0`);
    assert.notEqual(claims.tid, PERSONAL);
    assert.equal(claims.preferred_username, ADA);
    assert.equal(claims.name, 'Ada Lovelace');
    assert.equal(tokens.expires_in, 3600);
    assert.ok(tokens.refresh_token);
    assert.equal(tokens.scope, 'openid profile email User.Read Calendars.ReadWrite');
  });

  it('signing in puts personal accounts in the tenant of personal accounts', async (t) => {
    const { sandbox, manual } = await openMicrosoft(t);
    await manual.addPerson({ email: 'mary@outlook.com', name: 'Mary Shelley' });

    const { claims } = await signIn(sandbox.origin, { account: 'mary@outlook.com' });

    assert.equal(claims.tid, PERSONAL);
  });

  it('the sign-in page shows each address as a button and asks for consent once for the same permissions', async (t) => {
    const { sandbox } = await openMicrosoft(t);
    const { url } = await authorization(sandbox.origin);
    const chooser = await (await fetch(url)).text();
    await signIn(sandbox.origin);

    await signIn(sandbox.origin);

    assert.match(chooser, new RegExp(`<button [^>]*>${ADA}</button>`));
    assert.equal(sandbox.requests('authorize.account'), 2);
    assert.equal(sandbox.requests('authorize.consent'), 1);
  });

  it('signing in asks again for a permission that was not consented to', async (t) => {
    const { sandbox } = await openMicrosoft(t);
    await signIn(sandbox.origin, { scope: 'openid offline_access Calendars.Read' });

    await signIn(sandbox.origin);

    assert.equal(sandbox.requests('authorize.consent'), 2);
  });

  it('the chooser is passed over for a login_hint without a prompt, whatever the domain_hint', async (t) => {
    const { sandbox } = await openMicrosoft(t);
    const extra = { login_hint: ADA, prompt: 'consent', domain_hint: 'elsewhere.example' };

    await signIn(sandbox.origin, { extra });

    assert.equal(sandbox.requests('authorize.account'), 0);
  });

  it('the app gets an error when the user cancels (AADSTS65004)', async (t) => {
    const { sandbox } = await openMicrosoft(t);
    const { url, state } = await authorization(sandbox.origin);

    const callback = await completeSignIn(url, { account: ADA, consent: 'Cancel' });

    assert.equal(callback.searchParams.get('error'), 'access_denied');
    assert.match(callback.searchParams.get('error_description') ?? '', /^AADSTS65004: /);
    assert.equal(callback.searchParams.get('state'), state);
  });

  it('nobody may consent in a tenant that leaves it to administrators, until one has (AADSTS90094)', async (t) => {
    const { sandbox, manual } = await openMicrosoft(t);
    await manual.demandAdminConsent(ADA);
    const { url } = await authorization(sandbox.origin);

    const callback = await completeSignIn(url, { account: ADA });

    assert.equal(callback.searchParams.get('error'), 'access_denied');
    assert.match(callback.searchParams.get('error_description') ?? '', /^AADSTS90094: /);
    await manual.giveAdminConsent(ADA, APP.clientId);
    assert.ok((await signIn(sandbox.origin)).accessToken);
  });

  it('an administrator consents for everybody at the admin consent address', async (t) => {
    const { sandbox, manual } = await openMicrosoft(t);
    await manual.demandAdminConsent(ADA);
    const url = new URL(`${sandbox.origin}/organizations/v2.0/adminconsent`);
    const parameters = { client_id: APP.clientId, redirect_uri: REDIRECT_URI, state: 's', scope: SCOPE };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);

    const callback = await completeSignIn(url, { account: ADA });

    assert.equal(callback.searchParams.get('admin_consent'), 'True');
    assert.equal(callback.searchParams.get('state'), 's');
    assert.ok((await signIn(sandbox.origin)).accessToken);
  });

  const refusals: [rule: string, change: Record<string, string>, code: string, where: 'page' | 'callback'][] =
    [
      ['an app nobody registered', { client_id: 'unknown' }, 'AADSTS700016', 'page'],
      ['a redirect URI of another', { redirect_uri: 'https://evil.example/' }, 'AADSTS50011', 'page'],
      ['another response type', { response_type: 'token' }, 'AADSTS700054', 'callback'],
      ['a scope it does not know', { scope: 'openid Calendars.Everything' }, 'AADSTS70011', 'callback'],
      ['a plain code challenge', { code_challenge_method: 'plain' }, 'AADSTS90100', 'callback'],
      ['signing in silently', { prompt: 'none' }, 'AADSTS50058', 'callback'],
    ];
  for (const [rule, change, code, where] of refusals) {
    it(`signing in refuses ${rule} on ${where === 'page' ? 'a page of its own' : 'the callback'} (${code})`, async (t) => {
      const { sandbox } = await openMicrosoft(t);
      const { url } = await authorization(sandbox.origin, { extra: change });

      const answer = await fetch(url, { redirect: 'manual' });

      const text =
        where === 'page' ? await answer.text() : new URL(answer.headers.get('location') ?? '').search;
      assert.equal(answer.status, where === 'page' ? 400 : 302);
      assert.match(text, new RegExp(code));
    });
  }
});

describe('Tokens of the Microsoft sandbox', () => {
  it('a code is redeemed once (AADSTS54005)', async (t) => {
    const { sandbox } = await openMicrosoft(t);
    const { url, verifier } = await authorization(sandbox.origin);
    const code = (await completeSignIn(url, { account: ADA })).searchParams.get('code') ?? '';
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier: verifier,
    };

    const first = await token(sandbox.origin, fields);
    const second = await token(sandbox.origin, fields);

    assert.equal(first.status, 200);
    assert.equal(second.body.error, 'invalid_grant');
    assert.deepEqual(second.body.error_codes, [54005]);
  });

  it('a code wants the verifier of the challenge (AADSTS50148)', async (t) => {
    const { sandbox } = await openMicrosoft(t);
    const { url } = await authorization(sandbox.origin);
    const code = (await completeSignIn(url, { account: ADA })).searchParams.get('code') ?? '';
    const code_verifier = oauth.generateRandomCodeVerifier();

    const { status, body } = await token(sandbox.origin, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT_URI,
      code_verifier,
    });

    assert.equal(status, 400);
    assert.deepEqual(body.error_codes, [50148]);
  });

  it('refresh tokens are rotated, and the one before is taken for a day more', async (t) => {
    const { sandbox, clock } = await openMicrosoft(t);
    const { server, refreshToken } = await signIn(sandbox.origin);
    const secret = oauth.ClientSecretPost(APP.clientSecret);
    const answer = await oauth.refreshTokenGrantRequest(server, CLIENT, secret, refreshToken, INSECURE);
    const rotated = await jsonOf(answer);

    const again = await refresh(sandbox.origin, refreshToken);
    clock.turn(25 * 3_600_000);
    const late = await refresh(sandbox.origin, refreshToken);
    const newest = await refresh(sandbox.origin, String(rotated.refresh_token));

    assert.notEqual(rotated.refresh_token, refreshToken);
    assert.equal(again.status, 200);
    assert.equal(late.body.error, 'invalid_grant');
    assert.equal(newest.status, 200);
  });

  it('a refresh token dies of 90 idle days (AADSTS700082)', async (t) => {
    const { sandbox, clock } = await openMicrosoft(t);
    const { refreshToken } = await signIn(sandbox.origin);
    clock.turn(90 * 86_400_000);

    const { body } = await refresh(sandbox.origin, refreshToken);

    assert.equal(body.error, 'invalid_grant');
    assert.deepEqual(body.error_codes, [700082]);
  });

  it('every token dies when the user’s password changes (AADSTS50173)', async (t) => {
    const { sandbox, manual } = await openMicrosoft(t);
    const { refreshToken, accessToken } = await signIn(sandbox.origin);
    await manual.revokeAccess(ADA);

    const { status, body } = await refresh(sandbox.origin, refreshToken);

    assert.equal(status, 400);
    assert.match(String(body.error_description), /^AADSTS50173: .* Trace ID: /);
    assert.ok(body.trace_id && body.correlation_id && body.timestamp);
    assert.equal((await graphClient(sandbox, accessToken)('GET', '/me')).status, 401);
  });

  it('signing in again ends a block, except one by policy', async (t) => {
    const { sandbox, manual } = await openMicrosoft(t);
    const { refreshToken } = await signIn(sandbox.origin);
    await manual.block(ADA, 50076);
    const blocked = await refresh(sandbox.origin, refreshToken);
    await signIn(sandbox.origin);
    const freed = await refresh(sandbox.origin, refreshToken);
    await manual.block(ADA, 53003);

    const callback = await completeSignIn((await authorization(sandbox.origin)).url, { account: ADA });

    assert.deepEqual(blocked.body.error_codes, [50076]);
    assert.equal(freed.status, 200);
    assert.match(callback.searchParams.get('error_description') ?? '', /^AADSTS53003: /);
  });

  const secrets: [rule: string, secret: Record<string, string>, expired: boolean, code: number][] = [
    ['a wrong secret', { client_secret: 'guessed' }, false, 7000215],
    ['an expired secret', {}, true, 7000222],
    ['no secret', { client_secret: '' }, false, 7000218],
  ];
  for (const [rule, fields, expired, code] of secrets) {
    it(`reports ${rule} as invalid_client (AADSTS${code})`, async (t) => {
      const { sandbox, clock } = await openMicrosoft(t);
      const { refreshToken } = await signIn(sandbox.origin);
      if (expired) sandbox.registerApp({ ...APP, secretExpiresAt: clock.now() });

      const { status, body } = await refresh(sandbox.origin, refreshToken, fields);

      assert.equal(status, 401);
      assert.equal(body.error, 'invalid_client');
      assert.deepEqual(body.error_codes, [code]);
    });
  }

  it('the token endpoint says what a fault names, in Microsoft’s words', async (t) => {
    const { sandbox, faults } = await openMicrosoft(t);
    const { refreshToken } = await signIn(sandbox.origin);
    const effect = { kind: 'status', status: 400, reason: 'AADSTS53003' } as const;
    faults.set({ provider: 'microsoft', operation: 'token', user: ADA, times: 1, effect });

    const faulty = await refresh(sandbox.origin, refreshToken);
    const after = await refresh(sandbox.origin, refreshToken);

    assert.equal(faulty.body.error, 'invalid_grant');
    assert.match(String(faulty.body.error_description), /^AADSTS53003: /);
    assert.equal(after.status, 200);
  });

  it('refreshed tokens are refused a permission that was never consented to (AADSTS65001)', async (t) => {
    const { sandbox } = await openMicrosoft(t);
    const { refreshToken } = await signIn(sandbox.origin, { scope: 'openid offline_access Calendars.Read' });

    const { body } = await refresh(sandbox.origin, refreshToken, { scope: 'Calendars.ReadWrite' });

    assert.deepEqual(body.error_codes, [65001]);
  });
});
