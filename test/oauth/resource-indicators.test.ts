/** Resource indicators (RFC 8707) at the token endpoint and at /par, on both databases. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { decodeJwt } from 'jose';

import type { ClientChange } from '../../src/oauth/client.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  approve,
  callProtected,
  exchange,
  type OAuthServer,
  openOAuthServer,
  PUBLIC_URL,
  postToken,
  REDIRECT_URI,
  refresh,
  SECRET,
} from './oauth-server.ts';

const UNKNOWN = [
  'https://other.example',
  `${PUBLIC_URL}/`,
  `${PUBLIC_URL}#x`,
  'HTTPS://kalends.example',
  'x',
  'acme',
];

onEachDatabase((database, open) => {
  describe(`resource indicators on ${database}`, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    });

    async function openServer(change: ClientChange = { resourceIndicators: 'on' }) {
      const server = await openOAuthServer('HS256', { db: await open() });
      cleanups.push(() => server.close());
      await set(server, change);
      return server;
    }
    const set = ({ stores, clock }: OAuthServer, change: ClientChange) =>
      stores.clients.updateClient('acme', change, { now: clock.now, by: undefined });

    /** Approves a request with this resource, and returns the response to its exchange. */
    async function connect(
      server: OAuthServer,
      { resource = null, form = {} }: { resource?: string | null; form?: Record<string, string> } = {},
    ) {
      await approve(server);
      await server.db.write('UPDATE token_family SET resource = :resource WHERE user_id = :userId', {
        ...{ resource, userId: 'ada' },
      });
      return exchange(server.app, form);
    }
    const audiences = (answer: Awaited<ReturnType<typeof exchange>>) => {
      assert.equal(answer.statusCode, 200, answer.body);
      const { access_token, refresh_token } = answer.json();
      return [access_token, refresh_token].map((token) => decodeJwt(token).aud);
    };
    const BOUND = [PUBLIC_URL, PUBLIC_URL];

    it('the resource of the authorization request is the audience of its tokens, and of those of later refreshes', async () => {
      const server = await openServer();

      const first = await connect(server, { resource: PUBLIC_URL });
      const second = await refresh(server.app, first.json().refresh_token);

      assert.deepEqual([audiences(first), audiences(second)], [BOUND, BOUND]);
      const { client_id, projectId } = decodeJwt(first.json().access_token);
      assert.deepEqual([client_id, projectId], ['acme', 'acme']);
    });

    it('the resource of a token request is the audience from then on', async () => {
      const server = await openServer();

      const first = await connect(server);
      const second = await refresh(server.app, first.json().refresh_token, { resource: PUBLIC_URL });
      const third = await refresh(server.app, second.json().refresh_token);
      const exchanged = await connect(server, { form: { resource: PUBLIC_URL } });

      assert.deepEqual(audiences(first), ['acme', 'acme']);
      for (const answer of [second, third, exchanged]) assert.deepEqual(audiences(answer), BOUND);
    });

    it('an unknown resource is an invalid target, and uses up neither code nor refresh token', async () => {
      const server = await openServer();
      await approve(server);

      for (const resource of UNKNOWN) {
        const answer = await exchange(server.app, { resource });
        assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_target']);
      }
      const { refresh_token: token } = (await exchange(server.app)).json();
      for (const resource of UNKNOWN)
        assert.equal((await refresh(server.app, token, { resource })).json().error, 'invalid_target');
      assert.equal((await refresh(server.app, token)).statusCode, 200);
    });

    it('a repeated resource counts if all are known, in a form and in JSON', async () => {
      const server = await openServer();
      const token = String((await connect(server)).json().refresh_token);
      const credentials = { client_id: 'acme', client_secret: SECRET, grant_type: 'refresh_token' };
      const post = (resource: unknown) =>
        server.app.inject({
          ...{ method: 'POST', url: '/token', payload: { ...credentials, refresh_token: token, resource } },
        });

      for (const resource of [[PUBLIC_URL, 'x'], 5, {}, [[PUBLIC_URL]], true])
        assert.equal((await post(resource)).json().error, 'invalid_target', JSON.stringify(resource));
      const form = new URLSearchParams({ ...credentials, refresh_token: token });
      for (const resource of [PUBLIC_URL, PUBLIC_URL]) form.append('resource', resource);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const first = await server.app.inject({
        method: 'POST',
        url: '/token',
        headers,
        payload: String(form),
      });
      assert.deepEqual(audiences(first), BOUND);
    });

    it('without the switch resource is ignored, whatever it is', async () => {
      const server = await openServer({});

      const first = await connect(server, { resource: PUBLIC_URL, form: { resource: 'x' } });
      const second = await refresh(server.app, first.json().refresh_token, { resource: PUBLIC_URL });

      for (const answer of [first, second]) assert.deepEqual(audiences(answer), ['acme', 'acme']);
    });

    it('after the switch is turned off, the next refresh returns tokens for the application again', async () => {
      const server = await openServer();
      const first = await connect(server, { resource: PUBLIC_URL });
      await set(server, { resourceIndicators: 'off' });
      assert.equal((await callProtected(server.app, first.json().access_token)).statusCode, 200);

      const second = await refresh(server.app, first.json().refresh_token);

      assert.deepEqual(audiences(second), ['acme', 'acme']);
    });

    it('tokens with a resource are the application’s: it reads, introspects and revokes with them', async () => {
      const server = await openServer();
      const { access_token: access, refresh_token: token } = (
        await connect(server, { resource: PUBLIC_URL })
      ).json();
      const post = (url: string, payload: object) => server.app.inject({ method: 'POST', url, payload });
      const credentials = { client_id: 'acme', client_secret: SECRET };

      assert.equal((await callProtected(server.app, access)).json().clientId, 'acme');
      for (const each of [access, token]) {
        const { active, aud, client_id } = (
          await post('/introspect', { token: each, ...credentials })
        ).json();
        assert.deepEqual([active, aud, client_id], [true, PUBLIC_URL, 'acme']);
        const foreign = { ...credentials, client_id: 'other', token: each };
        assert.deepEqual((await post('/introspect', foreign)).json(), { active: false });
      }
      const foreign = await refresh(server.app, token, { client_id: 'other' });
      assert.equal(foreign.json().error_description, 'Client mismatch');
      await post('/revoke', { token });
      assert.equal((await callProtected(server.app, access)).statusCode, 401);
    });

    it('a replay within the window returns the same refresh token, resource included', async () => {
      const server = await openServer({ resourceIndicators: 'on', refreshReplayWindow: 60 });
      const spent = (await connect(server, { resource: PUBLIC_URL })).json().refresh_token;

      const [first, again] = [await refresh(server.app, spent), await refresh(server.app, spent)];

      assert.equal(again.json().refresh_token, first.json().refresh_token);
      assert.deepEqual(audiences(again), BOUND);
    });

    it('a resource is pushed, repeated if it is known, and refused if it is not', async () => {
      const server = await openServer();
      const push = (query: string) =>
        server.app.inject({
          ...{ method: 'POST', url: '/par', payload: `user_id=ada&${query}` },
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            authorization: `Basic ${Buffer.from(`acme:${SECRET}`).toString('base64')}`,
          },
        });
      const known = `resource=${encodeURIComponent(PUBLIC_URL)}`;

      for (const query of [known, `${known}&${known}`, 'resource='])
        assert.equal((await push(query)).statusCode, 201, query);
      for (const query of ['resource=x', `${known}&resource=x`]) {
        const answer = await push(query);
        assert.deepEqual([answer.statusCode, answer.json().error], [400, 'invalid_target']);
      }
      await set(server, { resourceIndicators: 'off' });
      assert.equal((await push('resource=x')).statusCode, 201);
      assert.equal((await push(`${known}&${known}`)).json().error, 'invalid_request');
    });

    it('wrong credentials are refused before the resource is read', async () => {
      const server = await openServer();
      const form = { grant_type: 'authorization_code', code: 'ada', redirect_uri: REDIRECT_URI };

      const answer = await postToken(server.app, { ...form, resource: 'x', client_secret: 'wrong' });

      assert.equal(answer.json().error, 'invalid_client');
    });
  });
});
