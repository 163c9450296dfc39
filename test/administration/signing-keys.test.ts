/** The operations on the keys that sign tokens and deliveries, besides what the matrix tests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase } from '../harness/databases.ts';
import { ENVIRONMENT_KEY as key, NOW, openAdministrationApp } from './administration-app.ts';

const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;
const at = (instant: number) => new Date(instant).toISOString();

onEachDatabase((database, open) => {
  const opened = async () => openAdministrationApp(await open());

  it(`a rotation of the deployment's webhook keys returns the new key, and no private one, on ${database}`, async () => {
    const { app, send, stores } = await opened();
    const { document } = await send('post', '/webhook-keys/rotate', { key, body: {} });
    const [active, previous] = await stores.webhookKeys.listWebhookKeys(NOW);
    const retires = at(NOW + WEEK);
    assert.deepEqual(document, { id: active?.keyId, client_id: null, previous_retires_at: retires });
    assert.equal(previous?.retiresAt, NOW + WEEK);
    const { document: soon } = await send('post', '/webhook-keys/rotate', {
      key,
      body: { overlap_hours: 1 },
    });
    assert.equal(soon.previous_retires_at, at(NOW + HOUR));
    await app.close();
  });

  it(`an application gets its own webhook keys, rotates them and gives them up, on ${database}`, async () => {
    const { app, send } = await opened();
    const path = '/applications/acme/webhook-keys';
    const instance = await send('post', `${path}/rotate`, { key, body: {} });
    assert.deepEqual([instance.status, instance.document.code], [409, 'instance_keys']);
    const choose = async (body: object) => (await send('patch', path, { key, body })).document;
    const own = { client_id: 'acme', own_webhook_keys: true, overlap_until: at(NOW + WEEK) };
    assert.deepEqual(await choose({ own_webhook_keys: true }), own);
    const { document } = await send('post', `${path}/rotate`, { key, body: { overlap_hours: 2 } });
    assert.match(String(document.id), /^whk_/);
    assert.deepEqual([document.client_id, document.previous_retires_at], ['acme', at(NOW + 2 * HOUR)]);
    assert.equal((await send('get', '/applications/acme', { key })).document.own_webhook_keys, true);
    const none = { client_id: 'acme', own_webhook_keys: false, overlap_until: null };
    assert.deepEqual(await choose({ own_webhook_keys: false, overlap_hours: 0 }), none);
    assert.equal((await choose({})).code, 'invalid_request');
    for (const [method, more] of [
      ['patch', ''],
      ['post', '/rotate'],
    ] as const) {
      const body = method === 'patch' ? { own_webhook_keys: true } : {};
      const { document } = await send(method, `/applications/none/webhook-keys${more}`, { key, body });
      assert.equal(document.code, 'not_there');
    }
    await app.close();
  });

  it(`a rotation of the signing keys returns the id of the key that signs next, on ${database}`, async () => {
    const { app, send, stores } = await opened();
    const { document } = await send('post', '/signing-keys/rotate', { key, body: {} });
    const active = (await stores.signingKeys.listSigningKeys()).find(({ status }) => status === 'active');
    assert.deepEqual(document, { kid: active?.kid, algorithm: active?.algorithm });
    await app.close();
  });

  it(`a developer rotates no keys that sign, also not those of its application, on ${database}`, async () => {
    const { app, send, createKey } = await opened();
    const developer = (await createKey('developer')).secret;
    for (const path of [
      '/signing-keys/rotate',
      '/webhook-keys/rotate',
      '/applications/acme/webhook-keys/rotate',
    ])
      assert.equal((await send('post', path, { key: developer, body: {} })).document.code, 'not_allowed');
    await app.close();
  });
});
