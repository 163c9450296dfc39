/** DPoP at resources (RFC 9449 §7), on SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { exportJWK } from 'jose';
import { onSqlite } from '../harness/databases.ts';
import { type DpopKey, dpopKey, type ProofOf } from '../harness/dpop-key.ts';
import {
  callWith,
  changeSwitches,
  exchangeWith,
  openDpopServer,
  outcomeOf,
  proveToken,
} from './dpop-server.ts';
import { approve, callProtected, type OAuthServer, PUBLIC_URL, tokenPair } from './oauth-server.ts';

const URL_OF_ROUTE = `${PUBLIC_URL}/protected`;

onSqlite((open) => {
  describe('DPoP at resources', () => {
    let server: OAuthServer;
    let key: DpopKey;
    let otherKey: DpopKey;
    let token: string;
    before(async () => {
      [key, otherKey] = [await dpopKey(), await dpopKey()];
      server = await openDpopServer(await open(), { senderConstraint: 'accepted' });
    });
    after(() => server.close());
    beforeEach(async () => {
      await changeSwitches(server, { senderConstraint: 'accepted', dpopNonce: 'off' });
      server.clock.now += 5_000;
      await approve(server);
      token = (await exchangeWith(server, await proveToken(server, key))).json().access_token;
    });

    const call = (authorization: string, dpop?: string) =>
      server.app.inject({
        url: '/protected',
        headers: { authorization, ...(dpop !== undefined && { dpop }) },
      });
    const prove = (changed: Partial<ProofOf> = {}) =>
      key.prove({ method: 'GET', url: URL_OF_ROUTE, now: server.clock.now, accessToken: token, ...changed });
    const ahead = (seconds: number) => ({ now: server.clock.now + seconds * 1000 });

    it('a bound token is accepted with a proof, with the scheme in any case', async () => {
      for (const scheme of ['DPoP', 'dpop', 'dpOp'])
        assert.equal(outcomeOf(await call(`${scheme} ${token}`, await prove())), '200');
    });

    it('a bound token with the scheme Bearer is refused with the challenge of DPoP', async () => {
      for (const dpop of [undefined, await prove()]) {
        const { statusCode, headers, body } = await call(`Bearer ${token}`, dpop);

        assert.equal(outcomeOf({ statusCode, body }), '401 invalid_token');
        assert.match(
          String(headers['www-authenticate']),
          /^DPoP error="invalid_token", error_description="[^"]+", algs="ES256 PS256 Ed25519 EdDSA"$/,
        );
      }
    });

    const refused: Record<string, (() => Promise<Partial<ProofOf>> | Partial<ProofOf>) | undefined> = {
      'no type': () => ({ header: { typ: undefined } }),
      'another type': () => ({ header: { typ: 'jwt' } }),
      'no key': () => ({ header: { jwk: undefined } }),
      'a private key': async () => ({ header: { jwk: await exportJWK(key.privateKey) } }),
      'no jti': () => ({ claims: { jti: undefined } }),
      'no htm': () => ({ claims: { htm: undefined } }),
      'another htm': () => ({ method: 'POST' }),
      'no htu': () => ({ claims: { htu: undefined } }),
      'another htu': () => ({ url: `${PUBLIC_URL}/other` }),
      'the origin of another server': () => ({ url: 'https://other.example/protected' }),
      'no iat': () => ({ claims: { iat: undefined } }),
      'an iat an hour ago': () => ahead(-3600),
      'an iat in an hour': () => ahead(3600),
      'no ath': () => ({ claims: { ath: undefined } }),
      'another ath': () => ({ accessToken: `${token}x` }),
      'an exp that has passed': () => ({ claims: { exp: server.clock.now / 1000 - 1 } }),
    };
    for (const [name, changed] of Object.entries(refused))
      it(`a proof with ${name} is refused`, async () => {
        const answer = await call(`DPoP ${token}`, await prove(await changed?.()));

        assert.equal(outcomeOf(answer), '401 invalid_dpop_proof');
        assert.match(String(answer.headers['www-authenticate']), /^DPoP error="invalid_dpop_proof", .*algs=/);
      });

    const accepted: Record<string, () => Partial<ProofOf>> = {
      'an iat 10 seconds before': () => ahead(-10),
      'an iat 10 seconds after': () => ahead(10),
      'nbf now and exp in 5 minutes': () => ({
        claims: { nbf: server.clock.now / 1000, exp: server.clock.now / 1000 + 300 },
      }),
      'unknown claims and header parameters': () => ({ claims: { a: 1 }, header: { b: 1 } }),
      'query and fragment': () => ({ url: `${URL_OF_ROUTE}?a=b#c` }),
      'upper case in scheme and host': () => ({ url: 'HTTPS://KALENDS.example/protected' }),
      'the default port': () => ({ url: 'https://kalends.example:443/protected' }),
    };
    for (const [name, changed] of Object.entries(accepted))
      it(`a proof with ${name} is accepted`, async () => {
        assert.equal(outcomeOf(await call(`DPoP ${token}`, await prove(changed()))), '200');
      });

    it('several headers are 400; no JWT, no header and the proof of another key are 401', async () => {
      const [one, two] = [await prove(), await prove()];
      const other = await otherKey.prove({
        ...{ method: 'GET', url: URL_OF_ROUTE, now: server.clock.now },
        accessToken: token,
      });

      assert.equal(outcomeOf(await call(`DPoP ${token}`, `${one}, ${two}`)), '400 invalid_dpop_proof');
      for (const dpop of [undefined, '', 'a.b', 'a.b.c', token])
        assert.equal(outcomeOf(await call(`DPoP ${token}`, dpop)), '401 invalid_dpop_proof');
      assert.equal(outcomeOf(await call(`DPoP ${token}`, other)), '401 invalid_token');
    });

    it('a proof works once until it expires, also for another request', async () => {
      const dpop = await prove();

      const outcomes = [];
      for (const by of [0, 0, 59_999, 2]) {
        server.clock.now += by;
        outcomes.push(outcomeOf(await call(`DPoP ${token}`, dpop)));
      }

      assert.deepEqual(outcomes, ['200', ...Array(3).fill('401 invalid_dpop_proof')]);
    });

    it('of ten callers with one proof exactly one succeeds', async () => {
      const dpop = await prove();

      const answers = await Promise.all(Array.from({ length: 10 }, () => call(`DPoP ${token}`, dpop)));

      assert.equal(answers.filter(({ statusCode }) => statusCode === 200).length, 1);
    });

    it('an unbound token is refused within five seconds after binding is required', async () => {
      const { accessToken } = await tokenPair(server);
      assert.equal((await callProtected(server.app, accessToken)).statusCode, 200);
      await changeSwitches(server, { senderConstraint: 'required' });
      server.clock.now += 5_000;

      const answer = await callProtected(server.app, accessToken);

      assert.equal(outcomeOf(answer), '401 invalid_token');
      assert.match(String(answer.headers['www-authenticate']), /^DPoP error="invalid_token"/);
      assert.equal(outcomeOf(await call(`DPoP ${accessToken}`, await prove())), '401 invalid_token');
      assert.equal(outcomeOf(await call(`DPoP ${token}`, await prove())), '200');
    });

    it('an unbound token with the scheme DPoP counts as none', async () => {
      const { accessToken } = await tokenPair(server);

      const answer = await call(`DPoP ${accessToken}`, await prove());

      assert.equal(outcomeOf(answer), '401 missing_token');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    });

    it('a token that is not living is refused before its proof, in the words of its scheme', async () => {
      const answer = await call('DPoP nothing', 'nothing');

      assert.equal(outcomeOf(answer), '401 invalid_token');
      assert.match(String(answer.headers['www-authenticate']), /^DPoP error="invalid_token"/);
    });

    it('an application with nonces needs a current or the previous one', async () => {
      await changeSwitches(server, { dpopNonce: 'on' });
      server.clock.now += 5_000;
      const first = await callWith(server, token, { key });
      assert.equal(outcomeOf(first), '401 use_dpop_nonce');
      assert.match(String(first.headers['www-authenticate']), /^DPoP error="use_dpop_nonce"/);
      const claims = { nonce: first.headers['dpop-nonce'] };

      const outcomes = [];
      for (const by of [0, 300_000, 300_000]) {
        server.clock.now += by;
        outcomes.push(outcomeOf(await callWith(server, token, { key, claims })));
      }

      assert.deepEqual(outcomes, ['200', '200', '401 use_dpop_nonce']);
    });

    it('the applications are read once in five seconds, however many calls there are', async () => {
      const { senderConstraints } = server.stores;
      const list = senderConstraints.listSenderConstraints;
      let reads = 0;
      const counted = async () => {
        reads += 1;
        return list();
      };
      Object.assign(senderConstraints, { listSenderConstraints: counted });
      const { accessToken } = await tokenPair(server);
      for (const by of [5_000, 0, 4_999, 1]) {
        server.clock.now += by;
        await Promise.all(Array.from({ length: 5 }, () => callProtected(server.app, accessToken)));
      }
      Object.assign(senderConstraints, { listSenderConstraints: list });

      assert.equal(reads, 2);
    });
  });
});
