/** The operations on webhook endpoints, besides what the matrix tests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onEachDatabase } from '../harness/databases.ts';
import { ENVIRONMENT_KEY as key, openAdministrationApp } from './administration-app.ts';

const HOOK = 'https://acme.example/hook';

onEachDatabase((database, open) => {
  /** Opens the API with an endpoint of `acme`. */
  const opened = async () => {
    const administration = await openAdministrationApp(await open());
    const body = { url: `${HOOK}?token=canary`, hears: ['events', 'own'] };
    const added = await administration.send('post', '/applications/acme/endpoints', { key, body });
    assert.equal(added.status, 201, JSON.stringify(added.document));
    const { endpoint_id: id, secret } = added.document;
    return { ...administration, path: `/endpoints/${id}`, id: String(id), secret: String(secret) };
  };

  it(`an endpoint is shown as in its list, without its secret, on ${database}`, async () => {
    const { app, send, path, secret } = await opened();
    const { document } = await send('get', path, { key });
    const { document: list } = await send('get', '/applications/acme/endpoints', { key });
    assert.match(secret, /^whsec_/);
    assert.deepEqual(list, { endpoints: [document], next: null });
    assert.deepEqual(document.hears, ['events', 'own']);
    assert.ok(!JSON.stringify(list).includes(secret));
    await app.close();
  });

  it(`a viewer reads no query of a URL, which can be a secret, on ${database}`, async () => {
    const { app, send, path, createKey } = await opened();
    const viewer = (await createKey('viewer')).secret;
    for (const at of [path, '/endpoints', '/applications/acme/endpoints']) {
      const { status, document } = await send('get', at, { key: viewer });
      assert.equal(status, 200);
      assert.doesNotMatch(JSON.stringify(document), /canary/);
    }
    await app.close();
  });

  it(`a developer of another application gets the response of an unknown endpoint, on ${database}`, async () => {
    const { app, send, path, createKey } = await opened();
    const other = (await createKey('developer', { clientIds: ['other'] })).secret;
    for (const [method, action, body] of [
      ['get', ''],
      ['patch', '', { hears: ['events'] }],
      ['delete', ''],
      ['delete', '?dry_run=true'],
      ...['/pause', '/resume', '/test', '/secrets/rotate'].map((name) => ['post', name, {}] as const),
    ] as const) {
      const foreign = await send(method, path + action, { key: other, body });
      const unknown = await send(method, `/endpoints/we_unknown${action}`, { key: other, body });
      assert.deepEqual([foreign.status, foreign.document.code], [404, 'not_there'], method + action);
      assert.deepEqual(unknown.document, foreign.document);
    }
    assert.deepEqual((await send('get', '/endpoints', { key: other })).document.endpoints, []);
    assert.equal((await send('get', path, { key })).document.state, 'active');
    await app.close();
  });

  it(`a change keeps absent fields, and refuses a topic that does not exist, on ${database}`, async () => {
    const { app, send, path, id } = await opened();
    const change = async (body: object) => (await send('patch', path, { key, body })).document;
    const moved = { endpoint_id: id, url: `${HOOK}/2`, hears: ['events', 'own'] };
    assert.deepEqual(await change({ url: `${HOOK}/2` }), moved);
    assert.deepEqual(await change({ hears: ['calendars'] }), { ...moved, hears: ['calendars'] });
    for (const body of [{ hears: [] }, { hears: ['own'] }, { hears: ['all', 'events'] }, { hears: 'events' }])
      assert.equal((await change(body)).code, 'invalid_request', JSON.stringify(body));
    assert.equal((await change({ url: 'http://acme.example/' })).code, 'invalid_client_metadata');
    assert.deepEqual((await send('get', path, { key })).document.hears, ['calendars']);
    await app.close();
  });

  it(`only an owner may use the address of another application, on ${database}`, async () => {
    const { app, send, createKey } = await opened();
    const developer = (await createKey('developer', { clientIds: ['other'] })).secret;
    const add = async (sender: string, share: boolean) => {
      const body = { url: HOOK, share_address: share };
      const { status, document } = await send('post', '/applications/other/endpoints', { key: sender, body });
      return `${status} ${document.code}`;
    };
    assert.equal(await add(developer, true), '409 address_in_use');
    assert.equal(await add(key, false), '409 address_in_use');
    assert.equal(await add(key, true), '201 undefined');
    const body = { url: 'https://10.0.0.1/hook' };
    const { document } = await send('post', '/applications/other/endpoints', { key: developer, body });
    assert.equal(document.code, 'invalid_client_metadata');
    assert.equal((await send('post', '/applications/none/endpoints', { key, body })).status, 404);
    await app.close();
  });

  it(`an endpoint is paused, resumed, tested and removed, on ${database}`, async () => {
    const { app, send, sent, path, id } = await opened();
    const act = async (action: string) => (await send('post', path + action, { key, body: {} })).document;
    assert.deepEqual(await act('/pause'), { endpoint_id: id, state: 'paused' });
    assert.equal((await send('get', path, { key })).document.state, 'paused');
    assert.deepEqual(await act('/resume'), { endpoint_id: id, state: 'active' });
    const { ok, status, fault } = await act('/test');
    assert.deepEqual([ok, status, fault, sent], [true, 204, null, [`${HOOK}?token=canary`]]);
    const remove = async (query = '') => (await send('delete', path + query, { key })).document;
    assert.deepEqual(await remove('?dry_run=true'), { removed: false, endpoint_id: id, waiting: 0 });
    assert.deepEqual(await remove(), { removed: true, endpoint_id: id });
    assert.equal((await send('get', path, { key })).status, 404);
    await app.close();
  });

  it(`a rotation returns the new secret once, beside which the previous one signs, on ${database}`, async () => {
    const { app, send, path, id, secret, stores } = await opened();
    const { document } = await send('post', `${path}/secrets/rotate`, { key, body: { overlap_hours: 1 } });
    assert.notEqual(document.secret, secret);
    const secrets = (await stores.endpoints.secretsOf(id))?.map((one) => one.secret);
    assert.deepEqual(secrets, [document.secret, secret]);
    await app.close();
  });

  it(`the webhook URL of an application is changed with the application alone, on ${database}`, async () => {
    const { app, send } = await opened();
    await send('patch', '/applications/other', { key, body: { webhook_url: 'https://other.example/' } });
    const first = '/endpoints/we_other';
    const codes = [
      await send('patch', first, { key, body: { url: HOOK } }),
      await send('delete', first, { key }),
      await send('delete', `${first}?dry_run=true`, { key }),
    ].map(({ status, document }) => `${status} ${document.code}`);
    assert.deepEqual(codes, Array(3).fill('409 is_webhook_url'));
    await app.close();
  });

  it(`a listener can be neither tested nor changed, on ${database}`, async () => {
    const { app, send, stores, clock } = await opened();
    const hears = { events: true, calendars: false, connections: false, own: false };
    const listener = { endpointId: 'we_listener', clientId: 'acme', url: HOOK, hears, secret: 'whsec_x' };
    await stores.endpoints.addListener({ ...listener, createdAt: clock.now }, clock.now + 60_000, 9);
    const test = await send('post', '/endpoints/we_listener/test', { key, body: {} });
    const change = await send('patch', '/endpoints/we_listener', { key, body: { hears: ['events'] } });
    assert.deepEqual([test.document.code, change.document.code], ['is_listener', 'is_listener']);
    await app.close();
  });

  it(`lists are read page by page, with every endpoint once, on ${database}`, async () => {
    const { app, send } = await opened();
    for (const clientId of ['acme', 'other'])
      for (const number of [1, 2, 3]) {
        const body = { url: `https://${clientId}.example/${number}` };
        await send('post', `/applications/${clientId}/endpoints`, { key, body });
      }
    const read = async (path: string, limit: number) => {
      const listed: unknown[] = [];
      for (let after = ''; ; ) {
        const { document } = await send('get', `${path}?limit=${limit}${after}`, { key });
        const { endpoints, next } = document as { endpoints: object[]; next: string | null };
        assert.ok(endpoints.length <= limit);
        listed.push(...endpoints);
        if (next === null) return listed;
        after = `&after=${encodeURIComponent(next)}`;
      }
    };
    for (const [path, count] of [
      ['/endpoints', 7],
      ['/applications/acme/endpoints', 4],
    ] as const) {
      const whole = await read(path, 200);
      assert.equal(whole.length, count);
      for (const limit of [1, 2]) assert.deepEqual(await read(path, limit), whole);
      assert.equal((await send('get', `${path}?after=we_x`, { key })).document.code, 'invalid_request');
    }
    await app.close();
  });
});
