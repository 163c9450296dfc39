/** Contract tests for ProviderAppStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';
import { rowsIn } from './grant-rows.ts';

const app = { clientId: 'id.apps.example', clientSecret: 'GOCSPX-canary' };

export function providerAppStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const { db, clients, providerApps: apps } = await openWithUsers(open);
    return { db, clients, apps };
  };

  describe(`ProviderAppStore on ${database}`, () => {
    it('an app is answered as it was set, to its application and for its provider only', async () => {
      const { apps } = await prepare();

      assert.equal(
        await apps.setProviderApp({ clientId: 'acme', kind: 'google' }, app, { now: NOW, by: undefined }),
        true,
      );

      assert.deepEqual({ ...(await apps.findProviderApp('acme', 'google')) }, app);
      assert.equal(await apps.findProviderApp('acme', 'microsoft'), undefined);
      assert.equal(await apps.findProviderApp('other', 'google'), undefined);
    });

    it('the secret of an app is kept sealed, for this application and provider alone', async () => {
      const { db, apps } = await prepare();
      await apps.setProviderApp({ clientId: 'acme', kind: 'google' }, app, { now: NOW, by: undefined });

      const [row] = await db.all<{ secret: string }>(
        'SELECT app_client_secret AS "secret" FROM provider_app',
      );
      await db.write("UPDATE provider_app SET provider = 'microsoft' RETURNING client_id");

      assert.doesNotMatch(String(row?.secret), /canary/);
      await assert.rejects(apps.findProviderApp('acme', 'microsoft'));
    });

    it('an app is replaced as a whole', async () => {
      const { apps } = await prepare();
      await apps.setProviderApp({ clientId: 'acme', kind: 'google' }, app, { now: NOW, by: undefined });
      const next = { clientId: 'next', clientSecret: 'two' };

      await apps.setProviderApp({ clientId: 'acme', kind: 'google' }, next, { now: NOW + 1, by: undefined });

      assert.deepEqual({ ...(await apps.findProviderApp('acme', 'google')) }, next);
    });

    it('one whole app is kept, however many are set at once', async () => {
      const { db, apps } = await prepare();

      await tenTimes((i) =>
        apps.setProviderApp(
          { clientId: 'acme', kind: 'google' },
          { clientId: `id${i}`, clientSecret: `secret${i}` },
          { now: NOW, by: undefined },
        ),
      );

      const stored = await apps.findProviderApp('acme', 'google');
      assert.equal(await rowsIn(db, 'provider_app'), 1);
      assert.equal(stored?.clientSecret, stored?.clientId.replace('id', 'secret'));
    });

    it('no app is set for an application that is not there', async () => {
      const { db, apps } = await prepare();

      assert.equal(
        await apps.setProviderApp({ clientId: 'nobody', kind: 'google' }, app, { now: NOW, by: undefined }),
        false,
      );
      assert.equal(await rowsIn(db, 'provider_app'), 0);
    });

    it('removing an app says whether there was one', async () => {
      const { apps } = await prepare();
      await apps.setProviderApp({ clientId: 'acme', kind: 'google' }, app, { now: NOW, by: undefined });

      const answers = [
        await apps.removeProviderApp('acme', 'google', undefined),
        await apps.removeProviderApp('acme', 'google', undefined),
      ];

      assert.deepEqual(answers, [true, false]);
      assert.equal(await apps.findProviderApp('acme', 'google'), undefined);
    });

    it('a list of apps has ids without secrets', async () => {
      const { apps } = await prepare();
      await apps.setProviderApp({ clientId: 'acme', kind: 'microsoft' }, app, { now: NOW, by: undefined });

      assert.deepEqual(await apps.listProviderApps('acme'), { microsoft: 'id.apps.example' });
      assert.deepEqual(await apps.listProviderApps('other'), {});
    });

    it('the apps of an application that is deleted are forgotten', async () => {
      const { db, clients, apps } = await prepare();
      await apps.setProviderApp({ clientId: 'acme', kind: 'google' }, app, { now: NOW, by: undefined });

      await clients.deleteClient('acme', NOW, undefined);

      assert.equal(await rowsIn(db, 'provider_app'), 0);
    });
  });
}
