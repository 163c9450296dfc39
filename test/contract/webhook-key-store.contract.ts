/** Contract tests for WebhookKeyStore. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clientStore } from '../../src/store/applications/client-store.ts';
import { auditLog } from '../../src/store/audit/audit-log.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { webhookKeyStore } from '../../src/store/webhooks/webhook-key-store.ts';
import type { FreshWebhookKey } from '../../src/webhooks/webhook-key-store.ts';
import { makeUsers, NOW, tenTimes } from './calendar-rows.ts';

const key = (keyId: string, activatedAt = NOW, clientId = ''): FreshWebhookKey => ({
  clientId,
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

    it('a rotated webhook key is listed until it retires, behind the active one', async () => {
      const keys = webhookKeyStore(await open());
      await keys.addFirstWebhookKey(key('a'));
      await keys.rotateWebhookKeys(key('b', NOW + 1), NOW + HOUR, undefined);
      await keys.rotateWebhookKeys(key('c', NOW + 2), NOW + 2 * HOUR, undefined);

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

      await tenTimes((i) => keys.rotateWebhookKeys(key(`r${i}`), NOW + HOUR, undefined));

      const statuses = (await keys.listWebhookKeys(NOW)).map(({ status }) => status);
      assert.deepEqual(statuses, ['active', ...Array.from({ length: 10 }, () => 'previous')]);
    });

    it('only webhook keys that have retired are deleted', async () => {
      const keys = webhookKeyStore(await open());
      await keys.addFirstWebhookKey(key('a'));
      await keys.rotateWebhookKeys(key('b'), NOW + HOUR, undefined);
      await keys.rotateWebhookKeys(key('c'), NOW + 2 * HOUR, undefined);

      assert.equal(await keys.deleteRetiredWebhookKeys(NOW + HOUR + 1), 1);
      assert.equal(await keys.deleteRetiredWebhookKeys(NOW + HOUR + 1), 0);

      assert.deepEqual(await idsAt(keys, NOW), ['c', 'b']);
    });
  });

  describe(`ApplicationWebhookKeys on ${database}`, () => {
    /** Creates the application `acme` with its own keys and `other`, which uses the instance's. */
    const opened = async () => {
      const db = await open();
      await makeUsers(db);
      const names = { clientId: 'other', name: 'Other', displayName: undefined, webhookUrl: undefined };
      const other = { ...names, redirectUri: 'https://other.example/', createdAt: NOW };
      await clientStore(db).createClient(other, 'hash of other', undefined);
      const keys = webhookKeyStore(db);
      await keys.addFirstWebhookKey(key('instance'));
      await keys.switchWebhookKeys({ clientId: 'acme', keys: 'own', overlapUntil: NOW, by: undefined });
      return { db, keys };
    };
    const own = (keyId: string, activatedAt = NOW) => key(keyId, activatedAt, 'acme');

    it('the first key of an application is added once, by ten at once, beside the instance’s key', async () => {
      const { keys } = await opened();

      await tenTimes((i) => keys.addFirstWebhookKey(own(`k${i}`)));

      const listed = await keys.listWebhookKeys(NOW);
      assert.deepEqual(
        listed.map(({ clientId, status }) => [clientId, status]),
        [
          ['', 'active'],
          ['acme', 'active'],
        ],
      );
    });

    it('an application that uses the instance’s keys gets none, and one that does not exist either', async () => {
      const { keys } = await opened();

      for (const clientId of ['other', 'nobody']) {
        await keys.addFirstWebhookKey(key('k', NOW, clientId));
        assert.equal(await keys.rotateWebhookKeys(key('k', NOW, clientId), NOW, undefined), false);
      }

      assert.deepEqual(await idsAt(keys, NOW), ['instance']);
    });

    it('a rotation of an application’s keys leaves the keys of all others as they are', async () => {
      const { keys } = await opened();
      await keys.switchWebhookKeys({ clientId: 'other', keys: 'own', overlapUntil: NOW, by: undefined });
      await keys.addFirstWebhookKey(own('a'));
      await keys.addFirstWebhookKey(key('of-other', NOW, 'other'));

      assert.equal(await keys.rotateWebhookKeys(own('b', NOW + 1), NOW + HOUR, undefined), true);

      assert.deepEqual(await idsAt(keys, NOW), ['instance', 'b', 'a', 'of-other']);
      assert.deepEqual(await idsAt(keys, NOW + HOUR), ['instance', 'b', 'of-other']);
    });

    it('each of ten concurrent rotations of an application’s keys is a whole one', async () => {
      const { keys } = await opened();

      await tenTimes((i) => keys.rotateWebhookKeys(own(`r${i}`), NOW + HOUR, undefined));

      const statuses = (await keys.listWebhookKeys(NOW)).map(({ status }) => status);
      assert.deepEqual(statuses, ['active', 'active', ...Array.from({ length: 9 }, () => 'previous')]);
    });

    it('a retired key of an application is deleted with those of the instance', async () => {
      const { keys } = await opened();
      await keys.addFirstWebhookKey(own('a'));
      await keys.rotateWebhookKeys(own('b'), NOW + HOUR, undefined);
      await keys.rotateWebhookKeys(key('instance-2'), NOW + HOUR, undefined);

      assert.equal(await keys.deleteRetiredWebhookKeys(NOW + HOUR), 0);
      assert.equal(await keys.deleteRetiredWebhookKeys(NOW + HOUR + 1), 2);

      assert.deepEqual(await idsAt(keys, NOW), ['instance-2', 'b']);
    });

    it('a switch starts an overlap, and naming the same keys again can only end it earlier', async () => {
      const { keys } = await opened();
      const onUntil = async (overlapUntil: number) =>
        (await keys.switchWebhookKeys({ clientId: 'other', keys: 'own', overlapUntil, by: undefined }))
          ?.overlapUntil;

      assert.equal(await onUntil(NOW + HOUR), NOW + HOUR);
      assert.equal(await onUntil(NOW + 2 * HOUR), NOW + HOUR);
      assert.equal(await onUntil(NOW + 1), NOW + 1);

      const off = { clientId: 'other', keys: 'instance', overlapUntil: NOW + 2 * HOUR } as const;
      assert.deepEqual(await keys.switchWebhookKeys({ ...off, by: undefined }), off);
      assert.deepEqual(
        (await keys.listKeyUses('other')).map((use) => ({ ...use })),
        [off],
      );
      assert.equal(await keys.switchWebhookKeys({ ...off, clientId: 'nobody', by: undefined }), undefined);
    });

    it('of ten that switch at once, one leaves an entry in the audit log', async () => {
      const { db } = await opened();
      const by = { actor: { kind: 'system' }, address: undefined, now: () => NOW } as const;
      const keys = webhookKeyStore(db);

      await tenTimes(() => keys.switchWebhookKeys({ clientId: 'other', keys: 'own', overlapUntil: NOW, by }));

      assert.equal((await auditLog(db).listEntries({}, { limit: 10 })).length, 1);
    });

    it('the keys of an application go with it, and none is added afterwards', async () => {
      const { db, keys } = await opened();
      await keys.addFirstWebhookKey(own('a'));

      await clientStore(db).deleteClient('acme', NOW, undefined);
      await keys.addFirstWebhookKey(own('late'));

      assert.deepEqual(await idsAt(keys, NOW), ['instance']);
      assert.deepEqual(
        (await keys.listKeyUses()).map(({ clientId }) => clientId),
        ['other'],
      );
    });
  });
}

const idsAt = async (keys: ReturnType<typeof webhookKeyStore>, now: number): Promise<string[]> =>
  (await keys.listWebhookKeys(now)).map(({ keyId }) => keyId);
