/** Contract tests for SubscriptionStore. Each database's test calls them with its own `open`. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { createSealer } from '../../src/lib/sealing.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { NOW } from './calendar-rows.ts';
import { makeAccount, makeCalendars } from './grant-rows.ts';

export function subscriptionStoreContract(database: string, open: () => Promise<Database>): void {
  const user = { clientId: 'acme', userId: 'ada' };
  const prepare = async (calendars = 1) => {
    const db = await open();
    const { subscriptions } = openStores(db, { sealer: createSealer(randomBytes(32)) });
    await makeCalendars(db, Array(calendars).fill(NOW));
    return { db, subscriptions };
  };
  const chosen = (calendarKey: string, channelId?: string) => ({
    ...user,
    calendarKey,
    channelId,
    expiresAt: undefined,
  });

  describe(`SubscriptionStore on ${database}`, () => {
    it('gives one channel id to exactly one of ten calendars', async () => {
      const { subscriptions } = await prepare(10);

      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => subscriptions.subscribe(chosen(`c${index}`, 'mine'), NOW)),
      );

      assert.equal(answers.filter((answer) => answer === 'taken').length, 9);
      assert.equal((await subscriptions.listSubscriptions('acme', 'ada')).length, 1);
    });

    it('keeps what was chosen where the next call chooses nothing', async () => {
      const { subscriptions } = await prepare();
      await subscriptions.subscribe(chosen('c0', 'mine'), NOW);

      const answer = await subscriptions.subscribe(chosen('c0'), NOW + 1);

      assert.deepEqual(answer, { calendarKey: 'c0', channelId: 'mine', expiresAt: undefined, ended: false });
    });

    it('a channel id stays with its calendar when that chooses it again', async () => {
      const { subscriptions } = await prepare();
      await subscriptions.subscribe(chosen('c0', 'mine'), NOW);

      assert.notEqual(await subscriptions.subscribe(chosen('c0', 'mine'), NOW + 1), 'taken');
    });

    it('a channel id is free again once its calendar is not followed', async () => {
      const { subscriptions } = await prepare(2);
      await subscriptions.subscribe(chosen('c0', 'mine'), NOW);
      await subscriptions.unsubscribe({ ...user, calendarKey: 'c0' }, NOW);

      assert.notEqual(await subscriptions.subscribe(chosen('c1', 'mine'), NOW), 'taken');
      const all = await subscriptions.listSubscriptions('acme', 'ada');
      assert.deepEqual(all.map(({ calendarKey, ended }) => `${calendarKey} ${ended}`).sort(), [
        'c0 true',
        'c1 false',
      ]);
    });

    it("does nothing to a calendar that is gone or another user's", async () => {
      const { db, subscriptions } = await prepare();
      await makeAccount(db, 'acme', 'ben');
      await subscriptions.unsubscribe({ ...user, userId: 'ben', calendarKey: 'c0' }, NOW);
      await subscriptions.unsubscribe({ ...user, calendarKey: 'none' }, NOW);

      assert.equal(await subscriptions.subscribe(chosen('none'), NOW), 'gone');
      assert.equal(await subscriptions.subscribe({ ...chosen('c0'), userId: 'ben' }, NOW), 'gone');
      assert.deepEqual(await subscriptions.listSubscriptions('acme', 'ada'), []);
      assert.deepEqual(await subscriptions.listSubscriptions('acme', 'ben'), []);
    });

    it('knows whether the application has an endpoint', async () => {
      const { db, subscriptions } = await prepare();
      assert.equal(await subscriptions.hasEndpoint('acme'), false);
      await db.write(
        `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at)
         VALUES ('we_acme', 'acme', 'https://hook.example/', 'https://hook.example/', 1, 0) RETURNING client_id`,
      );

      assert.equal(await subscriptions.hasEndpoint('acme'), true);
    });
  });
}
