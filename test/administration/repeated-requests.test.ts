/** Repeated POSTs of the administration API with an Idempotency-Key, and what is stored of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ADMIN_OPERATIONS } from '../../src/administration/operations/operations.ts';
import { adminDocument } from '../../src/api-reference/admin-document.ts';
import { onEachDatabase, onSqlite } from '../harness/databases.ts';
import { ENVIRONMENT_KEY, NOW, openAdministrationApp } from './administration-app.ts';

const key = ENVIRONMENT_KEY;
const LEASE_MS = 90_000;
const APPLICATION = { name: 'New', redirect_uri: 'https://new.example/cb' };
const ROTATE = '/applications/acme/secrets/rotate';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><circle cx="4" cy="4" r="4"/>';
const keyed = (idempotencyKey: string, more: Readonly<Record<string, string>> = {}) => ({
  headers: { 'idempotency-key': idempotencyKey, ...more },
});

onEachDatabase((database, open) => {
  const opened = async () => {
    const at = await openAdministrationApp(await open());
    const countNew = async () =>
      (await at.stores.clients.listClients()).filter(({ name }) => name === 'New').length;
    return { ...at, countNew };
  };

  describe(`a repeated POST on ${database}`, () => {
    it('of 20 concurrent ones with one key, one creates the application, and all get its response', async () => {
      const { app, send, createKey, countNew } = await opened();
      const { secret } = await createKey('owner');
      const responses = await Promise.all(
        Array.from({ length: 20 }, () =>
          send('post', '/applications', { key: secret, body: APPLICATION, ...keyed('one') }),
        ),
      );
      const [first] = responses;
      assert.match(String(first?.document.client_secret), /^kalends_/);
      for (const { status, document } of responses)
        assert.deepEqual([status, document], [201, first?.document]);
      assert.equal(await countNew(), 1);
      await app.close();
    });

    it('a rotation happens once for each key', async () => {
      const { app, send, stores } = await opened();
      const rotate = async (idempotencyKey: string) =>
        (await send('post', ROTATE, { key, body: {}, ...keyed(idempotencyKey) })).document.client_secret;
      const [first, second] = [await rotate('one'), await rotate('two')];
      assert.notEqual(first, second);
      assert.deepEqual([await rotate('one'), await rotate('two')], [first, second]);
      const entries = await stores.audit.listEntries({ action: 'client.secret_rotated' }, { limit: 9 });
      assert.equal(entries.length, 2);
      await app.close();
    });

    it('after a crash between the change and the response, a repetition is refused and changes nothing', async () => {
      const { app, deps, send, clock, countNew } = await opened();
      const { keepAnswer, release } = deps.adminRequests;
      const crash = async () => Promise.reject(new Error('The process was killed'));
      Object.assign(deps.adminRequests, { keepAnswer: crash, release: crash });
      const post = () => send('post', '/applications', { key, body: APPLICATION, ...keyed('one') });
      assert.equal((await post()).status, 500);
      Object.assign(deps.adminRequests, { keepAnswer, release });

      clock.now += LEASE_MS;
      for (let i = 0; i < 2; i++) {
        const { status, document } = await post();
        assert.deepEqual([status, document.code], [409, 'response_lost']);
      }
      assert.equal(await countNew(), 1);
      await app.close();
    });

    it('after a failure before the change, a repetition makes the change', async () => {
      const { app, deps, send, countNew } = await opened();
      const { createClient } = deps.clients;
      const post = () => send('post', '/applications', { key, body: APPLICATION, ...keyed('one') });
      Object.assign(deps.clients, { createClient: async () => Promise.reject(new Error('No database')) });
      assert.equal((await post()).status, 500);
      Object.assign(deps.clients, { createClient });

      assert.equal((await post()).status, 201);
      assert.equal((await post()).status, 201);
      assert.equal(await countNew(), 1);
      await app.close();
    });

    it('a change by a run whose request was claimed again is undone', async () => {
      const { app, deps, send, clock, countNew } = await opened();
      const { createClient } = deps.clients;
      const post = () => send('post', '/applications', { key, body: APPLICATION, ...keyed('one') });
      const [stalled, resume] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      Object.assign(deps.clients, {
        async createClient(...args: Parameters<typeof createClient>) {
          stalled.resolve();
          await resume.promise;
          return createClient.apply(deps.clients, args);
        },
      });
      const slow = post();
      await stalled.promise;
      Object.assign(deps.clients, { createClient });
      clock.now += LEASE_MS;
      const { document } = await post();
      resume.resolve();

      assert.equal((await slow).status, 500);
      assert.deepEqual((await post()).document, document);
      assert.equal(await countNew(), 1);
      await app.close();
    });
  });
});

onSqlite((open) => {
  const opened = async () => openAdministrationApp(await open());

  it('another body, path, type or If-Match with the same key is refused', async () => {
    const { app, send } = await opened();
    const rotate = (path: string, body: object, headers = {}) =>
      send('post', path, { key, body, ...keyed('one', headers) });
    assert.equal((await rotate(ROTATE, { overlap_hours: 1 })).status, 200);
    for (const other of [
      await rotate(ROTATE, { overlap_hours: 2 }),
      await rotate(ROTATE, {}),
      await rotate('/applications/other/secrets/rotate', { overlap_hours: 1 }),
      await rotate(ROTATE, { overlap_hours: 1 }, { accept: 'application/vnd.kalends.command+json' }),
      await rotate(ROTATE, { overlap_hours: 1 }, { 'if-match': '"1"' }),
    ])
      assert.deepEqual([other.status, other.document.code], [422, 'idempotency_key_reused']);
    await app.close();
  });

  it('a repetition has the status and type of the first response, as a command too', async () => {
    const { app, send } = await opened();
    const command = { accept: 'application/vnd.kalends.command+json' };
    const rotate = () => app.inject({ ...request, headers: { ...request.headers, ...command } });
    const request = {
      ...{ method: 'POST', url: `/admin/v1${ROTATE}`, payload: {} },
      headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'one' },
    } as const;
    const [first, second] = [await rotate(), await rotate()];
    assert.match(first.json().text, /kalends_/);
    assert.equal(second.body, first.body);
    assert.equal(second.headers['content-type'], 'application/vnd.kalends.command+json; charset=utf-8');
    const logo = { picture: Buffer.from(`${SVG}</svg>`).toString('base64') };
    const set = () => send('post', '/applications/acme/logos/dark', { key, body: logo, ...keyed('logo') });
    const { status, headers } = await set();
    assert.deepEqual([status, (await set()).headers.etag], [200, headers.etag]);
    assert.match(String(headers.etag), /^"\d+"$/);
    await app.close();
  });

  it('a logo of 5 MB is repeated as fast as it is sent', async () => {
    const { app } = await opened();
    const send = (payload: Buffer) =>
      app.inject({
        ...{ method: 'POST', url: '/admin/v1/applications/acme/logos/dark', payload },
        headers: { authorization: `Bearer ${key}`, 'content-type': 'image/svg+xml', 'idempotency-key': 'l' },
      });
    const svg = (size: number) => Buffer.from(`${SVG}<!--${'x'.repeat(size)}--></svg>`);
    const [one, other] = [svg(4_000_000), svg(4_000_001)];
    const first = await send(one);
    assert.equal(first.statusCode, 200, first.body);
    assert.equal((await send(one)).body, first.body);
    assert.equal((await send(other)).statusCode, 422);
    await app.close();
  });

  it('a response is never replayed to another key, or to a key that was revoked or has expired', async () => {
    const { app, send, createKey, stores, by, clock } = await opened();
    const [one, two] = [await createKey('owner'), await createKey('owner')];
    const rotate = async (secret: string) =>
      send('post', ROTATE, { key: secret, body: {}, ...keyed('shared') });
    const first = (await rotate(one.secret)).document.client_secret;
    assert.notEqual((await rotate(two.secret)).document.client_secret, first);
    assert.equal((await rotate(one.secret)).document.client_secret, first);

    await stores.adminKeys.removeKey(one.key.keyId, by);
    assert.deepEqual((await rotate(one.secret)).document.code, 'invalid_admin_key');
    clock.now = NOW + 3_600_000;
    assert.deepEqual((await rotate(two.secret)).document.code, 'invalid_admin_key');
    await app.close();
  });

  it('a developer gets no response for an application that its key does not have', async () => {
    const { app, send, createKey } = await opened();
    const { secret } = await createKey('developer');
    const rotate = (client: string) =>
      send('post', `/applications/${client}/secrets/rotate`, { key: secret, body: {}, ...keyed('one') });
    assert.equal((await rotate('acme')).status, 200);
    assert.equal((await rotate('other')).status, 404);
    await app.close();
  });

  it('an error response is not stored, so the corrected request can have the same key', async () => {
    const { app, send, db } = await opened();
    const create = (body: object) => send('post', '/applications', { key, body, ...keyed('one') });
    assert.equal((await create({ ...APPLICATION, redirect_uri: 'none' })).status, 400);
    assert.equal((await create({ ...APPLICATION, nam: 'x' })).status, 400);
    assert.deepEqual(await db.all('SELECT * FROM admin_request'), []);
    assert.equal((await create(APPLICATION)).status, 201);
    await app.close();
  });

  it('secrets and the Idempotency-Key are in no column and no log', async () => {
    const { app, send, db, entries } = await opened();
    const request = { key, body: APPLICATION, ...keyed('canary of a key') };
    const { document } = await send('post', '/applications', request);
    const stored = JSON.stringify([await db.storedRows('SELECT * FROM admin_request'), entries]);
    assert.ok(!stored.includes(String(document.client_secret)));
    assert.doesNotMatch(stored, /canary/);
    await app.close();
  });

  it('a key that is too long is refused, and other methods ignore it', async () => {
    const { app, send } = await opened();
    const long = await send('post', ROTATE, { key, body: {}, ...keyed('k'.repeat(256)) });
    assert.deepEqual([long.status, Object.keys(Object(long.document.details))], [400, ['Idempotency-Key']]);
    for (const name of ['A', 'B']) {
      const patched = await send('patch', '/applications/acme', { key, body: { name }, ...keyed('one') });
      assert.equal(patched.document.name, name);
    }
    await app.close();
  });

  it('the document has the header for each POST and for nothing else', () => {
    const { paths } = adminDocument('https://kalends.example');
    for (const { method, path } of ADMIN_OPERATIONS) {
      const { parameters = [], responses } = paths[`/admin/v1${path}`]?.[method] ?? assert.fail(path);
      const hasHeader = parameters.some(({ name }) => name === 'Idempotency-Key');
      assert.equal(hasHeader, method === 'post', path);
      if (hasHeader) assert.match(JSON.stringify(responses['409']), /response_lost/);
    }
  });
});
