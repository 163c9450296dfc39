/** The signing keys of the strict issuer: created on use, shared by all instances, and never published by the other. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { tenTimes } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { until } from '../harness/until.ts';
import {
  approve,
  callProtected,
  type OAuthServer,
  openOAuthServer,
  REDIRECT_URI,
  SECRET,
} from './oauth-server.ts';

const CREDENTIALS = { client_id: 'bank', client_secret: SECRET };

const post = ({ app }: OAuthServer, form: Record<string, string>) =>
  app.inject({
    ...{
      method: 'POST',
      url: '/fapi2/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
    payload: new URLSearchParams({ ...CREDENTIALS, ...form }).toString(),
  });
const exchange = (server: OAuthServer, code = 'ada') =>
  post(server, { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI });

async function tokensOf(server: OAuthServer, userId = 'ada') {
  await approve(server, { clientId: 'bank', userId });
  const answer = await exchange(server, userId);
  assert.equal(answer.statusCode, 200, answer.body);
  return answer.json<{ access_token: string; refresh_token: string }>();
}

const keySet = async ({ app }: OAuthServer) => (await app.inject('/fapi2/jwks.json')).json();
const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const strictKeys = async ({ stores }: OAuthServer) =>
  (await stores.signingKeys.listSigningKeys()).filter(({ algorithm }) => algorithm === 'ES256');

onEachDatabase((database, open) => {
  /** Two instances on one database, neither of which has keys of the strict issuer. */
  const pair = async (algorithm: 'HS256' | 'ES256' = 'HS256') => {
    const db: Database = await open();
    const options = { db, strict: ['bank'], sealer: createSealer(randomBytes(32)) };
    const first = await openOAuthServer(algorithm, options);
    const second = await openOAuthServer(algorithm, options);
    const close = () => Promise.all([first.close(), second.close()]);
    return { first, second, [Symbol.asyncDispose]: async () => void (await close()) };
  };

  describe(`the keys of the strict issuer on ${database}`, () => {
    it('the first use at the strict issuer creates its keys, and an instance without them signs with the same', async () => {
      await using instances = await pair();
      const { first, second } = instances;
      assert.deepEqual(await strictKeys(first), []);
      const ada = await tokensOf(first);
      const eve = await tokensOf(second, 'eve');

      assert.equal(kidOf(ada.access_token), kidOf(eve.access_token));
      assert.deepEqual((await strictKeys(first)).map(({ status }) => status).toSorted(), ['active', 'next']);
      for (const { app } of [first, second])
        for (const tokens of [ada, eve])
          assert.equal((await callProtected(app, tokens.access_token)).statusCode, 200);
      const refresh = { grant_type: 'refresh_token', refresh_token: eve.refresh_token };
      assert.equal((await post(first, refresh)).statusCode, 200);
    });

    it('ten first uses at once on two instances sign with one key', async () => {
      await using instances = await pair();
      const { first, second } = instances;
      for (let i = 0; i < 10; i += 1) await approve(first, { clientId: 'bank', userId: `user-${i}` });
      const answers = await tenTimes((i) => exchange(i % 2 ? first : second, `user-${i}`));
      const kids = new Set(answers.map((answer) => kidOf(answer.json().access_token)));
      assert.equal(kids.size, 1);
      assert.equal((await strictKeys(first)).length, 2);
    });

    it('the public keys verify the tokens of the strict issuer, also at an instance that has not loaded them', async () => {
      await using instances = await pair();
      const { first, second } = instances;
      const none = await second.app.inject('/fapi2/jwks.json');
      assert.deepEqual([none.json(), none.headers['cache-control']], [{ keys: [] }, 'no-store']);
      const { access_token: token } = await tokensOf(first);

      const published = await second.app.inject('/fapi2/jwks.json');
      assert.equal(published.headers['cache-control'], 'public, max-age=300');
      const { payload } = await jwtVerify(token, createLocalJWKSet(published.json()), {
        issuer: 'https://kalends.example/fapi2',
        currentDate: new Date(first.clock.now),
      });
      assert.equal(payload.sub, 'ada');
      assert.ok(published.json().keys.every((key: object) => !('d' in key)));
    });

    it('the default issuer publishes no key of the strict one, and its documents do not change by a byte', async () => {
      await using instances = await pair();
      const { first } = instances;
      const paths = ['/.well-known/jwks.json', '/.well-known/oauth-authorization-server'];
      const read = () => Promise.all(paths.map(async (path) => (await first.app.inject(path)).body));
      const before = await read();
      await tokensOf(first);
      first.clock.now += 31_000;
      assert.deepEqual(await read(), before);
    });

    it('with ES256 for all tokens, both issuers have the same keys', async () => {
      await using instances = await pair('ES256');
      const { first } = instances;
      await tokensOf(first);
      assert.deepEqual(await keySet(first), (await first.app.inject('/.well-known/jwks.json')).json());
      assert.equal((await strictKeys(first)).length, 2);
    });

    it('a rotation also rotates the keys of the strict issuer, whose earlier tokens stay valid', async () => {
      await using instances = await pair();
      const { first, second } = instances;
      await first.rotateKeys();
      assert.deepEqual(await strictKeys(first), [], 'none are created');
      const before = await tokensOf(first);
      const announced = (await keySet(first)).keys.map(({ kid }: { kid: string }) => kid);
      await second.rotateKeys();
      first.clock.now += 31_000; // The instance takes up the rotation.
      let after = before;
      await until('the instance uses the new key', async () => {
        after = await tokensOf(first);
        return kidOf(after.access_token) !== kidOf(before.access_token);
      });

      assert.ok(announced.includes(kidOf(after.access_token)), 'the key was published before it signed');
      for (const { access_token: token } of [before, after])
        for (const { app } of [first, second])
          assert.equal((await callProtected(app, token)).statusCode, 200);
      const refresh = { grant_type: 'refresh_token', refresh_token: before.refresh_token };
      assert.equal((await post(second, refresh)).statusCode, 200);
    });

    it('if the keys of the strict issuer cannot be read or created, no code and no refresh token is used up', async () => {
      await using instances = await pair();
      const { first } = instances;
      await approve(first, { clientId: 'bank' });
      const away = async () => {
        throw new Error('the disk is full');
      };
      const { addSigningKey } = first.stores.signingKeys;
      Object.assign(first.stores.signingKeys, { addSigningKey: away });
      assert.equal((await exchange(first)).statusCode, 500);
      Object.assign(first.stores.signingKeys, { addSigningKey });
      assert.equal((await exchange(first)).statusCode, 200);
    });

    it('nobody without credentials makes the keys of the strict issuer', async () => {
      await using instances = await pair();
      const { first } = instances;
      await post(first, { client_secret: 'guessed', grant_type: 'authorization_code', code: 'ada' });
      await post(first, { client_id: 'acme', grant_type: 'authorization_code', code: 'ada' });
      await keySet(first);
      assert.deepEqual(await strictKeys(first), []);
    });
  });
});
