/** Public applications (`none`) at /token, /par, /revoke and the endpoints of applications. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { authenticateBasic } from '../../src/oauth/client-authentication.ts';
import { deriveChallenge } from '../../src/oauth/pkce.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { dpopKey } from '../harness/dpop-key.ts';
import { PUBLIC } from './assertions.ts';
import {
  approve,
  callProtected,
  type OAuthServer,
  openOAuthServer,
  PUBLIC_URL,
  postToken,
  REDIRECT_URI,
  SECRET,
} from './oauth-server.ts';

const VERIFIER = 'v'.repeat(43);

onEachDatabase((database, open) => {
  describe(`a public application on ${database}`, () => {
    let server: OAuthServer;
    let app: FastifyInstance;
    beforeEach(async () => {
      server = await openOAuthServer('HS256', { db: await open(), mostStarts: 3 });
      app = server.app;
      await server.stores.clients.updateClient('acme', PUBLIC, { now: server.clock.now, by: undefined });
    });
    afterEach(() => server.close());

    const post = (url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
      app.inject({
        ...{ method: 'POST', url, payload: new URLSearchParams(form).toString() },
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      });
    const exchange = async (userId: string) => {
      const code = randomUUID();
      await approve(server, { userId, codeChallenge: deriveChallenge(VERIFIER), opaqueCode: code });
      const answer = await post('/token', {
        ...{ client_id: 'acme', grant_type: 'authorization_code', code },
        ...{ redirect_uri: REDIRECT_URI, code_verifier: VERIFIER },
      });
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json<{ access_token: string; refresh_token: string }>();
    };
    const refresh = (token: string) =>
      post('/token', { client_id: 'acme', grant_type: 'refresh_token', refresh_token: token });

    it('exchanges and refreshes with its client_id alone', async () => {
      const tokens = await exchange('ada');

      assert.equal((await refresh(tokens.refresh_token)).statusCode, 200);
    });

    it('a code from before it was public, whose request had no challenge, is refused', async () => {
      const code = randomUUID();
      await approve(server, { opaqueCode: code });
      const form = { client_id: 'acme', grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };

      for (const verifier of [{}, { code_verifier: '' }, { code_verifier: VERIFIER }]) {
        const answer = await post('/token', { ...form, ...verifier });
        assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_grant']);
      }
      assert.equal(await server.stores.families.countLivingGrants('acme', 1), 0);
    });

    it('its earlier secret is refused, and no other application is authenticated by its id alone', async () => {
      const grant = { grant_type: 'refresh_token', refresh_token: 'x' };
      const answers = [
        await postToken(app, grant),
        await post('/token', { client_id: 'other', ...grant }),
        await post('/token', { client_id: 'nobody', ...grant }),
      ];

      for (const answer of answers)
        assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_client']);
    });

    it('HTTP Basic authenticates it nowhere, whatever the password', async () => {
      for (const password of ['', SECRET, 'acme']) {
        const authorization = `Basic ${Buffer.from(`acme:${password}`).toString('base64')}`;
        const request = { ip: '127.0.0.1', method: 'GET', url: '/users/ada', headers: { authorization } };
        await assert.rejects(authenticateBasic(request, server.authentication), {
          code: 'invalid_client',
          status: 401,
        });
      }
    });

    it('revoking a token that was obtained for a foreign user id ends only its own grant', async () => {
      const own = await exchange('ada');
      const foreign = await exchange('ada');

      const revoked = await app.inject({
        method: 'POST',
        url: '/revoke',
        payload: { token: foreign.refresh_token },
      });

      assert.deepEqual(revoked.json(), { success: true });
      assert.equal((await callProtected(app, foreign.access_token)).statusCode, 401);
      assert.equal((await refresh(foreign.refresh_token)).json().error, 'invalid_grant');
      assert.equal((await callProtected(app, own.access_token)).statusCode, 200);
      assert.equal((await refresh(own.refresh_token)).statusCode, 200);
    });

    it('a token whose grant has ended revokes nothing', async () => {
      const first = await exchange('ada');
      await app.inject({ method: 'POST', url: '/revoke', payload: { token: first.access_token } });
      const second = await exchange('ada');

      await app.inject({ method: 'POST', url: '/revoke', payload: { token: first.access_token } });

      assert.equal((await callProtected(app, second.access_token)).statusCode, 200);
    });

    it('/par counts toward the limit of /authorize per address, but not for other applications', async () => {
      const challenge = { code_challenge: deriveChallenge(VERIFIER), code_challenge_method: 'S256' };
      const pushed = { user_id: 'ada', ...challenge };
      const statuses: number[] = [];
      for (let i = 0; i < 4; i += 1)
        statuses.push((await post('/par', { client_id: 'acme', ...pushed })).statusCode);
      const basic = { authorization: `Basic ${Buffer.from(`other:${SECRET}`).toString('base64')}` };
      const others = await Promise.all([1, 2, 3, 4].map(() => post('/par', { user_id: 'ada' }, basic)));

      assert.deepEqual(statuses, [201, 201, 201, 429]);
      assert.deepEqual(
        others.map(({ statusCode }) => statusCode),
        [201, 201, 201, 201],
      );
    });

    it('has no application token', async () => {
      const form = { client_id: 'acme', grant_type: 'client_credentials', scope: 'application' };
      const answer = await post('/token', form);

      assert.deepEqual([answer.statusCode, answer.json().error], [400, 'unauthorized_client']);
    });

    for (const codeFormat of ['opaque', 'user-id'] as const)
      it(`its proof is stored only with a ${codeFormat} code or a token of a living grant`, async () => {
        const switches = { senderConstraint: 'accepted', codeFormat } as const;
        const { clock, db, stores } = server;
        await stores.clients.updateClient('acme', switches, { now: clock.now, by: undefined });
        const key = await dpopKey();
        const send = async (form: Record<string, string>) => {
          const dpop = await key.prove({ method: 'POST', url: `${PUBLIC_URL}/token`, now: clock.now });
          const answer = await post('/token', { client_id: 'acme', ...form }, { dpop });
          const stored = await db.all('SELECT * FROM used_jti');
          return { status: answer.statusCode, stored: stored.length, token: answer.json().refresh_token };
        };
        const code = {
          ...{ grant_type: 'authorization_code', code: 'ada' },
          ...{ redirect_uri: REDIRECT_URI, code_verifier: VERIFIER },
        };
        const refreshOf = (token: string) => ({ grant_type: 'refresh_token', refresh_token: token });

        const unknown = await send(code);
        const opaqueCode = codeFormat === 'opaque' ? 'ada' : undefined;
        await approve(server, { codeChallenge: deriveChallenge(VERIFIER), opaqueCode });
        const known = await send(code);
        const refreshed = await send(refreshOf(known.token));
        await post('/revoke', { token: refreshed.token });
        const ended = await send(refreshOf(refreshed.token));

        assert.deepEqual(
          [unknown, known, refreshed, ended].map(({ status, stored }) => [status, stored]),
          [
            [400, 0],
            [200, 1],
            [200, 2],
            [400, 2],
          ],
        );
      });
  });
});
