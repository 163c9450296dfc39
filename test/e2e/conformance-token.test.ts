/**
 * /token, /revoke and the protected endpoints on the running program: docs/wire.md O2 to O5, O7, at both
 * mounts.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { decodeJwt } from 'jose';
import { openBrowser } from './browser.ts';
import {
  authorize,
  authorizeUrl,
  connect,
  exchange,
  jsonOf,
  MOUNTS,
  postToken,
  read,
  refresh,
  revoke,
  tokensOf,
} from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE, withOwnApplications } from './site.ts';

const UNKNOWN = { grant_type: 'refresh_token', refresh_token: 'x' };

/** One program serves both mounts. */
let shared: Promise<Site> | undefined;
after(async () => (await shared)?.close());

for (const mount of MOUNTS) {
  describe(`${mount}/token and ${mount}/revoke`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    before(async () => {
      shared ??= openSite();
      site = await withOwnApplications(await shared);
    });

    const authorized = (userId: string, parameters: Record<string, string> = {}) =>
      authorize(site.application, { userId, login: site.login, mount, parameters });
    const connected = (userId: string, parameters: Record<string, string> = {}) =>
      connect(site.application, { userId, login: site.login, mount, parameters });
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const tokenWith = (headers: Record<string, string>, form: Record<string, string>) =>
      fetch(`${site.program.url}${mount}/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams(form),
      });

    it('POST /token exchanges the delivered code for the four documented fields', async () => {
      const { parameters } = await authorized('ada');

      const answer = await exchange(site.application, parameters.get('code') ?? '', mount);

      assert.equal(answer.status, 200);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      const { access_token: access, refresh_token: refreshed, ...rest } = await jsonOf(answer);
      assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600 });
      assert.equal(decodeJwt(String(access)).sub, 'ada');
      assert.equal(decodeJwt(String(refreshed)).type, 'refresh');
    });

    it('POST /token spends a code with its first exchange', async () => {
      await connected('once');

      const again = await exchange(site.application, 'once', mount);

      await refused(again, 'invalid_grant', 'Invalid authorization code');
    });

    it('POST /token knows no code where nobody approved', async () => {
      await openBrowser().open(authorizeUrl(site.application, { userId: 'hopeful', mount }));

      await refused(
        await exchange(site.application, 'hopeful', mount),
        'invalid_grant',
        'Invalid authorization code',
      );
    });

    it('POST /token redeems a code for its own application and redirect URI only, and a refusal spends nothing', async () => {
      await authorized('mine');
      const other = { ...site.other, redirectUri: site.application.redirectUri };
      const elsewhere = { ...site.application, redirectUri: `${site.application.redirectUri}/` };

      await refused(await exchange(other, 'mine', mount), 'invalid_grant', 'Client mismatch');
      await refused(await exchange(elsewhere, 'mine', mount), 'invalid_grant', 'Redirect URI mismatch');
      assert.equal((await exchange(site.application, 'mine', mount)).status, 200);
    });

    it('POST /token says session_expired when the last account was disconnected before the exchange', async () => {
      const user = { userId: 'fickle', login: site.login, mount, browser: openBrowser() };
      await connect(site.application, user);
      const { browser } = await authorize(site.application, user);
      await browser.open(authorizeUrl(site.application, user));
      await browser.press(/^Disconnect ada/);
      await browser.press('Disconnect');

      await refused(await exchange(site.application, 'fickle', mount), 'session_expired');
    });

    it('POST /token says session_expired when what was allowed was removed before the exchange', async () => {
      const { browser } = await authorized('removes');
      await browser.open(authorizeUrl(site.application, { userId: 'removes', mount }));
      await browser.press(/^Remove ada/);

      await refused(await exchange(site.application, 'removes', mount), 'session_expired');
    });

    it('POST /token says session_expired when the user was deleted before the exchange', async () => {
      await authorized('gone');
      await site.program.command('user', 'delete', site.application.clientId, 'gone', '--yes');

      await refused(await exchange(site.application, 'gone', mount), 'session_expired');
    });

    it('POST /token refreshes with a new pair of the same scope, and never again with the old token', async () => {
      const first = await connected('fresh', { scope: 'read' });

      const answer = await postToken(
        site.application,
        { grant_type: 'refresh_token', refresh_token: first.refreshToken, scope: 'read-write' },
        mount,
      );
      const second = await tokensOf(answer);

      assert.equal(decodeJwt(second.accessToken).scope, 'read');
      assert.notEqual(second.refreshToken, first.refreshToken);
      await refused(
        await refresh(site.application, first.refreshToken, mount),
        'invalid_grant',
        'Invalid refresh token',
      );
      assert.equal((await refresh(site.application, second.refreshToken, mount)).status, 200);
      assert.equal((await read(site.application, '/calendars', first.accessToken)).status, 200);
    });

    it('POST /token refreshes for the token’s own application only, and takes no access token in its place', async () => {
      const { accessToken, refreshToken } = await connected('strict');

      await refused(await refresh(site.other, refreshToken, mount), 'invalid_grant', 'Client mismatch');
      await refused(
        await refresh(site.application, accessToken, mount),
        'invalid_grant',
        'Invalid refresh token',
      );
      assert.equal((await refresh(site.application, refreshToken, mount)).status, 200);
    });

    it('POST /token authenticates the application by HTTP Basic or by the body', async () => {
      const { clientId, clientSecret } = site.application;

      const byHeader = await tokenWith(basic(`${clientId}:${clientSecret}`), UNKNOWN);
      const byBody = await postToken(site.application, UNKNOWN, mount);

      await refused(byHeader, 'invalid_grant');
      await refused(byBody, 'invalid_grant');
    });

    it('POST /token answers failed client authentication 401 with a challenge for Basic, 400 for the body', async () => {
      const { clientId } = site.application;
      for (const id of [clientId, 'nobody']) {
        const byHeader = await tokenWith(basic(`${id}:wrong`), UNKNOWN);
        const byBody = await tokenWith({}, { ...UNKNOWN, client_id: id, client_secret: 'wrong' });

        assert.match(byHeader.headers.get('www-authenticate') ?? '', /^Basic /);
        assert.equal(byBody.headers.get('www-authenticate'), null);
        await refused(byHeader, 'invalid_client', 'Client authentication failed', 401);
        await refused(byBody, 'invalid_client', 'Client authentication failed');
      }
      await refused(await tokenWith({}, UNKNOWN), 'invalid_client');
    });

    it('POST /token names the parameter that is missing, with invalid_request', async () => {
      const { redirectUri } = site.application;
      for (const [form, missing] of [
        [{}, 'grant_type'],
        [{ grant_type: 'authorization_code', redirect_uri: redirectUri }, 'code'],
        [{ grant_type: 'authorization_code', code: 'ada' }, 'redirect_uri'],
        [{ grant_type: 'refresh_token' }, 'refresh_token'],
      ] as const) {
        const answer = await postToken(site.application, form, mount);

        await refused(answer, 'invalid_request', `${missing} is missing`);
      }
    });

    it('POST /token enforces PKCE for a request that brought a challenge', async () => {
      const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
      const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
      await authorized('proof', { code_challenge: challenge, code_challenge_method: 'S256' });
      const form = {
        grant_type: 'authorization_code',
        code: 'proof',
        redirect_uri: site.application.redirectUri,
      };

      await refused(await postToken(site.application, form, mount), 'invalid_grant');
      await refused(
        await postToken(site.application, { ...form, code_verifier: verifier.replace('d', 'e') }, mount),
        'invalid_grant',
      );
      const right = await postToken(site.application, { ...form, code_verifier: verifier }, mount);
      assert.equal(right.status, 200);
    });

    it('the server downgrades nobody who asks for PKCE: plain, and a challenge without a method, are refused', async () => {
      const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
      for (const parameters of [
        { code_challenge: challenge },
        { code_challenge: challenge, code_challenge_method: 'plain' },
        { code_challenge_method: 'S256' },
        { code_challenge: 'short', code_challenge_method: 'S256' },
      ]) {
        const url = authorizeUrl(site.application, { userId: 'proof', mount, parameters });

        assert.equal((await fetch(url, { redirect: 'manual' })).status, 400, JSON.stringify(parameters));
      }
    });

    for (const which of ['accessToken', 'refreshToken'] as const) {
      it(`POST /revoke ends every access and refresh token of the pair at once, given the ${which}`, async () => {
        const userId = `ended-${which}`;
        const [older, newer] = [await connected(userId), await connected(userId)];

        const answer = await revoke(site.application, older[which], mount);

        assert.equal(answer.status, 200);
        assert.deepEqual(await jsonOf(answer), { success: true });
        for (const pair of [older, newer]) {
          assert.equal((await read(site.application, '/calendars', pair.accessToken)).status, 401);
          await refused(await refresh(site.application, pair.refreshToken, mount), 'invalid_grant');
        }
      });
    }

    it('POST /revoke lets a user authorize again after a revocation, and the old tokens end nothing of it', async () => {
      const old = await connected('returns');
      await revoke(site.application, old.accessToken, mount);
      const anew = await connected('returns');
      await revoke(site.application, old.accessToken, mount);
      await revoke(site.application, old.refreshToken, mount);

      assert.equal((await read(site.application, '/calendars', anew.accessToken)).status, 200);
    });

    it('the server ends every token at once when the operator revokes the user from another process', async () => {
      const pair = await connected('ended by the operator');
      assert.equal((await read(site.application, '/connection-status', pair.accessToken)).status, 200);

      await site.program.command('user', 'revoke', site.application.clientId, 'ended by the operator');

      assert.equal((await read(site.application, '/connection-status', pair.accessToken)).status, 401);
      await refused(await refresh(site.application, pair.refreshToken, mount), 'invalid_grant');
    });

    it('POST /revoke answers a revocation 200 whatever the token is, and 400 only when there is none', async () => {
      const { accessToken } = await connected('whatever');
      await revoke(site.application, accessToken, mount);
      for (const token of [accessToken, 'garbage', 'a.b.c', `${accessToken.slice(0, -3)}xxx`]) {
        const answer = await revoke(site.application, token, mount);

        assert.equal(answer.status, 200);
        assert.deepEqual(await jsonOf(answer), { success: true });
      }
      for (const body of ['{}', '{"token":1}', '{"token":null}', '{"token":["x"]}', '[]', '']) {
        const headers = { 'content-type': 'application/json' };
        const answer = await fetch(`${site.program.url}${mount}/revoke`, { method: 'POST', headers, body });

        await refused(answer, 'invalid_request');
      }
    });

    it('the server protects what is named protected: 401 without a living access token', async () => {
      const base = mount === '' ? '' : '/api';
      const live = await connected('reader');
      const dead = await connected('former');
      await revoke(site.application, dead.accessToken, mount);
      const paths = [
        ['GET', '/events'],
        ['GET', '/calendars'],
        ['POST', '/webhooks/subscribe'],
        ['POST', '/subscribe-webhook'],
        ['POST', '/event'],
        ['GET', '/connection-status'],
      ] as const;
      for (const [method, path] of paths) {
        const call = (authorization?: string) =>
          fetch(`${site.program.url}${base}${path}`, {
            method,
            headers: {
              'content-type': 'application/json',
              ...(authorization === undefined ? {} : { authorization }),
            },
          });

        const bare = await call();
        assert.equal(bare.status, 401, path);
        assert.equal(bare.headers.get('www-authenticate'), 'Bearer');
        for (const token of [dead.accessToken, live.refreshToken, 'garbage']) {
          const answer = await call(`Bearer ${token}`);
          assert.equal(answer.status, 401, path);
          assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_token"/);
          const { error, message } = await jsonOf(answer);
          assert.equal(error, 'Unauthorized');
          assert.equal(typeof message, 'string');
        }
        assert.notEqual((await call(`Bearer ${live.accessToken}`)).status, 401, path);
      }
    });

    it('the server carries a client on that answers 401 with one refresh and one retry', async () => {
      const first = await connected('recovering');
      const ended = await read(site.application, '/calendars', `${first.accessToken}x`);
      const next = await tokensOf(await refresh(site.application, first.refreshToken, mount));
      const retried = await read(site.application, '/calendars', next.accessToken);
      await revoke(site.application, next.accessToken, mount);
      const over = await refresh(site.application, next.refreshToken, mount);
      const anew = await connected('recovering');

      assert.deepEqual([ended.status, retried.status], [401, 200]);
      await refused(over, 'invalid_grant');
      assert.equal((await read(site.application, '/calendars', anew.accessToken)).status, 200);
    });
  });
}

async function refused(answer: Response, error: string, description?: string, status = 400): Promise<void> {
  assert.equal(answer.status, status);
  const body = await jsonOf(answer);
  assert.equal(body.error, error);
  assert.equal(body.message, body.error_description);
  if (description === undefined) assert.equal(typeof body.error_description, 'string');
  else assert.equal(body.error_description, description);
}
