/** DPoP keys of authorization requests (RFC 9449 §10): dpop_jkt, and proofs at /par. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { receivedQuery, scalar } from '../../src/http/received-query.ts';
import { hashOfRequestUri } from '../../src/oauth/pushed-requests.ts';
import { onSqlite } from '../harness/databases.ts';
import { type DpopKey, dpopKey } from '../harness/dpop-key.ts';
import { changeSwitches, openDpopServer } from './dpop-server.ts';
import { type OAuthServer, PUBLIC_URL, SECRET } from './oauth-server.ts';

onSqlite((open) => {
  describe('DPoP at /par', () => {
    let server: OAuthServer;
    let key: DpopKey;
    let otherKey: DpopKey;
    before(async () => {
      [key, otherKey] = [await dpopKey(), await dpopKey()];
      server = await openDpopServer(await open(), {});
    });
    after(() => server.close());
    beforeEach(() => changeSwitches(server, { senderConstraint: 'accepted', dpopNonce: 'off' }));

    const push = (form: Record<string, string>, dpop?: string) =>
      server.app.inject({
        method: 'POST',
        url: '/par',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(dpop !== undefined && { dpop }),
        },
        payload: new URLSearchParams({
          ...{ client_id: 'acme', client_secret: SECRET, user_id: 'ada' },
          ...form,
        }).toString(),
      });
    const prove = (of: DpopKey = key, claims = {}) =>
      of.prove({ method: 'POST', url: `${PUBLIC_URL}/par`, now: server.clock.now, claims });
    /** Returns the key that a pushed request is bound to. */
    async function boundTo(answer: Awaited<ReturnType<typeof push>>) {
      assert.equal(answer.statusCode, 201, answer.body);
      const by = {
        issuer: 'default',
        clientId: 'acme',
        transactionId: 't1',
        createdSince: server.clock.now - 60_000,
      } as const;
      const spent = await server.stores.pushedRequests.spend(hashOfRequestUri(answer.json().request_uri), by);
      assert.ok(spent && 'request' in spent);
      return scalar(receivedQuery(`?${spent.request.query}`), 'dpop_jkt');
    }

    it('a proof, dpop_jkt or both bind the code', async () => {
      assert.equal(await boundTo(await push({}, await prove())), key.jkt);
      assert.equal(await boundTo(await push({ dpop_jkt: key.jkt })), key.jkt);
      assert.equal(await boundTo(await push({ dpop_jkt: key.jkt }, await prove())), key.jkt);
      assert.equal(await boundTo(await push({})), undefined);
    });

    it('without a sender constraint neither counts, whatever it is', async () => {
      await changeSwitches(server, { senderConstraint: 'off' });

      assert.equal(await boundTo(await push({ dpop_jkt: 'x' }, 'not a proof')), undefined);
    });

    it('a proof works once, and a wrong one or another key than dpop_jkt is refused', async () => {
      const dpop = await prove();
      assert.equal((await push({}, dpop)).statusCode, 201);
      const answers = [
        await push({}, dpop),
        await push({ dpop_jkt: key.jkt }, await prove(otherKey)),
        await push({}, await prove(key, { htu: `${PUBLIC_URL}/token` })),
      ];

      for (const { statusCode, body } of answers)
        assert.deepEqual([statusCode, JSON.parse(body).error], [400, 'invalid_dpop_proof']);
    });

    it('a dpop_jkt that is no thumbprint is refused', async () => {
      for (const jkt of ['x', key.jkt.slice(1), `${key.jkt}=`]) {
        const { statusCode, body } = await push({ dpop_jkt: jkt });

        assert.deepEqual([statusCode, JSON.parse(body).error], [400, 'invalid_request'], jkt);
      }
    });

    it('an application with nonces needs one in its proofs', async () => {
      await changeSwitches(server, { dpopNonce: 'on' });

      const refused = await push({}, await prove());
      const nonce = refused.headers['dpop-nonce'];

      assert.deepEqual([refused.statusCode, refused.json().error], [400, 'use_dpop_nonce']);
      assert.equal(await boundTo(await push({}, await prove(key, { nonce }))), key.jkt);
    });
  });
});
