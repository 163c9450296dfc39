/** `ETag` and `If-Match` of applications and their branding, on two instances with one database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { migrate } from '../../src/store/drivers/migrate.ts';
import { connect, onEachDatabase } from '../harness/databases.ts';
import { ENVIRONMENT_KEY as key, NOW, openAdministrationApp } from './administration-app.ts';

onEachDatabase((database, open, place) => {
  describe(`versions of applications on ${database}`, () => {
    it('each change of settings, branding, provider apps, keys and secrets has a new ETag', async () => {
      const { app, send, stores, by } = await openAdministrationApp(await open());
      const etag = async () => String((await send('get', '/applications/acme', { key })).headers.etag);
      const branding = async () => (await send('get', '/applications/acme/branding', { key })).headers.etag;
      const tags = [await etag()];
      for (const [method, path, body] of [
        ['patch', '/applications/acme', { name: 'Other' }],
        ['patch', '/applications/acme/branding', { theme: 'dark' }],
        ['post', '/applications/acme/provider-apps/google', { app_client_id: 'a', client_secret: 's' }],
        ['delete', '/applications/acme/provider-apps/google', undefined],
        ['post', '/applications/acme/secrets/rotate', {}],
        ['post', '/applications/acme/verification/submit', {}],
      ] as const) {
        const { status } = await send(method, path, { key, body });
        assert.equal(status, 200, path);
        assert.equal(await branding(), await etag());
        tags.push(await etag());
      }
      await stores.webhookKeys.switchWebhookKeys({ clientId: 'acme', keys: 'own', overlapUntil: NOW, by });
      tags.push(await etag());
      const versions = tags.map((tag) => Number(/^"(\d+)"$/.exec(tag)?.[1]));
      assert.deepEqual(versions, [...new Set(versions)].sort());
      await app.close();
    });

    it('a change with an old, weak or unknown version is refused and changes nothing', async () => {
      const { app, send } = await openAdministrationApp(await open());
      const { headers } = await send('get', '/applications/acme', { key });
      const patch = async (path: string, body: object, ifMatch: string) => {
        const sent = { key, body, headers: { 'if-match': ifMatch } };
        const { status, document, headers } = await send('patch', path, sent);
        return { status, code: document.code, etag: String(headers.etag) };
      };
      const first = await patch('/applications/acme', { name: 'New' }, String(headers.etag));
      assert.equal(first.status, 200);
      for (const tag of [String(headers.etag), `W/${first.etag}`, 'x', '"1", "2"'])
        for (const [path, body] of [
          ['/applications/acme', { name: 'Lost', support_url: 'https://lost.example' }],
          ['/applications/acme/branding', { theme: 'dark' }],
        ] as const) {
          const { status, code } = await patch(path, body, tag);
          assert.deepEqual([status, code], [412, 'changed_meanwhile'], `${path} ${tag}`);
        }
      const { document } = await send('get', '/applications/acme', { key });
      assert.deepEqual([document.name, document.support_url], ['New', null]);
      assert.equal((await patch('/applications/acme/branding', { theme: 'dark' }, first.etag)).status, 200);
      assert.equal((await patch('/applications/acme', { name: 'Last' }, '*')).status, 200);
      await app.close();
    });

    it('of 50 changes with one ETag on two instances, one succeeds', async () => {
      const settings = await place();
      const [db, otherDb] = [connect(settings), connect(settings)];
      await migrate(db, Date.now, async () => {});
      const instances = [await openAdministrationApp(db), await openAdministrationApp(otherDb)] as const;
      // Requests of one key wait for each other.
      const keys = [key, (await instances[0].createKey('owner')).secret];
      for (const path of ['/applications/acme', '/applications/acme/branding']) {
        const { headers } = await instances[0].send('get', path, { key });
        const isBranding = path.endsWith('branding');
        const patches = Array.from({ length: 50 }, async (_, i) => {
          const body = isBranding
            ? { primary_color: `#0000${10 + i}` }
            : { name: `Name ${i}`, terms_url: '' };
          const sent = { key: keys[i % 4 < 2 ? 0 : 1], body, headers: { 'if-match': String(headers.etag) } };
          return (await (i % 2 === 0 ? instances[0] : instances[1]).send('patch', path, sent)).status;
        });
        const statuses = (await Promise.all(patches)).toSorted();
        assert.deepEqual(statuses, [200, ...Array.from({ length: 49 }, () => 412)]);
      }
      await Promise.all(instances.map(({ app }) => app.close()));
      await Promise.all([db.close(), otherDb.close()]);
    });

    it('If-Match is refused where there is no ETag', async () => {
      const { app, send } = await openAdministrationApp(await open());
      const headers = { 'if-match': '"1"' };
      const { status } = await send('delete', '/applications/acme', { key, headers });
      assert.equal(status, 400);
      await app.close();
    });
  });
});
