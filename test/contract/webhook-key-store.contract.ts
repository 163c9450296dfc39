/** What every WebhookKeyStore must do. Each database's test calls this with its own empty, migrated one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { webhookKeyStore } from '../../src/store/webhook-key-store.ts';
import type { FreshWebhookKey } from '../../src/webhooks/webhook-key-store.ts';
import { NOW, tenTimes } from './calendar-rows.ts';

const key = (keyId: string, activatedAt = NOW): FreshWebhookKey => ({
  keyId,
  publicKey: `public ${keyId}`,
  sealed: `sealed ${keyId}`,
  activatedAt,
});

const HOUR = 3_600_000;

export function webhookKeyStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`WebhookKeyStore on ${database}`, () => {
    it('a first webhook key is added once, however many are at once', async () => {
      const keys = webhookKeyStore(await open());

      await tenTimes((i) => keys.addFirstWebhookKey(key(`k${i}`)));

      const [only, ...others] = await keys.listWebhookKeys(NOW);
      assert.deepEqual(only, { ...key(only?.keyId ?? ''), status: 'active', retiresAt: undefined });
      assert.equal(others.length, 0);
    });

    it('a webhook key that was rotated goes on until it retires, behind the active one', async () => {
      const keys = webhookKeyStore(await open());
      await keys.addFirstWebhookKey(key('a'));
      await keys.rotateWebhookKeys(key('b', NOW + 1), NOW + HOUR);
      await keys.rotateWebhookKeys(key('c', NOW + 2), NOW + 2 * HOUR);

      const listed = await keys.listWebhookKeys(NOW + HOUR - 1);

      assert.deepEqual(listed, [
        { ...key('c', NOW + 2), status: 'active', retiresAt: undefined },
        { ...key('b', NOW + 1), status: 'previous', retiresAt: NOW + 2 * HOUR },
        { ...key('a'), status: 'previous', retiresAt: NOW + HOUR },
      ]);
      assert.deepEqual(await idsAt(keys, NOW + HOUR), ['c', 'b']);
      assert.deepEqual(await idsAt(keys, NOW + 2 * HOUR), ['c']);
    });

    it('each of ten concurrent rotations of webhook keys is a whole one', async () => {
      const keys = webhookKeyStore(await open());
      await keys.addFirstWebhookKey(key('a'));

      await tenTimes((i) => keys.rotateWebhookKeys(key(`r${i}`), NOW + HOUR));

      const statuses = (await keys.listWebhookKeys(NOW)).map(({ status }) => status);
      assert.deepEqual(statuses, ['active', ...Array.from({ length: 10 }, () => 'previous')]);
    });

    it('only webhook keys that have retired are deleted', async () => {
      const keys = webhookKeyStore(await open());
      await keys.addFirstWebhookKey(key('a'));
      await keys.rotateWebhookKeys(key('b'), NOW + HOUR);
      await keys.rotateWebhookKeys(key('c'), NOW + 2 * HOUR);

      assert.equal(await keys.deleteRetiredWebhookKeys(NOW + HOUR + 1), 1);
      assert.equal(await keys.deleteRetiredWebhookKeys(NOW + HOUR + 1), 0);

      assert.deepEqual(await idsAt(keys, NOW), ['c', 'b']);
    });
  });
}

const idsAt = async (keys: ReturnType<typeof webhookKeyStore>, now: number): Promise<string[]> =>
  (await keys.listWebhookKeys(now)).map(({ keyId }) => keyId);
