/** POST /introspect (RFC 7662), on both databases. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { decodeJwt } from 'jose';

import type { ClientChange } from '../../src/oauth/client.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { ASSERTION_TYPE, assertionOf, newKey, setOf } from './assertions.ts';
import { type OAuthServer, openOAuthServer, PUBLIC_URL, refresh, SECRET, tokenPair } from './oauth-server.ts';

const HOUR = 3_600_000;
const INACTIVE = { active: false };

onEachDatabase((database, open) => {
  describe(`token introspection on ${database}`, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    });

    async function openServer() {
      const server = await openOAuthServer('HS256', { db: await open() });
      cleanups.push(() => server.close());
      return server;
    }

    const introspect = (
      { app }: OAuthServer,
      form: Record<string, string>,
      headers: Record<string, string> = {},
    ) =>
      app.inject({
        method: 'POST',
        url: '/introspect',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        payload: new URLSearchParams(form).toString(),
      });

    const ask = async (server: OAuthServer, token: string, clientId = 'acme') => {
      const answer = await introspect(server, { token, client_id: clientId, client_secret: SECRET });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json();
    };

    it('an access token is described with its claims', async () => {
      const server = await openServer();
      const { accessToken } = await tokenPair(server);

      const { jti } = decodeJwt(accessToken);
      const iat = server.clock.now / 1000;
      assert.deepEqual(await ask(server, accessToken), {
        active: true,
        scope: 'read',
        client_id: 'acme',
        sub: 'ada',
        aud: 'acme',
        iss: PUBLIC_URL,
        exp: iat + 3600,
        iat,
        jti,
        token_type: 'Bearer',
      });
    });

    it('a refresh token is described without a token type, and with its expiry if it has one', async () => {
      const server = await openServer();
      const { refreshToken } = await tokenPair(server);
      const { jti } = decodeJwt(refreshToken);
      const iat = server.clock.now / 1000;
      const expected = {
        ...{ active: true, scope: 'read', client_id: 'acme', sub: 'ada', aud: 'acme', iss: PUBLIC_URL },
        ...{ iat, jti },
      };
      assert.deepEqual(await ask(server, refreshToken), expected);

      const terms = { now: server.clock.now, by: undefined };
      await server.stores.clients.updateClient(
        'acme',
        { refreshIdleLifetime: 3600, refreshLifetime: 7200 },
        terms,
      );

      assert.deepEqual(await ask(server, refreshToken), { ...expected, exp: iat + 3600 });
    });

    it('a refresh token is inactive once it is rotated, within a replay window too', async () => {
      const server = await openServer();
      const terms = { now: server.clock.now, by: undefined };
      await server.stores.clients.updateClient('acme', { refreshReplayWindow: 60 }, terms);
      const { refreshToken } = await tokenPair(server);
      const successor = (await refresh(server.app, refreshToken)).json().refresh_token;

      assert.deepEqual(await ask(server, refreshToken), INACTIVE);
      assert.equal((await ask(server, successor)).active, true);
    });

    it('a refresh token is inactive from the second in which it is idle or expired', async () => {
      const server = await openServer();
      for (const change of [
        { refreshIdleLifetime: 3600 },
        { refreshIdleLifetime: 0, refreshLifetime: 3600 },
      ]) {
        const { refreshToken } = await tokenPair(server);
        await server.stores.clients.updateClient('acme', change, { now: server.clock.now, by: undefined });

        server.clock.now += HOUR - 1;
        assert.equal((await ask(server, refreshToken)).active, true);
        server.clock.now += 1;
        assert.deepEqual(await ask(server, refreshToken), INACTIVE);
      }
    });

    it('an access token is inactive from the second in which it expires', async () => {
      const server = await openServer();
      const { accessToken } = await tokenPair(server);

      server.clock.now += HOUR - 1000;
      assert.equal((await ask(server, accessToken)).active, true);
      server.clock.now += 1000;
      assert.deepEqual(await ask(server, accessToken), INACTIVE);
    });

    it('both tokens are inactive once the grant was revoked or its user deleted', async () => {
      const server = await openServer();
      const [ada, ben] = [await tokenPair(server), await tokenPair(server, { userId: 'ben' })];
      const payload = { token: ada.refreshToken };
      await server.app.inject({ method: 'POST', url: '/revoke', payload });
      await server.stores.users.deleteUser('acme', 'ben', { now: server.clock.now, by: undefined });

      for (const { accessToken, refreshToken } of [ada, ben])
        for (const token of [accessToken, refreshToken]) assert.deepEqual(await ask(server, token), INACTIVE);
    });

    it('an unbound access token is inactive if its application requires bound ones, as at resources', async () => {
      const server = await openServer();
      const { accessToken, refreshToken } = await tokenPair(server);
      const terms = { now: server.clock.now, by: undefined };
      await server.stores.clients.updateClient('acme', { senderConstraint: 'required' }, terms);

      assert.deepEqual(await ask(server, accessToken), INACTIVE);
      assert.equal((await ask(server, refreshToken)).active, true);
    });

    it('an application token is described until it expires or its application requires bound ones', async () => {
      const server = await openServer();
      const set = (change: ClientChange) =>
        server.stores.clients.updateClient('acme', change, { now: server.clock.now, by: undefined });
      const key = newKey();
      await set({ clientAuthentication: 'private_key_jwt', keys: { jwks: JSON.stringify(setOf(key)) } });
      const askByKey = async (token: string) => {
        const client_assertion = assertionOf(key, server.clock.now);
        return (
          await introspect(server, { token, client_assertion, client_assertion_type: ASSERTION_TYPE })
        ).json();
      };
      const plain = server.signer.signApplicationToken('acme', undefined).access_token;
      const bound = server.signer.signApplicationToken('acme', 'key').access_token;
      const facts = (token: string) => ({ active: true, ...decodeJwt(token), iss: PUBLIC_URL });

      assert.deepEqual(await askByKey(plain), { ...facts(plain), token_type: 'Bearer' });
      assert.deepEqual(await askByKey(bound), { ...facts(bound), token_type: 'DPoP' });
      assert.deepEqual(await ask(server, plain, 'other'), INACTIVE);
      await set({ senderConstraint: 'required' });
      assert.deepEqual(await askByKey(plain), INACTIVE);
      assert.equal((await askByKey(bound)).active, true);
      server.clock.now += 600_000;
      assert.deepEqual(await askByKey(bound), INACTIVE);
    });

    it('tokens of another application, forged ones and any text are inactive', async () => {
      const server = await openServer();
      const { accessToken, refreshToken } = await tokenPair(server);
      const [header, claims] = accessToken.split('.');
      const foreign = await openServer();
      const ofAnotherServer = await tokenPair(foreign);

      for (const token of [accessToken, refreshToken])
        assert.deepEqual(await ask(server, token, 'other'), INACTIVE);
      for (const token of [
        `${header}.${claims}.AAAA`,
        `${header}.${claims}.`,
        'x',
        'a.b.c',
        'x'.repeat(9000),
      ])
        assert.deepEqual(await ask(server, token), INACTIVE);
      assert.deepEqual(await ask(server, ofAnotherServer.accessToken), INACTIVE);
    });

    it('the response is JSON that nobody stores, and the request a form or JSON', async () => {
      const server = await openServer();
      const { accessToken: token } = await tokenPair(server);
      const authorization = `Basic ${Buffer.from(`acme:${SECRET}`).toString('base64')}`;

      const form = await introspect(server, { token, token_type_hint: 'refresh_token' }, { authorization });
      const json = await server.app.inject({
        ...{ method: 'POST', url: '/introspect', payload: { token }, headers: { authorization } },
      });

      for (const answer of [form, json]) {
        assert.equal(answer.json().active, true);
        assert.match(String(answer.headers['content-type']), /^application\/json\b/);
        assert.equal(answer.headers['cache-control'], 'no-store');
        assert.equal(answer.headers.pragma, 'no-cache');
      }
    });

    it('a caller that is not authenticated learns nothing, by any method', async () => {
      const server = await openServer();
      const { accessToken: token } = await tokenPair(server);
      const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

      const wrong = await introspect(server, { token }, basic('acme:wrong'));
      assert.deepEqual([wrong.statusCode, wrong.json().error], [401, 'invalid_client']);
      assert.match(String(wrong.headers['www-authenticate']), /^Basic /);
      for (const form of [
        { token },
        { token, client_id: 'acme' },
        { token, client_id: 'acme', client_secret: 'wrong' },
        { token, client_id: 'nobody', client_secret: SECRET },
      ]) {
        const answer = await introspect(server, form);
        assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_client']);
      }
      const bearer = await introspect(server, { token }, { authorization: `Bearer ${token}` });
      assert.deepEqual([bearer.statusCode, bearer.json().error], [400, 'invalid_client']);
    });

    it('a public application cannot introspect, whatever it presents', async () => {
      const server = await openServer();
      const { accessToken: token } = await tokenPair(server);
      const terms = { now: server.clock.now, by: undefined };
      await server.stores.clients.updateClient('acme', { clientAuthentication: 'none' }, terms);

      const withSecret = await introspect(server, { token, client_id: 'acme', client_secret: SECRET });
      const byIdAlone = await introspect(server, { token, client_id: 'acme' });

      assert.deepEqual([withSecret.statusCode, withSecret.json().error], [400, 'invalid_client']);
      assert.deepEqual([byIdAlone.statusCode, byIdAlone.json().error], [400, 'unauthorized_client']);
    });

    it('a request without a token, or with an unreadable body, is an invalid request', async () => {
      const server = await openServer();
      const credentials = { client_id: 'acme', client_secret: SECRET };

      for (const payload of [credentials, { ...credentials, token: 1 }, { ...credentials, token: '' }, []]) {
        const answer = await server.app.inject({ method: 'POST', url: '/introspect', payload });
        assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request']);
      }
    });

    it('wrong secrets at introspection count like those at the token endpoint', async () => {
      const server = await openServer();
      const form = { token: 'x', client_id: 'acme', client_secret: 'wrong' };

      const answers = [];
      for (let i = 0; i < 31; i += 1) answers.push(await introspect(server, form));

      const last = answers.at(-1);
      assert.deepEqual([last?.statusCode, last?.json().error], [429, 'temporarily_unavailable']);
      assert.ok(Number(last?.headers['retry-after']) > 0);
    });
  });
});
