/** Access tokens among themselves (RFC 9068). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { decodeJwt } from 'jose';

import { type OAuthServer, openOAuthServer, refresh, tokenPair } from './oauth-server.ts';

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
});
