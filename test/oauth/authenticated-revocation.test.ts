/** POST /revoke for an application that requires authentication (RFC 7009 §2.1), on both databases. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import {
  approve,
  callProtected,
  type OAuthServer,
  openOAuthServer,
  postToken,
  REDIRECT_URI,
  SECRET,
  tokenPair,
} from './oauth-server.ts';

const basic = (clientId: string, secret = SECRET) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
});
const inBody = (clientId: string, secret = SECRET) => ({ client_id: clientId, client_secret: secret });

onEachDatabase((database, open) => {
  describe(`authenticated revocation on ${database}`, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    });

    /** A server whose application `acme` requires authentication; `other` does not. */
    async function openServer() {
      const server = await openOAuthServer('HS256', { db: await open() });
      cleanups.push(() => server.close());
      await change(server, 'authenticated');
      return server;
    }
    const change = ({ stores, clock }: OAuthServer, revocation: 'open' | 'authenticated') =>
      stores.clients.updateClient('acme', { revocation }, { now: clock.now, by: undefined });

    const asForm = ({ app }: OAuthServer, form: Record<string, string>, headers = {}) =>
      app.inject({
        ...{ method: 'POST', url: '/revoke', payload: new URLSearchParams(form).toString() },
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const asJson = ({ app }: OAuthServer, payload: object, headers = {}) =>
      app.inject({ method: 'POST', url: '/revoke', payload, headers });
    const lives = async ({ app }: OAuthServer, token: string) =>
      (await callProtected(app, token)).statusCode === 200;

    for (const [how, revoke] of [
      ['a form and Basic', (server, token) => asForm(server, { token }, basic('acme'))],
      ['a form', (server, token) => asForm(server, { token, ...inBody('acme') })],
      ['JSON and Basic', (server, token) => asJson(server, { token }, basic('acme'))],
      ['JSON', (server, token) => asJson(server, { token, ...inBody('acme') })],
    ] satisfies [string, (server: OAuthServer, token: string) => ReturnType<typeof asForm>][])
      for (const which of ['accessToken', 'refreshToken'] as const)
        it(`the application revokes its ${which} with ${how}`, async () => {
          const server = await openServer();
          const pair = await tokenPair(server);

          const answer = await revoke(server, pair[which]);

          assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }]);
          assert.equal(await lives(server, pair.accessToken), false);
        });

    it('without valid credentials the response is 401, and nothing ends', async () => {
      const server = await openServer();
      const { accessToken, refreshToken } = await tokenPair(server);

      for (const token of [accessToken, refreshToken])
        for (const answer of [
          await asJson(server, { token }),
          await asJson(server, { token, ...inBody('acme', 'wrong') }),
          await asJson(server, { token, client_id: 'acme' }),
          await asJson(server, { token }, basic('acme', 'wrong')),
          await asJson(server, { token }, { authorization: `Bearer ${accessToken}` }),
          await asForm(server, { token }),
          await asForm(server, { token, ...inBody('nobody') }),
        ]) {
          assert.deepEqual([answer.statusCode, answer.json().error], [401, 'invalid_client']);
          assert.match(String(answer.headers['www-authenticate']), /^Basic /);
          assert.equal(answer.headers['cache-control'], 'no-store');
        }
      assert.equal(await lives(server, accessToken), true);
    });

    it('with the credentials of another application the response is 400, and nothing ends', async () => {
      const server = await openServer();
      const { accessToken: token } = await tokenPair(server);

      for (const answer of [
        await asJson(server, { token }, basic('other')),
        await asForm(server, { token, ...inBody('other') }),
      ])
        assert.deepEqual(
          [answer.statusCode, answer.json().error, answer.json().message],
          [400, 'invalid_grant', 'Client mismatch'],
        );
      assert.equal(await lives(server, token), true);
    });

    it('two methods of authentication, and credentials of another type, are an invalid request', async () => {
      const server = await openServer();
      const { accessToken: token } = await tokenPair(server);

      for (const answer of [
        await asJson(server, { token, ...inBody('acme') }, basic('acme')),
        await asJson(server, { token, client_id: 5, client_secret: SECRET }),
      ])
        assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_request']);
      assert.equal(await lives(server, token), true);
    });

    it('a forged or unknown token is 200, whatever the credentials', async () => {
      const server = await openServer();
      const { accessToken } = await tokenPair(server);
      const [header, claims] = accessToken.split('.');

      for (const token of ['x', `${header}.${claims}.AAAA`, `${header}.${claims}.`])
        for (const headers of [{}, basic('acme'), basic('acme', 'wrong'), basic('other')]) {
          const answer = await asJson(server, { token }, headers);
          assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }]);
        }
      assert.equal(await lives(server, accessToken), true);
    });

    it('the switch of the token’s application counts: another one stays open and ignores credentials', async () => {
      const server = await openServer();
      for (const [headers, more] of [
        [{}, {}],
        [basic('acme'), {}],
        [basic('other', 'wrong'), { client_id: 5 }],
      ] as const) {
        const { token } = await pairOfOther(server);

        const answer = await asJson(server, { token, ...more }, headers);

        assert.deepEqual([answer.statusCode, answer.json()], [200, { success: true }]);
        assert.equal(await lives(server, token), false);
      }
    });

    it('the switch acts from the next request, in both directions', async () => {
      const server = await openServer();
      const { accessToken: token } = await tokenPair(server);
      await change(server, 'open');
      await change(server, 'authenticated');
      assert.equal((await asJson(server, { token })).statusCode, 401);

      await change(server, 'open');

      assert.equal((await asJson(server, { token })).statusCode, 200);
      assert.equal(await lives(server, token), false);
    });

    it('wrong secrets count, and a correct one is never limited', async () => {
      const server = await openServer();
      const { accessToken: token } = await tokenPair(server);
      const statuses = [];
      for (let i = 0; i < 31; i += 1)
        statuses.push((await asJson(server, { token }, basic('acme', 'wrong'))).statusCode);

      assert.deepEqual([...new Set(statuses)], [401, 429]);
      assert.equal((await asJson(server, { token }, basic('acme'))).statusCode, 200);
    });

    /** Tokens of the application `other`. */
    async function pairOfOther(server: OAuthServer) {
      await approve(server, { clientId: 'other' });
      const form = { grant_type: 'authorization_code', code: 'ada', redirect_uri: REDIRECT_URI };
      const answer = await postToken(server.app, form, basic('other'));
      return { token: String(answer.json().access_token) };
    }
  });
});
