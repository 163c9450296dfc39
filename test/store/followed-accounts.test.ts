/** Accounts that are synced more often, on both databases. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { makeCode, NOW, presentedOf } from '../contract/calendar-rows.ts';
import { makeAccount } from '../contract/grant-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase((database, open) => {
  const prepare = async () => {
    const db = await open();
    const stores = openStores(db, { sealer: createSealer(Buffer.alloc(32, 1)) });
    const facts = { clientId: 'acme', name: 'acme', displayName: undefined, webhookUrl: undefined };
    await stores.clients.createClient(
      { ...facts, redirectUri: 'https://acme.example/cb', createdAt: NOW },
      'hash',
      undefined,
    );
    await makeAccount(db, 'acme', 'ada');
    return { db, ...stores };
  };
  const followed = async ({ followed: accounts }: { followed: ReturnType<typeof openStores>['followed'] }) =>
    (await accounts.syncFacts('acme-ada'))?.followed;
  const webhookUrl = 'https://hook.example/';

  describe(`accounts that are followed, on ${database}`, () => {
    it('are those of an application with a webhook URL that is not paused', async () => {
      const stores = await prepare();
      assert.equal(await followed(stores), false);
      await stores.clients.updateClient('acme', { webhookUrl }, { now: NOW, by: undefined });
      assert.equal(await followed(stores), true);
      await stores.db.write("UPDATE webhook_endpoint SET state = 'paused' RETURNING endpoint_id");
      assert.equal(await followed(stores), false);
    });

    it('are those of a user whose changes are read', async () => {
      const stores = await prepare();
      await stores.changes.follow({ clientId: 'acme', userId: 'ada' }, NOW);

      assert.equal(await followed(stores), true);
    });

    it('are looked at within a minute of the first read of its changes, and those of others are not', async () => {
      const stores = await prepare();
      await stores.db.write('UPDATE job SET run_at = :later RETURNING key', { later: NOW + 800_123 });
      await stores.changes.follow({ clientId: 'acme', userId: 'nobody' }, NOW);
      await stores.changes.follow({ clientId: 'other', userId: 'ada' }, NOW);
      assert.equal(await nextRun(stores.db), NOW + 800_123);

      await stores.changes.follow({ clientId: 'acme', userId: 'ada' }, NOW);
      const soon = await nextRun(stores.db);
      assert.ok(soon !== undefined && soon >= NOW && soon < NOW + 60_000);
    });

    it('are none that are not their user’s yet', async () => {
      const stores = await prepare();
      await stores.clients.updateClient('acme', { webhookUrl }, { now: NOW, by: undefined });
      await stores.db.write('UPDATE account_group SET expires_at = 9e15 RETURNING group_id');

      assert.equal(await followed(stores), false);
      assert.equal(await stores.followed.syncFacts('nobody'), undefined);
    });

    it('come into the quicker rhythm within a minute of the webhook URL, and none is put off', async () => {
      const stores = await prepare();
      const runAt = () => nextRun(stores.db);
      await stores.db.write('UPDATE job SET run_at = :later RETURNING key', { later: NOW + 800_123 });
      await stores.clients.updateClient('acme', { webhookUrl }, { now: NOW, by: undefined });
      const soon = await runAt();
      assert.ok(soon !== undefined && soon >= NOW && soon < NOW + 60_000);
      const turn = await firstTurn(stores.db);
      assert.ok(turn !== undefined && turn <= soon);

      await stores.clients.updateClient('acme', { webhookUrl }, { now: NOW - 70_000, by: undefined });
      assert.ok(((await runAt()) ?? 0) <= soon);
    });

    for (const [heard, expected] of [
      [webhookUrl, NOW + 5],
      [undefined, NOW + 800_000],
    ] as const)
      it(`are looked at at once when they become their user’s, ${heard ? 'where somebody' : 'and not where nobody'} waits`, async () => {
        const { db, clients, codes } = await prepare();
        if (heard) await clients.updateClient('acme', { webhookUrl: heard }, { now: NOW, by: undefined });
        await db.write('UPDATE account_group SET expires_at = 9e15 RETURNING group_id');
        await db.write('UPDATE job SET run_at = :later RETURNING key', { later: NOW + 800_000 });
        await makeCode(db, 'ada');
        await db.write('UPDATE token_family SET finishes = 1');
        const [code] = await codes.findCodes('acme', 'ada');
        assert.ok(code);

        await codes.redeemCode(presentedOf(code), NOW + 5);

        assert.equal(await nextRun(db), expected);
      });
  });
});

const nextRun = async (db: Database): Promise<number | undefined> =>
  (await db.get<{ at: number }>("SELECT run_at AS at FROM job WHERE kind = 'sync-account'"))?.at;

const firstTurn = async (db: Database): Promise<number | undefined> =>
  (await db.get<{ at: number }>('SELECT MIN(turn_at) AS "at" FROM job_turn WHERE kind = \'sync-account\''))
    ?.at;
