/** An application in use changes to the profile fapi2 and back: its codes, tokens and credentials, on both databases. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { hashOfSecret } from '../../src/lib/sealing.ts';
import type { ClientChange } from '../../src/oauth/client.ts';
import { deriveChallenge } from '../../src/oauth/pkce.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { dpopKey } from '../harness/dpop-key.ts';
import { ASSERTION_TYPE, assertionOf, newKey, setOf } from './assertions.ts';
import { callWith, outcomeOf } from './dpop-server.ts';
import {
  approve,
  callProtected,
  type OAuthServer,
  openOAuthServer,
  PUBLIC_URL,
  REDIRECT_URI,
  SECRET,
  tokenPair,
} from './oauth-server.ts';

const VERIFIER = 'v'.repeat(43);
const NEW_SECRET = 'a new secret';
const STRICT = `${PUBLIC_URL}/fapi2`;
const BY_SECRET = { client_id: 'acme', client_secret: SECRET };
const BY_NEW_SECRET = { client_id: 'acme', client_secret: NEW_SECRET };
const APPLICATION = { grant_type: 'client_credentials', scope: 'application' };

type Form = Record<string, string>;
const refreshOf = (refreshToken: string): Form => ({
  ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
});
const exchangeOf = (code: string): Form => ({
  ...{ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI },
});

onEachDatabase((database, open) => {
  describe(`a change of the profile on ${database}`, () => {
    let server: OAuthServer;
    afterEach(() => server.close());
    const key = newKey();

    const change = (profile: 'default' | 'fapi2') => {
      const keys: ClientChange['keys'] = { jwks: JSON.stringify(setOf(key)) };
      const newSecretHash = () => hashOfSecret(NEW_SECRET);
      const terms = { now: server.clock.now, by: undefined };
      return server.stores.clients.updateClient('acme', { profile, keys, newSecretHash }, terms);
    };
    const post = (url: string, form: Form, dpop?: string) =>
      server.app.inject({
        ...{ method: 'POST', url, payload: new URLSearchParams(form).toString() },
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...(dpop && { dpop }) },
      });
    const outcome = async (url: string, form: Form, dpop?: string) => outcomeOf(await post(url, form, dpop));
    const signed = (form: Form, aud = STRICT): Form => ({
      ...form,
      client_assertion: assertionOf(key, server.clock.now, { aud }),
      client_assertion_type: ASSERTION_TYPE,
    });

    it('to fapi2: only the strict issuer, keys and proofs count, and the grants live on', async () => {
      server = await openOAuthServer('HS256', { db: await open() });
      const proofs = await dpopKey();
      const prove = () => proofs.prove({ method: 'POST', url: `${STRICT}/token`, now: server.clock.now });
      const { accessToken, refreshToken } = await tokenPair(server);
      await approve(server);
      await change('fapi2');
      const refresh = refreshOf(refreshToken);

      for (const url of ['/token', '/fapi2/token'])
        assert.equal(await outcome(url, { ...BY_SECRET, ...refresh }), '400 invalid_client');
      assert.equal(
        await outcome('/fapi2/token', signed(refresh, PUBLIC_URL), await prove()),
        '400 invalid_client',
      );
      assert.equal(await outcome('/token', signed(refresh), await prove()), '400 unauthorized_client');
      assert.equal(await outcome('/fapi2/token', signed(refresh)), '400 invalid_dpop_proof');
      const pending = signed(exchangeOf('ada'));
      assert.equal(await outcome('/fapi2/token', pending, await prove()), '400 invalid_grant');
      const tokens = (await post('/fapi2/token', signed(refresh), await prove())).json();

      assert.deepEqual(
        [decodeProtectedHeader(tokens.access_token).alg, decodeJwt(tokens.access_token).iss],
        ['ES256', STRICT],
      );
      assert.deepEqual(decodeJwt(tokens.refresh_token).cnf, { jkt: proofs.jkt });
      server.clock.now += 6_000;
      assert.equal(outcomeOf(await callProtected(server.app, accessToken)), '401 invalid_token');
      const token = accessToken;
      assert.equal(await outcome('/revoke', { token }), '401 invalid_client');
      assert.equal(await outcome('/revoke', signed({ token })), '400 unauthorized_client');
      assert.equal(await outcome('/fapi2/revoke', signed({ token }, PUBLIC_URL)), '401 invalid_client');
      assert.equal(outcomeOf(await callWith(server, tokens.access_token, { key: proofs })), '200');
      assert.equal(await outcome('/fapi2/revoke', signed({ token })), '200');
      assert.equal(
        outcomeOf(await callWith(server, tokens.access_token, { key: proofs })),
        '401 invalid_token',
      );
    });

    it('back to default: only the new secret counts, and a replayed code still ends its grant', async () => {
      server = await openOAuthServer('HS256', { db: await open() });
      const proofs = await dpopKey();
      const prove = () => proofs.prove({ method: 'POST', url: `${STRICT}/token`, now: server.clock.now });
      await change('fapi2');
      await approve(server, {
        opaqueCode: 'x',
        codeChallenge: deriveChallenge(VERIFIER),
        dpopJkt: proofs.jkt,
      });
      const exchange = { ...exchangeOf('x'), code_verifier: VERIFIER };
      const tokens = (await post('/fapi2/token', signed(exchange), await prove())).json();
      const application = (await post('/fapi2/token', signed(APPLICATION), await prove())).json();
      await change('default');
      const refresh = refreshOf(tokens.refresh_token);

      assert.equal(await outcome('/token', { ...BY_SECRET, ...refresh }), '400 invalid_client');
      assert.equal(await outcome('/token', signed(refresh, PUBLIC_URL)), '400 invalid_client');
      assert.equal(
        await outcome('/fapi2/token', { ...BY_NEW_SECRET, ...refresh }),
        '400 unauthorized_client',
      );
      const introspect = { ...BY_NEW_SECRET, token: application.access_token };
      assert.deepEqual((await post('/introspect', introspect)).json(), { active: false });
      const unbound = (await post('/token', { ...BY_NEW_SECRET, ...refresh })).json();
      assert.deepEqual(
        [
          unbound.token_type,
          decodeProtectedHeader(unbound.access_token).alg,
          decodeJwt(unbound.access_token).iss,
        ],
        ['Bearer', 'HS256', undefined],
      );
      assert.equal(outcomeOf(await callWith(server, tokens.access_token, { key: proofs })), '200');
      assert.equal(outcomeOf(await callProtected(server.app, tokens.access_token)), '401 invalid_token');
      server.clock.now += 6_000;
      assert.equal(outcomeOf(await callProtected(server.app, unbound.access_token)), '200');
      await server.stores.clients.updateClient(
        'acme',
        { codeFormat: 'opaque' },
        { now: server.clock.now, by: undefined },
      );
      assert.equal(await outcome('/token', { ...BY_NEW_SECRET, ...exchange }), '400 invalid_grant');
      assert.equal(outcomeOf(await callProtected(server.app, unbound.access_token)), '401 invalid_token');
    });
  });
});
