/** Signing keys: rotated while running, published when they are asymmetric. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';

import { callProtected, openOAuthServer, refresh, tokenPair } from './oauth-server.ts';

for (const algorithm of ['HS256', 'ES256'] as const) {
  describe(`keys of ${algorithm}`, () => {
    it('signing keys accept what was signed before a rotation, or by an instance without the new key', async (t) => {
      const server = await openOAuthServer(algorithm);
      t.after(() => server.close());
      const before = await tokenPair(server);
      await server.rotateKeys();
      const between = await tokenPair(server);
      await server.rotateKeys();

      server.clock.now += 31_000; // The instance takes up the rotations.
      await tokenPair(server);
      const after = await tokenPair(server);

      for (const pair of [before, between, after]) {
        assert.equal((await callProtected(server.app, pair.accessToken)).statusCode, 200);
        assert.equal((await refresh(server.app, pair.refreshToken)).statusCode, 200);
      }
      const kids = [before, after].map(({ accessToken }) => decodeProtectedHeader(accessToken).kid);
      assert.notEqual(kids[0], kids[1]);
    });
  });
}

describe('the key set', () => {
  it('the key set verifies tokens of ES256, the next key being published before it signs', async (t) => {
    const server = await openOAuthServer('ES256');
    t.after(() => server.close());
    const { keys } = (await server.app.inject('/.well-known/jwks.json')).json();
    await server.rotateKeys();
    server.clock.now += 31_000;
    await tokenPair(server);
    const { accessToken } = await tokenPair(server);

    const { payload } = await jwtVerify(accessToken, createLocalJWKSet({ keys }), {
      currentDate: new Date(server.clock.now),
    });

    assert.equal(payload.sub, 'ada');
    assert.equal(keys.length, 2);
    assert.ok(
      keys.every((key: object) => !('d' in key)),
      'no private key is published',
    );
  });

  it('the key set is empty with HS256, and not pointed to', async (t) => {
    const server = await openOAuthServer('HS256');
    t.after(() => server.close());

    const keySet = await server.app.inject('/.well-known/jwks.json');
    const metadata = await server.app.inject('/.well-known/oauth-authorization-server');

    assert.deepEqual(keySet.json(), { keys: [] });
    assert.equal(metadata.json().jwks_uri, undefined);
    assert.equal(metadata.json().issuer, 'https://kalends.example');
  });
});
