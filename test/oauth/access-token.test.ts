/** Access tokens among themselves (RFC 9068). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { decodeJwt } from 'jose';

import {
  authenticateBearer,
  type BearerRequest,
  requireScope,
} from '../../src/oauth/bearer-authentication.ts';
import { callProtected, type OAuthServer, openOAuthServer, refresh, tokenPair } from './oauth-server.ts';

describe('an access token', () => {
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer();
  });
  after(() => server.close());

  it('a refresh token that is sent as an access token is called one', async () => {
    const { refreshToken } = await tokenPair(server);

    const { statusCode, headers, body } = await server.app.inject({
      url: '/protected',
      headers: { authorization: `Bearer ${refreshToken}` },
    });

    assert.equal(statusCode, 401);
    assert.match(String(headers['www-authenticate']), /^Bearer error="invalid_token", .*refresh token/);
    assert.match(JSON.parse(body).message, /^This is a refresh token: /);
  });

  it('an access token is a new one with every refresh, however many there are in a second', async () => {
    const pair = await tokenPair(server);
    const texts = [pair.accessToken];
    let { refreshToken } = pair;

    for (let i = 0; i < 20; i++) {
      const answer = (await refresh(server.app, refreshToken)).json<Record<string, string>>();
      texts.push(answer.access_token ?? '');
      refreshToken = answer.refresh_token ?? '';
    }

    assert.equal(new Set(texts).size, 21);
    assert.equal(new Set(texts.map((text) => decodeJwt(text).jti)).size, 21);
    assert.equal(new Set(texts.map((text) => decodeJwt(text).iat)).size, 1);
  });

  const callerOf = async (authorization: string | undefined) => {
    const request: BearerRequest = { method: 'GET', url: '/protected', headers: { authorization } };
    const code = await authenticateBearer(request, server.authentication).then(
      () => undefined,
      (reason: { body?: { code?: unknown } }) => reason.body?.code,
    );
    return { code, asker: request.asker };
  };

  it('names its caller, also if it has expired or its grant was revoked', async () => {
    const ada = { clientId: 'acme', userId: 'ada' };
    const { accessToken, refreshToken } = await tokenPair(server);

    const living = await callerOf(`Bearer ${accessToken}`);
    assert.equal(living.code, undefined);
    assert.deepEqual([living.asker?.clientId, living.asker?.userId], ['acme', 'ada']);
    assert.equal(living.asker?.isRefused, undefined);
    const refused = { code: 'invalid_token', asker: { ...ada, isRefused: true } };
    assert.deepEqual(await callerOf(`Bearer ${refreshToken}`), refused);
    server.clock.now += 3_600_000 - 1;
    assert.equal((await callerOf(`Bearer ${accessToken}`)).code, undefined);
    server.clock.now += 1;
    assert.deepEqual(await callerOf(`Bearer ${accessToken}`), refused);

    const revoked = await tokenPair(server);
    await server.stores.families.endGrantsOf('acme', 'ada', { now: server.clock.now, by: undefined });
    assert.deepEqual(await callerOf(`Bearer ${revoked.accessToken}`), refused);
  });

  it('that is expired, revoked or forged is not called a refresh token', async () => {
    const { accessToken: expired } = await tokenPair(server);
    server.clock.now += 3_600_000;
    const { accessToken: revoked } = await tokenPair(server);
    await server.stores.families.endGrantsOf('acme', 'ada', { now: server.clock.now, by: undefined });

    for (const token of [expired, revoked, `${expired}x`]) {
      const answer = await callProtected(server.app, token);
      assert.deepEqual([answer.statusCode, answer.json().code], [401, 'invalid_token']);
      assert.doesNotMatch(answer.json().message, /refresh token/);
    }
  });

  it('that is missing or forged has no caller', async () => {
    for (const authorization of [undefined, '', 'Bearer', 'Basic YTpi', 'Bearer a b'])
      assert.deepEqual(await callerOf(authorization), { code: 'missing_token', asker: undefined });
    for (const token of ['x', 'a.b.c', 'x'.repeat(9000)])
      assert.deepEqual(await callerOf(`bearer ${token}`), { code: 'invalid_token', asker: undefined });
  });

  it('whose scope is too small is refused with the one that is needed', () => {
    requireScope({ scope: 'read' }, 'free-busy', 'No');
    requireScope({ scope: 'read' }, 'read', 'No');
    assert.throws(() => requireScope({ scope: 'read' }, 'read-write', { message: 'No', error: 'Short' }), {
      ...{ status: 403, message: 'No' },
      body: { error: 'Short', message: 'No', code: 'insufficient_scope' },
      headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="read-write"' },
    });
  });
});
