import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { type OAuthServer, openOAuthServer, PUBLIC_URL } from '../../test/oauth/oauth-server.ts';
import { createIssuer } from './issuers.ts';
import { newTokenIn } from './refresh-token-id.ts';
import { createTokenSigner, signerOf } from './token-signer.ts';

const GRANT = { familyId: 7, clientId: 'acme', userId: 'ada', scope: 'read' } as const;
const OWNER = { familyId: 7, clientId: 'acme', userId: 'ada' };
const ID = newTokenIn(7);

describe('the token signer', () => {
  let server: OAuthServer;
  before(async () => {
    server = await openOAuthServer();
  });
  after(() => server.close());
  const seconds = () => Math.floor(server.clock.now / 1000);

  it('signs tokens of a user, which each method reads as far as they concern it', async () => {
    const { signer } = server;
    const tokens = signer.signTokenResponse(GRANT, ID);
    const { access_token: access, refresh_token: refresh, ...facts } = tokens;

    assert.deepEqual(facts, { token_type: 'Bearer', expires_in: 3600 });
    assert.deepEqual(await signer.readAccessToken(access), { ...GRANT, jkt: undefined });
    assert.deepEqual(await signer.readRefreshToken(refresh), { ...OWNER, id: ID, jkt: undefined });
    assert.equal(await signer.readAccessToken(refresh), undefined);
    assert.equal(await signer.readRefreshToken(access), undefined);
    for (const [token, type] of [
      [access, 'at+jwt'],
      [refresh, 'rt+jwt'],
    ] as const) {
      assert.deepEqual(await signer.readAnyToken(token), OWNER);
      assert.deepEqual(await signer.readIssuedToken(token), { ...OWNER, type, claims: decodeJwt(token) });
      assert.equal(await signer.readApplicationToken(token), undefined);
    }
  });

  it('binds tokens to a key and a resource', async () => {
    const { signer } = server;
    const bound = { ...GRANT, jkt: 'key', resource: PUBLIC_URL };
    const {
      access_token: access,
      refresh_token: refresh,
      token_type: type,
    } = signer.signTokenResponse(bound, ID);

    assert.equal(type, 'DPoP');
    for (const token of [access, refresh]) {
      const { aud, cnf, iss } = decodeJwt(token);
      assert.deepEqual([aud, cnf, iss], [PUBLIC_URL, { jkt: 'key' }, undefined]);
    }
    assert.equal((await signer.readAccessToken(access))?.jkt, 'key');
    assert.deepEqual(await signer.readRefreshToken(refresh), {
      ...{ ...OWNER, id: ID, jkt: 'key', resource: PUBLIC_URL },
    });
  });

  it('dates a refresh token back, but never its access token', () => {
    const earlier = server.clock.now - 5000;
    const { access_token: access, refresh_token: refresh } = server.signer.signTokenResponse(
      GRANT,
      ID,
      earlier,
    );

    assert.equal(decodeJwt(refresh).iat, seconds() - 5);
    assert.deepEqual([decodeJwt(access).iat, decodeJwt(access).exp], [seconds(), seconds() + 3600]);
  });

  /** Returns a signer that counts how often it searches a key. */
  const countingSigner = () => {
    const state = { searches: 0 };
    const find: typeof server.signingKeys.find = (header) => {
      state.searches += 1;
      return server.signingKeys.find(header);
    };
    return { state, signer: createTokenSigner({ ...server.signingKeys, find }, () => server.clock.now) };
  };

  it('verifies each of several access tokens once', async () => {
    const { state, signer } = countingSigner();
    const tokens = [1, 2, 3].map(
      (familyId) => signer.signTokenResponse({ ...GRANT, familyId }, ID).access_token,
    );

    for (const token of [...tokens, ...tokens, ...tokens]) assert.ok(await signer.readAccessToken(token));

    assert.equal(state.searches, 3);
  });

  it('searches no key for a text of more than 8,192 characters', async () => {
    const { state, signer } = countingSigner();

    assert.equal(await signer.readAnyToken(`a.${'b'.repeat(8191)}`), undefined);
    assert.equal(state.searches, 0);
    assert.equal(await signer.readAnyToken(`a.${'b'.repeat(8190)}`), undefined);
    assert.equal(state.searches, 1);
  });

  it('signs application tokens for ten minutes, which no other method reads', async () => {
    const { signer, clock } = server;
    const { access_token: token, ...facts } = signer.signApplicationToken('acme', undefined);
    const bound = signer.signApplicationToken('acme', 'key');

    assert.deepEqual(facts, { token_type: 'Bearer', expires_in: 600, scope: 'application' });
    assert.deepEqual([bound.token_type, decodeJwt(bound.access_token).cnf], ['DPoP', { jkt: 'key' }]);
    const { jti, ...claims } = decodeJwt(token);
    assert.deepEqual(claims, {
      ...{ sub: 'acme', aud: 'acme', client_id: 'acme', scope: 'application' },
      ...{ iat: seconds(), exp: seconds() + 600 },
    });
    assert.deepEqual(await signer.readApplicationToken(token), { ...claims, jti });
    for (const read of [
      signer.readAccessToken,
      signer.readAnyToken,
      signer.readIssuedToken,
      signer.readRefreshToken,
    ])
      assert.equal(await read(token), undefined);
    clock.now += 599_999;
    assert.ok(await signer.readApplicationToken(token));
    clock.now += 1;
    assert.equal(await signer.readApplicationToken(token), undefined);
  });

  it('of an application is that of its issuer, with a key', async () => {
    const strict = await openOAuthServer('HS256', { strict: ['bank'] });
    const [acme, bank] = [
      await strict.stores.clients.findClient('acme'),
      await strict.stores.clients.findClient('bank'),
    ];
    assert.ok(acme && bank);
    const deps = { signer: strict.signer, publicUrl: PUBLIC_URL };

    assert.equal(await signerOf(acme, deps), strict.signer);
    const { access_token: token } = (await signerOf(bank, deps)).signApplicationToken('bank', undefined);

    await strict.close();
    assert.equal(decodeJwt(token).iss, `${PUBLIC_URL}/fapi2`);
  });

  it('of the strict issuer signs with ES256 and its iss, and is read by all', async () => {
    const { signer } = server;
    const issuer = createIssuer('fapi2', PUBLIC_URL);
    const strict = signer.at(issuer);
    assert.equal(signer.at(createIssuer('default', PUBLIC_URL)), signer);
    assert.equal(strict.at(issuer), strict);
    assert.equal(signer.prepare(), undefined);
    await strict.prepare();

    const { access_token: access, refresh_token: refresh } = strict.signTokenResponse(GRANT, ID);
    const { access_token: application } = strict.signApplicationToken('acme', undefined);

    assert.deepEqual(
      [access, refresh, application].map((token) => decodeJwt(token).iss),
      [issuer.url, undefined, issuer.url],
    );
    assert.deepEqual(await signer.readAnyToken(refresh), OWNER);
    assert.ok(await signer.readApplicationToken(application));
    for (const reader of [signer, strict]) assert.ok(await reader.readAccessToken(access));
  });
});
