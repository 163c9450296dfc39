/** POST /revoke and the Bearer check: docs/wire.md O3.2, O3.3, O4.4, O4.5 and RFC 6750. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { callProtected, type OAuthServer, openOAuthServer, refresh, tokenPair } from './oauth-server.ts';

let server: OAuthServer;
beforeEach(async () => {
  server = await openOAuthServer();
});
afterEach(() => server.close());

const revoke = (token: unknown) => server.app.inject({ method: 'POST', url: '/revoke', payload: { token } });
const HOUR = 3_600_000;

describe('revocation', () => {
  for (const which of ['accessToken', 'refreshToken'] as const) {
    it(`POST /revoke ends every token of the user and the application, given the ${which}`, async () => {
      const older = await tokenPair(server);
      const newer = await tokenPair(server);

      const answer = await revoke(older[which]);

      assert.equal(answer.statusCode, 200);
      assert.deepEqual(answer.json(), { success: true });
      for (const pair of [older, newer]) {
        assert.equal((await callProtected(server.app, pair.accessToken)).statusCode, 401);
        assert.equal((await refresh(server.app, pair.refreshToken)).json().error, 'invalid_grant');
      }
    });
  }

  it('POST /revoke ends the grant of a rotated refresh token and of an expired access token', async () => {
    const first = await tokenPair(server);
    const rotated = await refresh(server.app, first.refreshToken);
    await revoke(first.refreshToken);
    const second = await tokenPair(server, { userId: 'bob' });
    server.clock.now += 2 * HOUR;
    await revoke(second.accessToken);

    assert.equal((await refresh(server.app, rotated.json().refresh_token)).statusCode, 400);
    assert.equal((await refresh(server.app, second.refreshToken)).statusCode, 400);
  });

  it('POST /revoke leaves other users and other applications alone', async () => {
    const revoked = await tokenPair(server);
    const otherUser = await tokenPair(server, { userId: 'bob' });

    await revoke(revoked.accessToken);

    assert.equal((await callProtected(server.app, otherUser.accessToken)).statusCode, 200);
  });

  it('POST /revoke changes nothing for a token whose own grant has ended', async () => {
    const ended = await tokenPair(server);
    await revoke(ended.refreshToken);
    const later = await tokenPair(server);

    await revoke(ended.refreshToken);
    await revoke(ended.accessToken);

    assert.equal((await callProtected(server.app, later.accessToken)).statusCode, 200);
  });

  it('POST /revoke answers a forged token 200 and changes nothing', async () => {
    const { accessToken } = await tokenPair(server);
    const [header, claims] = accessToken.split('.');
    const foreign = await openOAuthServer();
    const ofAnotherServer = await tokenPair(foreign);
    await foreign.close();

    for (const forged of [
      `${header}.${claims}.AAAA`,
      `${header}.${claims}.`,
      ofAnotherServer.accessToken,
      'x',
      'a.b.c',
      ' ',
    ]) {
      const answer = await revoke(forged);
      assert.equal(answer.statusCode, 200);
      assert.deepEqual(answer.json(), { success: true });
    }

    assert.equal((await callProtected(server.app, accessToken)).statusCode, 200);
  });

  it('POST /revoke takes the form encoding of RFC 7009 too', async () => {
    const { accessToken } = await tokenPair(server);

    const answer = await server.app.inject({
      method: 'POST',
      url: '/revoke',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `token=${accessToken}&token_type_hint=access_token`,
    });

    assert.equal(answer.statusCode, 200);
    assert.equal((await callProtected(server.app, accessToken)).statusCode, 401);
  });

  for (const payload of [
    '{}',
    '{"token":null}',
    '{"token":1}',
    '{"token":["x"]}',
    '{"token":{}}',
    '{"token":""}',
    '[]',
    'null',
    '"x"',
    '',
    '{',
  ]) {
    it(`POST /revoke answers ${payload || 'an empty body'} with 400`, async () => {
      const headers = { 'content-type': 'application/json' };

      const answer = await server.app.inject({ method: 'POST', url: '/revoke', headers, payload });

      assert.equal(answer.statusCode, 400);
      assert.equal(answer.json().error, 'invalid_request');
      assert.equal(typeof answer.json().message, 'string');
    });
  }
});

describe('the Bearer check', () => {
  it('the Bearer check answers a missing token 401 with a bare challenge (RFC 6750 §3.1)', async () => {
    for (const headers of [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Basic eDp5' },
    ]) {
      const answer = await server.app.inject({ url: '/protected', headers });

      assert.equal(answer.statusCode, 401);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.equal(answer.json().error, 'Unauthorized');
      assert.equal(typeof answer.json().message, 'string');
    }
  });

  it('the Bearer check answers an expired token 401 from the second it expires', async () => {
    const { accessToken } = await tokenPair(server);
    server.clock.now += HOUR - 1000;
    const inTime = await callProtected(server.app, accessToken);
    server.clock.now += 1000;
    const late = await callProtected(server.app, accessToken);

    assert.equal(inTime.statusCode, 200);
    assert.equal(late.statusCode, 401);
    assert.match(String(late.headers['www-authenticate']), /^Bearer error="invalid_token"/);
  });

  it('the Bearer check takes no refresh token for an access token', async () => {
    const { refreshToken } = await tokenPair(server);

    assert.equal((await callProtected(server.app, refreshToken)).statusCode, 401);
  });

  it('the Bearer check keeps earlier access tokens valid after a refresh (docs/wire.md O3.3)', async () => {
    const { accessToken, refreshToken } = await tokenPair(server);
    await refresh(server.app, refreshToken);

    assert.equal((await callProtected(server.app, accessToken)).statusCode, 200);
  });

  it('the Bearer check answers a scope that is too small 403, never 401 (docs/wire.md C2)', async () => {
    const { accessToken } = await tokenPair(server, { scope: 'free-busy' });

    const answer = await callProtected(server.app, accessToken);

    assert.equal(answer.statusCode, 403);
    assert.match(String(answer.headers['www-authenticate']), /error="insufficient_scope"/);
  });

  it('the Bearer check refuses tokens with another algorithm or none', async () => {
    const { accessToken } = await tokenPair(server);
    const [, claims] = accessToken.split('.');
    for (const alg of ['none', 'HS512', 'RS256']) {
      const header = Buffer.from(JSON.stringify({ alg, typ: 'at+jwt' })).toString('base64url');
      assert.equal((await callProtected(server.app, `${header}.${claims}.`)).statusCode, 401);
    }
  });
});
