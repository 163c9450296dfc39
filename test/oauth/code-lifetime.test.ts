/** The code lifetime of an application, on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { approve, exchange, openOAuthServer } from './oauth-server.ts';

onEachDatabase((database, open) => {
  describe(`the code lifetime on ${database}`, () => {
    it('a code is valid until the last millisecond of the lifetime of its application', async (t) => {
      const server = await openOAuthServer('HS256', { db: await open() });
      t.after(() => server.close());
      const { clients } = server.stores;
      await clients.updateClient('acme', { codeLifetime: 10 }, { now: server.clock.now, by: undefined });

      await approve(server);
      server.clock.now += 10_000;
      assert.equal((await exchange(server.app)).statusCode, 200);
      await approve(server);
      server.clock.now += 10_001;

      const late = await exchange(server.app);
      assert.deepEqual([late.statusCode, late.json().error], [400, 'invalid_grant']);
      assert.equal(late.json().error_description, 'Authorization code expired');
    });
  });
});
