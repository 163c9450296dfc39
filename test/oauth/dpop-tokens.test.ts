/** DPoP at /token (RFC 9449 §5, §10), on both databases. */
import assert from 'node:assert/strict';
import { afterEach, before, describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import type { ClientChange } from '../../src/oauth/client.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DpopKey, dpopKey } from '../harness/dpop-key.ts';
import { PUBLIC } from './assertions.ts';
import {
  callWith,
  changeSwitches,
  exchangeWith,
  openDpopServer,
  outcomeOf,
  proveToken,
  refreshWith,
} from './dpop-server.ts';
import { approve, callProtected, exchange, refresh, tokenPair } from './oauth-server.ts';

const FORM = 'application/x-www-form-urlencoded';
const TEN = Array.from({ length: 10 }, (_, i) => i);

onEachDatabase((database, open) => {
  describe(`DPoP at /token on ${database}`, () => {
    const cleanups: (() => Promise<unknown>)[] = [];
    let key: DpopKey;
    let otherKey: DpopKey;
    before(async () => {
      [key, otherKey] = [await dpopKey(), await dpopKey('Ed25519')];
    });
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0)) await cleanup();
    });

    async function openServer(switches: ClientChange = { senderConstraint: 'accepted' }) {
      const server = await openDpopServer(await open(), switches);
      cleanups.push(() => server.close());
      return server;
    }

    /** Returns a server with a pair of tokens that are bound to `key`. */
    async function openBound(switches?: ClientChange) {
      const server = await openServer(switches);
      await approve(server);
      const answer = await exchangeWith(server, await proveToken(server, key));
      assert.equal(answer.statusCode, 200, answer.body);
      return { server, tokens: answer.json<Record<'access_token' | 'refresh_token', string>>(), answer };
    }

    it('a proof binds both tokens to its key', async () => {
      const { server, tokens, answer } = await openBound();

      assert.equal(answer.json().token_type, 'DPoP');
      for (const token of [tokens.access_token, tokens.refresh_token])
        assert.deepEqual(decodeJwt(token).cnf, { jkt: key.jkt });
      assert.equal(outcomeOf(await callWith(server, tokens.access_token, { key })), '200');
    });

    it('without a sender constraint a proof is ignored, whatever it is', async () => {
      const server = await openServer({ senderConstraint: 'off' });
      await approve(server);

      const answer = await exchangeWith(server, 'not a proof');

      assert.equal(answer.json().token_type, 'Bearer');
      assert.equal(decodeJwt(answer.json().access_token).cnf, undefined);
      assert.deepEqual(await server.db.all('SELECT * FROM used_jti'), []);
    });

    it('a request without proof gets unbound tokens if a constraint is accepted, none if it is required', async () => {
      const server = await openServer();
      await approve(server);
      assert.equal((await exchange(server.app)).json().token_type, 'Bearer');
      await changeSwitches(server, { senderConstraint: 'required' });
      await approve(server);

      const answer = await exchange(server.app);

      assert.equal(outcomeOf(answer), '400 invalid_dpop_proof');
      assert.equal((await exchangeWith(server, await proveToken(server, key))).json().token_type, 'DPoP');
    });

    it('a wrong proof is refused by the name of its claim and spends nothing', async () => {
      const { server, tokens } = await openBound();
      const wrong = {
        htm: { method: 'GET' },
        htu: { url: 'https://kalends.example/par' },
        iat: { now: server.clock.now - 61_000 },
        jti: { claims: { jti: undefined } },
        typ: { header: { typ: 'JWT' } },
      };
      for (const [name, changed] of Object.entries(wrong)) {
        const answer = await refreshWith(
          server,
          tokens.refresh_token,
          await proveToken(server, key, changed),
        );

        assert.equal(outcomeOf(answer), '400 invalid_dpop_proof');
        assert.match(answer.json().error_description, new RegExp(`^DPoP proof: ${name} `));
      }
      const [one, two] = [await proveToken(server, key), await proveToken(server, key)];
      assert.equal(
        outcomeOf(await refreshWith(server, tokens.refresh_token, `${one}, ${two}`)),
        '400 invalid_dpop_proof',
      );
      assert.equal(outcomeOf(await refreshWith(server, tokens.refresh_token, one)), '200');
    });

    it('a bound grant stays bound: a refresh without proof is refused and spends nothing', async () => {
      const { server, tokens } = await openBound();

      const answer = await refresh(server.app, tokens.refresh_token);

      assert.equal(outcomeOf(answer), '400 invalid_dpop_proof');
      const refreshed = await refreshWith(server, tokens.refresh_token, await proveToken(server, key));
      assert.equal(refreshed.json().token_type, 'DPoP');
    });

    it('a confidential application may refresh with another key', async () => {
      const { server, tokens } = await openBound();

      const answer = await refreshWith(server, tokens.refresh_token, await proveToken(server, otherKey));

      const { access_token: accessToken } = answer.json();
      assert.deepEqual(decodeJwt(accessToken).cnf, { jkt: otherKey.jkt });
      assert.equal(outcomeOf(await callWith(server, accessToken, { key: otherKey })), '200');
      assert.equal(outcomeOf(await callWith(server, accessToken, { key })), '401 invalid_token');
    });

    it('an unbound grant is bound by its next refresh with a proof', async () => {
      const server = await openServer();
      const { refreshToken } = await tokenPair(server);
      await changeSwitches(server, { senderConstraint: 'required' });

      assert.equal(outcomeOf(await refresh(server.app, refreshToken)), '400 invalid_dpop_proof');
      const answer = await refreshWith(server, refreshToken, await proveToken(server, key));

      assert.deepEqual(decodeJwt(answer.json().refresh_token).cnf, { jkt: key.jkt });
    });

    for (const refreshRotation of ['always', 'never'] as const)
      it(`the text from before a grant was bound gets tokens of its key only, with rotation ${refreshRotation}`, async () => {
        const switches = { senderConstraint: 'accepted', refreshReplayWindow: 60, refreshRotation } as const;
        const server = await openServer(switches);
        const { refreshToken } = await tokenPair(server);
        const provedBy = async (one: DpopKey) =>
          refreshWith(server, refreshToken, await proveToken(server, one));

        const answers = await Promise.all(TEN.map(() => provedBy(key)));
        const unproved = await refresh(server.app, refreshToken);
        const foreign = await provedBy(otherKey);

        const texts = new Set(answers.map((answer) => String(answer.json().refresh_token)));
        assert.deepEqual(
          [...texts].map((text) => decodeJwt(text).cnf),
          [...texts].map(() => ({ jkt: key.jkt })),
        );
        assert.equal(new Set([...texts].map((text) => decodeJwt(text).jti)).size, 1);
        assert.deepEqual([unproved, foreign].map(outcomeOf), Array(2).fill('400 invalid_grant'));
        const [successor = ''] = texts;
        const next = await refreshWith(server, successor, await proveToken(server, key));
        assert.equal(outcomeOf(next), '200');
      });

    it('with rotation never, a grant that was bound while that was required stays bound', async () => {
      const server = await openServer({ senderConstraint: 'off' });
      const { refreshToken } = await tokenPair(server);
      await changeSwitches(server, { senderConstraint: 'required', refreshRotation: 'never' });
      const refreshed = await Promise.all(
        TEN.map(async () => refreshWith(server, refreshToken, await proveToken(server, key))),
      );
      await changeSwitches(server, { senderConstraint: 'accepted' });

      const unproved = await refresh(server.app, refreshToken);
      const { refresh_token: bound } = refreshed[0]?.json() ?? {};
      const proved = await refreshWith(server, bound, await proveToken(server, key));

      assert.deepEqual(refreshed.map(outcomeOf), Array(10).fill('200'));
      assert.equal(outcomeOf(unproved), '400 invalid_grant');
      assert.deepEqual([outcomeOf(proved), proved.json().refresh_token], ['200', bound]);
    });

    it('the text from before the grant of a public application was bound gets tokens of its key only', async () => {
      const server = await openServer({ senderConstraint: 'off' });
      const { refreshToken } = await tokenPair(server);
      await changeSwitches(server, { ...PUBLIC, senderConstraint: 'required', refreshRotation: 'never' });
      const refreshAs = async (token: string, one: DpopKey) => {
        const form = { client_id: 'acme', grant_type: 'refresh_token', refresh_token: token };
        const headers = { 'content-type': FORM, dpop: await proveToken(server, one) };
        const payload = new URLSearchParams(form).toString();
        return server.app.inject({ method: 'POST', url: '/token', headers, payload });
      };

      const answers = await Promise.all(TEN.map(() => refreshAs(refreshToken, key)));
      const foreign = await refreshAs(refreshToken, otherKey);

      const ids = answers.map((answer) => decodeJwt(answer.json().refresh_token).jti);
      assert.equal(new Set(ids).size, 1);
      assert.equal(outcomeOf(foreign), '400 invalid_grant');
      const [bound = ''] = answers.map((answer) => String(answer.json().refresh_token));
      const again = await refreshAs(bound, key);
      assert.equal(again.json().refresh_token, bound);
      assert.equal(outcomeOf(await refreshAs(bound, otherKey)), '400 invalid_grant');
    });

    it('when the constraint is off, bound access tokens still need proofs and a refresh unbinds', async () => {
      const { server, tokens } = await openBound();
      await changeSwitches(server, { senderConstraint: 'off' });

      assert.equal(outcomeOf(await callProtected(server.app, tokens.access_token)), '401 invalid_token');
      assert.equal(outcomeOf(await callWith(server, tokens.access_token, { key })), '200');
      const refreshed = (await refresh(server.app, tokens.refresh_token)).json();

      assert.equal(refreshed.token_type, 'Bearer');
      assert.equal(outcomeOf(await callProtected(server.app, refreshed.access_token)), '200');
    });

    it('a code that is bound to a key needs a proof of that key', async () => {
      const server = await openServer();
      await approve(server, { dpopJkt: key.jkt });

      assert.equal(outcomeOf(await exchange(server.app)), '400 invalid_dpop_proof');
      const foreign = await exchangeWith(server, await proveToken(server, otherKey));
      assert.equal(outcomeOf(foreign), '400 invalid_grant');
      assert.match(foreign.json().error_description, /another key/);
      assert.equal(outcomeOf(await exchangeWith(server, await proveToken(server, key))), '200');
    });

    it('of ten callers at two instances with one proof exactly one succeeds', async () => {
      const { server, tokens } = await openBound();
      const second = await openDpopServer(server.db, {});
      cleanups.push(() => second.close());
      const pairs = await Promise.all(
        TEN.map(async (i) => (await tokenPairBound(server, `user-${i}`)).refresh_token),
      );
      const dpop = await proveToken(server, key);

      const sameToken = await Promise.all(
        TEN.map((i) => refreshWith([server, second][i % 2] ?? server, tokens.refresh_token, dpop)),
      );
      const again = await proveToken(server, key);
      const ownTokens = await Promise.all(
        pairs.map((token, i) => refreshWith([server, second][i % 2] ?? server, token, again)),
      );

      for (const answers of [sameToken, ownTokens]) {
        const outcomes = answers.map(outcomeOf).toSorted();
        assert.deepEqual(outcomes, ['200', ...TEN.slice(1).map(() => '400 invalid_dpop_proof')]);
      }
      // The refused proofs spent no refresh token.
      const alive = await Promise.all(
        pairs.map(async (token) =>
          outcomeOf(await refreshWith(server, token, await proveToken(server, key))),
        ),
      );
      assert.equal(alive.filter((outcome) => outcome === '200').length, 9);
    });

    async function tokenPairBound(server: Awaited<ReturnType<typeof openServer>>, userId: string) {
      await approve(server, { userId });
      return (await exchangeWith(server, await proveToken(server, key), { code: userId })).json();
    }

    it('a proof works once until it expires, and is stored only after client authentication', async () => {
      const { server, tokens } = await openBound();
      const dpop = await proveToken(server, key);
      const count = async () => (await server.db.all('SELECT jti_hash FROM used_jti')).length;
      const before = await count();
      const foreign = await refresh(server.app, tokens.refresh_token, { client_secret: 'wrong' }, { dpop });
      assert.equal(outcomeOf(foreign), '400 invalid_client');
      assert.equal(await count(), before);

      const first = await refreshWith(server, tokens.refresh_token, dpop);
      server.clock.now += 60_000;
      await server.stores.usedJtis.deleteExpired(server.clock.now);
      const second = await refreshWith(server, first.json().refresh_token, dpop);

      assert.equal(outcomeOf(first), '200');
      assert.equal(outcomeOf(second), '400 invalid_dpop_proof');
      assert.match(second.json().error_description, /jti/);
    });

    it('an application with nonces needs a current or the previous one', async () => {
      const { server, tokens } = await openBound();
      await changeSwitches(server, { dpopNonce: 'on' });
      const attempt = async (nonce?: unknown) =>
        refreshWith(server, tokens.refresh_token, await proveToken(server, key, { claims: { nonce } }));
      const refused = await attempt();
      assert.equal(outcomeOf(refused), '400 use_dpop_nonce');
      const nonce = refused.headers['dpop-nonce'];

      for (const wrong of ['', 'wrong', 7])
        assert.equal(outcomeOf(await attempt(wrong)), '400 use_dpop_nonce');
      server.clock.now += 5 * 60_000;
      const accepted = await attempt(nonce);
      assert.equal(outcomeOf(accepted), '200');
      const next = accepted.headers['dpop-nonce'];
      assert.ok(next !== undefined && next !== nonce);
      const claims = { nonce: next };
      const again = await refreshWith(
        server,
        accepted.json().refresh_token,
        await proveToken(server, key, { claims }),
      );
      assert.deepEqual([outcomeOf(again), again.headers['dpop-nonce']], ['200', undefined]);
      server.clock.now += 5 * 60_000;
      const old = await proveToken(server, key, { claims: { nonce } });
      assert.equal(
        outcomeOf(await refreshWith(server, again.json().refresh_token, old)),
        '400 use_dpop_nonce',
      );
    });
  });
});
