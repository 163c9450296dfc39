/** The requests and responses of the administration API, and its limits. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { Role } from '../../src/people/person.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { onSqlite } from '../harness/databases.ts';
import { ENVIRONMENT_KEY, NOW, openAdministrationApp, USER } from './administration-app.ts';

const key = ENVIRONMENT_KEY;

onSqlite((open) => {
  const opened = async () => openAdministrationApp(await open());

  it('an unknown field is refused with the nearest known one', async () => {
    const { app, send } = await opened();
    const patched = await send('patch', '/applications/acme', { key, body: { display_nam: 'X' } });
    assert.deepEqual(
      [patched.status, patched.document.details],
      [400, { display_nam: ['display_nam is unknown: did you mean display_name?'] }],
    );
    assert.equal((await send('get', '/applications?limi=3', { key })).status, 400);
    assert.equal(
      (await send('post', '/applications/acme/secrets/rotate?x=1', { key, body: {} })).status,
      400,
    );
    await app.close();
  });

  it('an application is created, changed, shown and deleted', async () => {
    const { app, send } = await opened();
    const body = {
      name: 'New',
      redirect_uri: 'https://new.example/cb',
      webhook_url: 'https://new.example/hook',
    };
    const created = await send('post', '/applications', {
      key,
      body: { ...body, refresh_replay_window: 60 },
    });
    assert.equal(created.status, 201, JSON.stringify(created.document));
    const { client_id: id, client_secret, webhook_secret, ...shown } = created.document;
    assert.match(`${client_secret} ${webhook_secret}`, /^kalends_\w{43} whsec_/);
    assert.deepEqual([shown.name, shown.refresh_replay_window, shown.providers], ['New', 60, null]);

    const change = {
      name: 'Newer',
      webhook_url: '',
      providers: ['google'],
      support_email: 'help@new.example',
    };
    const changed = (await send('patch', `/applications/${id}`, { key, body: change })).document;
    assert.deepEqual(
      [changed.name, changed.webhook_url, changed.providers, changed.support_email, changed.redirect_uri],
      ['Newer', null, ['google'], 'help@new.example', body.redirect_uri],
    );
    const all = await send('patch', `/applications/${id}`, { key, body: { providers: [] } });
    assert.deepEqual([all.document.providers, all.document.name], [null, 'Newer']);

    assert.equal((await send('delete', `/applications/${id}`, { key })).document.deleted, true);
    assert.equal((await send('get', `/applications/${id}`, { key })).status, 404);
    await app.close();
  });

  it('all mistakes of an application are reported under their fields', async () => {
    const { app, send } = await opened();
    const body = { name: ' ', redirect_uri: 'ftp://x', webhook_url: 'no' };
    const { status, document } = await send('post', '/applications', { key, body });
    assert.deepEqual([status, document.code], [400, 'invalid_client_metadata']);
    assert.deepEqual(Object.keys(document.details as object).sort(), ['name', 'redirect_uri', 'webhook_url']);
    await app.close();
  });

  it('a dry run of a deletion returns counts and deletes nothing', async () => {
    const { app, send } = await opened();
    const { document } = await send('delete', '/applications/acme?dry_run=true', { key });
    assert.deepEqual(document, { deleted: false, client_id: 'acme', users: 1, accounts: 0, endpoints: 0 });
    const path = `/applications/acme/users/${USER}`;
    assert.equal((await send('delete', `${path}?dry_run=true`, { key })).document.deleted, false);
    assert.equal((await send('get', path, { key })).status, 200);

    assert.equal((await send('delete', path, { key })).document.deleted, true);
    assert.equal((await send('get', path, { key })).status, 404);
    await app.close();
  });

  it('a list is read in pages', async () => {
    const { app, send, stores } = await opened();
    for (const id of ['a', 'b', 'c']) await stores.users.loadOrCreateUser('acme', id, 1);
    const users: unknown[] = [];
    let after = '';
    for (let page = 0; page < 3; page++) {
      const { document } = await send('get', `/applications/acme/users?limit=2${after}`, { key });
      users.push(...(document.users as { user_id: string }[]).map(({ user_id }) => user_id));
      if (document.next === null) break;
      after = `&after=${encodeURIComponent(String(document.next))}`;
    }
    assert.deepEqual(users, ['a', 'b', 'c', USER]);

    const first = (await send('get', '/applications?limit=1', { key })).document;
    const second = (await send('get', `/applications?limit=1&after=${first.next}`, { key })).document;
    assert.deepEqual([first.next, second.next], ['acme', null]);
    for (const path of ['/applications?after=x', '/applications/acme/users?after=x', '/keys?limit=201'])
      assert.equal((await send('get', path, { key })).status, 400, path);
    await app.close();
  });

  it('names of users are masked for viewers, also in positions of lists', async () => {
    const { app, send, createKey, stores } = await opened();
    await stores.users.loadOrCreateUser('acme', 'zoe@example.com', 1);
    const viewer = (await createKey('viewer')).secret;
    const listed = await send('get', '/applications/acme/users?limit=1', { key: viewer });
    const shown = await send('get', `/applications/acme/users/${USER}`, { key: viewer });
    assert.equal(shown.document.user_id, 'j•••@e•••.com');
    const { next, ...rest } = listed.document;
    assert.doesNotMatch(JSON.stringify([rest, shown.document]), /jane|zoe/);
    // Sealed text may have any three letters in it.
    const position = `${next} ${Buffer.from(String(next), 'base64url').toString('latin1')}`;
    assert.doesNotMatch(position, /(?:jane|zoe)@/);
    const found = await send('get', '/applications/acme/users?search=ja', { key: viewer });
    assert.deepEqual(found.document.users, []);
    await app.close();
  });

  it('a viewer reads accounts without their names and the texts of their providers', async () => {
    const { app, db, send, createKey, stores } = await opened();
    const { accounts } = stores;
    const named = { userId: USER, accountId: 'canary@example.com', display: 'canary@example.com' };
    const account = await accounts.linkAccount(newAccount({ clientId: 'acme', ...named }), NOW);
    await grantAll(db, { clientId: 'acme', userId: USER });
    const problem = { state: 'reauth_required', reason: 'password_refused', message: 'No canary' } as const;
    await accounts.setHealth(account, problem, NOW);
    const read = async (role: Role) =>
      (await send('get', `/applications/acme/users/${USER}`, { key: (await createKey(role)).secret }))
        .document;

    const [shown] = (await read('viewer')).accounts as Record<string, unknown>[];
    assert.deepEqual([shown?.display, shown?.reason], ['c•••@e•••.com', 'password_refused']);
    assert.doesNotMatch(JSON.stringify(shown), /canary/);
    assert.match(JSON.stringify(await read('developer')), /No canary/);
    await app.close();
  });

  it('a viewer reads webhook URLs without their query, which can contain a secret', async () => {
    const { app, send, createKey } = await opened();
    const url = 'https://hook.example/in?token=canary';
    await send('patch', '/applications/acme', { key, body: { webhook_url: url } });
    const paths = ['/applications', '/applications/acme', '/applications/acme/endpoints'];
    const read = (reader: string) =>
      Promise.all(
        paths.map(async (path) => JSON.stringify((await send('get', path, { key: reader })).document)),
      );

    for (const text of await read((await createKey('viewer')).secret))
      assert.ok(text.includes('https://hook.example/in?…') && !text.includes('canary'), text);
    for (const text of await read((await createKey('developer')).secret)) assert.ok(text.includes(url), text);
    await app.close();
  });

  it('a key is created, rotated and revoked by a key, and its text is shown once', async () => {
    const { app, send } = await opened();
    const body = { name: 'CI', role: 'developer', client_ids: ['acme'], expires_days: 90 };
    const { document } = await send('post', '/keys', { key, body });
    const { key_id: id, key: text } = document;
    assert.match(String(text), /^kal_adm_[\w-]{43}$/);
    assert.deepEqual([document.created_by, document.state], ['environment', 'valid']);
    const listed = JSON.stringify((await send('get', '/keys', { key })).document);
    assert.ok(listed.includes(String(id)) && !listed.includes(String(text)), listed);

    const rotated = (await send('post', `/keys/${id}/rotate`, { key, body: { overlap_hours: 0 } })).document;
    const works = async (candidate: unknown) =>
      (await send('get', '/applications', { key: String(candidate) })).status === 200;
    assert.deepEqual([await works(text), await works(rotated.key)], [false, true]);
    assert.equal((await send('delete', `/keys/${id}`, { key })).status, 200);
    assert.equal(await works(rotated.key), false);
    assert.equal((await send('delete', `/keys/${id}`, { key })).status, 404);
    await app.close();
  });

  it('a developer key needs existing applications, and other keys have none', async () => {
    const { app, send } = await opened();
    for (const body of [
      { name: 'x', role: 'developer' },
      { name: 'x', role: 'developer', client_ids: ['unknown'] },
      { name: 'x', role: 'owner', client_ids: ['acme'] },
      { name: ' ', role: 'owner' },
      { name: 'x', role: 'admin' },
    ])
      assert.equal((await send('post', '/keys', { key, body })).status, 400, JSON.stringify(body));
    await app.close();
  });

  it('a network is limited after 30 requests without a valid key, and a valid key is not', async () => {
    const { app, send, entries } = await opened();
    const statuses = [];
    for (let i = 0; i < 31; i++) statuses.push((await send('get', '/applications', { key: 'wrong' })).status);
    assert.deepEqual([statuses.indexOf(429), statuses.filter((status) => status === 401).length], [30, 30]);
    assert.equal((await send('get', '/applications', { key })).status, 200);
    assert.equal((await send('get', '/applications', { address: '192.0.2.2' })).status, 401);
    const refused = entries.filter(({ fields }) => 'event' in fields && fields.event === 'admin_key_refused');
    assert.deepEqual(
      refused.map(({ fields }) => fields),
      [{ event: 'admin_key_refused', address: '192.0.2.1', count: 1 }],
    );
    assert.doesNotMatch(JSON.stringify(entries), /wrong|environment-key/);
    await app.close();
  });

  it('a key is limited after 1,200 requests in a minute', async () => {
    const { app, send, createKey } = await opened();
    const { secret } = await createKey('viewer');
    const statuses = await Promise.all(
      Array.from({ length: 1_201 }, async () => (await send('get', '/keys', { key: secret })).status),
    );
    const count = (status: number) => statuses.filter((one) => one === status).length;
    assert.deepEqual([count(403), count(429)], [1_200, 1]);
    await app.close();
  });

  it('a request without a valid key is refused before its body is read', async () => {
    const { app } = await opened();
    const response = await app.inject({
      ...{ method: 'POST', url: '/admin/v1/applications', payload: '{"not json' },
      headers: { 'content-type': 'application/json' },
    });
    assert.equal(response.statusCode, 401);
    await app.close();
  });

  it('the API is not found where it is not served, and its document needs no key', async () => {
    const here = await opened();
    assert.equal((await here.send('get', '/openapi.json')).status, 200);
    const elsewhere = await openAdministrationApp(await open(), { isHere: () => false });
    for (const path of ['/openapi.json', '/applications'])
      assert.equal((await elsewhere.send('get', path, { key })).status, 404);
    await Promise.all([here.app.close(), elsewhere.app.close()]);
  });
});
