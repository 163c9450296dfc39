/** Assertions on both databases: one from ten callers of two instances, and what is stored of one. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it } from 'node:test';
import { createSealer } from '../../src/lib/sealing.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { assertionOf, newKey, postAssertion, setOf, useKeys } from './assertions.ts';
import { openOAuthServer } from './oauth-server.ts';

onEachDatabase((database, open) => {
  it(`ten callers with one assertion on two instances: one is authenticated, on ${database}`, async () => {
    const options = { db: await open(), sealer: createSealer(randomBytes(32)) };
    const [one, other] = [await openOAuthServer('HS256', options), await openOAuthServer('HS256', options)];
    const key = newKey();
    await useKeys(one, { jwks: JSON.stringify(setOf(key)) });

    for (let round = 0; round < 5; round += 1) {
      const assertion = assertionOf(key, one.clock.now);
      const callers = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? one : other));
      const answers = await Promise.all(callers.map(({ app }) => postAssertion(app, assertion)));

      const statuses = answers.map(({ statusCode }) => statusCode);
      assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses));
    }
    await one.close();
    await other.close();
  });

  it(`exp can have a fraction (RFC 7519 §2), on ${database}`, async () => {
    const server = await openOAuthServer('HS256', { db: await open() });
    const key = newKey();
    await useKeys(server, { jwks: JSON.stringify(setOf(key)) });
    const exp = server.clock.now / 1000 + 60.1234567;

    const answer = await postAssertion(server.app, assertionOf(key, server.clock.now, { exp }));

    assert.equal(answer.statusCode, 200, answer.body);
    await server.close();
  });
});
