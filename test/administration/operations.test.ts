/** The operations on branding, provider apps, accounts and the deployment, besides what the matrix tests. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { OPTIONS } from '../../src/config/config.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { onSqlite } from '../harness/databases.ts';
import { ENVIRONMENT_KEY as key, NOW, openAdministrationApp, USER } from './administration-app.ts';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><circle cx="4" cy="4" r="4"/></svg>';
const WEBHOOK_SECRET = `whsec_${Buffer.from('canary'.repeat(5)).toString('base64')}`;

/** A value of each setting that is a secret. All but those in Base64 have the word `canary`. */
const SECRETS: Readonly<Record<string, string>> = {
  KALENDS_ALERT_WEBHOOK_SECRET: WEBHOOK_SECRET,
  KALENDS_ALERT_WEBHOOK_URL: 'https://alerts.example/canary',
  KALENDS_ADMIN_KEY: 'canary-'.repeat(6),
  KALENDS_DASHBOARD_OIDC_CLIENT_SECRET: 'canary',
  KALENDS_SMTP_URL: 'smtps://me:canary@mail.example',
  KALENDS_GOOGLE_CLIENT_SECRET: 'canary',
  KALENDS_MICROSOFT_CLIENT_SECRET: 'canary',
  KALENDS_DATABASE_URL: 'postgres://me:canary@db.example/kalends',
  KALENDS_MASTER_KEY: Buffer.from('canary-canary-canary-canary-cana').toString('base64'),
  KALENDS_MASTER_KEY_PREVIOUS: Buffer.from('canary-canary-canary-canary-CANA').toString('base64'),
  KALENDS_METRICS_TOKEN: 'canary-'.repeat(6),
  KALENDS_OTLP_HEADERS: 'authorization=canary',
};
const OTHERS = {
  KALENDS_DASHBOARD_OIDC_ISSUER: 'https://sign-in.example',
  KALENDS_DASHBOARD_OIDC_CLIENT_ID: 'dashboard',
  KALENDS_GOOGLE_CLIENT_ID: 'google-app',
  KALENDS_MICROSOFT_CLIENT_ID: 'microsoft-app',
  KALENDS_MAIL_FROM: 'kalends@mail.example',
  KALENDS_OTLP_ENDPOINT: 'https://traces.example',
};

onSqlite((open) => {
  const opened = async (env: Record<string, string> = {}) => openAdministrationApp(await open(), { env });

  it('settings are listed without any secret', async () => {
    const { app, send } = await opened({ ...SECRETS, ...OTHERS });
    const names = OPTIONS.filter(({ secret }) => secret).map(({ name }) => name);
    assert.deepEqual(names.toSorted(), Object.keys(SECRETS).toSorted());
    const { document } = await send('get', '/settings?limit=200', { key });
    const settings = document.settings as { name: string; value: unknown; secret: boolean }[];
    for (const name of names) {
      const setting = settings.find((one) => one.name === name);
      assert.deepEqual([setting?.value, setting?.secret], [null, true], name);
    }
    for (const path of ['/settings?limit=200', '/system', '/openapi.json']) {
      const text = JSON.stringify((await send('get', path, { key })).document);
      for (const secret of Object.values(SECRETS)) assert.ok(!text.includes(secret), `${path}: ${secret}`);
      assert.doesNotMatch(text, /canary/);
    }
    assert.equal(settings.find(({ name }) => name === 'KALENDS_GOOGLE_CLIENT_ID')?.value, 'google-app');
    await app.close();
  });

  it('a logo is the body of its request or Base64, and is removed again', async () => {
    const { app, send } = await opened();
    const inject = (type: string, payload: string | Buffer) =>
      app.inject({
        ...{ method: 'POST', url: '/admin/v1/applications/acme/logos/dark', payload },
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
      });
    const bytes = await inject('image/svg+xml', SVG);
    assert.match(bytes.json().dark_logo_url, /^https:\/\/kalends\.example\/connect\/logos\//);
    const picture = Buffer.from(SVG).toString('base64');
    const sent = await send('post', '/applications/acme/logos/light', { key, body: { picture } });
    assert.equal(sent.document.logo_url, bytes.json().dark_logo_url);
    const removed = await send('delete', '/applications/acme/logos/dark', { key });
    assert.equal(removed.document.dark_logo_url, null);
    for (const [type, payload, status] of [
      ['image/png', 'GIF89a', 400],
      ['image/png', Buffer.alloc(5 * 1024 * 1024 + 1, '<'), 400],
      ['image/png', Buffer.alloc(6 * 1024 * 1024), 413],
      ['text/plain', SVG, 400],
      ['application/json', '{"picture":"<svg>"}', 400],
      ['application/json', '{}', 400],
    ] as const)
      assert.equal((await inject(type, payload)).statusCode, status, `${type} ${payload.length}`);
    await app.close();
  });

  it('a developer cannot make the server fetch a logo from a private address', async () => {
    const { app, send, createKey } = await opened();
    const developer = (await createKey('developer')).secret;
    const body = { url: 'https://10.0.0.1/logo.png' };
    const { status, document } = await send('post', '/applications/acme/logos/light', {
      key: developer,
      body,
    });
    assert.deepEqual([status, document.code], [400, 'invalid_client_metadata']);
    await app.close();
  });

  it('a picture for another operation is refused', async () => {
    const { app } = await opened();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'image/png' };
    const request = { method: 'POST', url: '/admin/v1/applications', headers, payload: 'x' } as const;
    assert.equal((await app.inject(request)).statusCode, 415);
    await app.close();
  });

  it('a provider app is set, shown without its secret, kept without one, and removed', async () => {
    const { app, send, stores } = await opened();
    const path = '/applications/acme/provider-apps/microsoft';
    const body = { app_client_id: 'one', client_secret: 'canary' };
    const set = await send('post', path, { key, body });
    assert.deepEqual(set.document, { client_id: 'acme', provider: 'microsoft', app_client_id: 'one' });
    assert.equal((await send('post', path, { key, body: { app_client_id: 'one' } })).status, 200);
    const other = await send('post', path, { key, body: { app_client_id: 'two' } });
    assert.deepEqual([other.status, Object.keys(other.document.details ?? {})], [400, ['client_secret']]);
    assert.equal((await send('post', path, { key, body: { client_secret: 'next' } })).status, 200);
    assert.equal((await stores.providerApps.findProviderApp('acme', 'microsoft'))?.clientSecret, 'next');
    assert.equal((await send('delete', path, { key })).document.app_client_id, null);
    assert.equal((await send('get', path.replace('microsoft', 'apple'), { key })).status, 400);
    await app.close();
  });

  it('all values of a branding are changed, or none', async () => {
    const { app, send } = await opened();
    const patch = async (body: object) => send('patch', '/applications/acme/branding', { key, body });
    assert.equal((await patch({ theme: 'dark', primary_color: 'red' })).status, 400);
    assert.equal((await patch({ theme: 'blue' })).status, 400);
    assert.equal((await patch({ colour: '#fff' })).status, 400);
    const changed = await patch({ primary_color: '#ABC', hide_footer: true });
    const { theme, primary_color: color, hide_footer: isHidden } = changed.document;
    assert.deepEqual([theme, color, isHidden], ['auto', '#aabbcc', true]);
    assert.equal((await patch({ primary_color: '' })).document.primary_color, null);
    await app.close();
  });

  it('steps of a review are taken in their order, and a decision names its submission', async () => {
    const { app, send } = await opened();
    const step = async (name: string, body: object = {}) => {
      const path = `/applications/acme/verification/${name}`;
      const { status, document } = await send('post', path, { key, body });
      return { status, code: document.code, submission: document.submission };
    };
    assert.equal((await step('approve')).code, 'not_under_review');
    const { submission } = await step('submit');
    const { document } = await send('get', '/reviews', { key });
    assert.equal((document.applications as { client_id: string }[])[0]?.client_id, 'acme');
    await send('patch', '/applications/acme', { key, body: { display_name: 'Another name' } });
    await step('submit');
    assert.equal((await step('approve', { submission })).code, 'submission_changed');
    assert.equal((await step('request-changes')).code, 'note_missing');
    assert.equal((await step('approve')).status, 200);
    assert.equal((await step('submit', { submission })).status, 400);
    await app.close();
  });

  it('a user is found across applications, exported and reconnected, and an account disconnected', async () => {
    const { app, db, send, stores, createKey } = await opened();
    const account = newAccount({ clientId: 'acme', userId: USER, accountId: 'jane' });
    const { accountKey } = await stores.accounts.linkAccount(account, NOW);
    await grantAll(db, { clientId: 'acme', userId: USER });
    const developer = (await createKey('developer')).secret;
    const owners = async (reader: string) =>
      ((await send('get', '/users?search=jane', { key: reader })).document.users as unknown[]).length;
    assert.deepEqual([await owners(key), await owners(developer)], [2, 1]);

    const path = `/applications/acme/users/${USER}`;
    const exported = (await send('get', `${path}/export`, { key })).document;
    assert.deepEqual([exported.kalends_user_export, exported.user_id], [1, USER]);
    const link = async (body: object) =>
      (await send('post', `${path}/reconnect-links`, { key, body })).status;
    assert.deepEqual([await link({}), await link({ account_key: accountKey })], [400, 201]);
    const target = `${path}/accounts/${accountKey}`;
    assert.equal((await send('get', `${target}/calendars?after=x`, { key })).status, 400);
    assert.equal((await send('delete', target, { key })).document.disconnected, true);
    assert.equal((await send('delete', target, { key })).status, 404);
    await app.close();
  });

  it('a viewer reads calendars without their titles', async () => {
    const { app, db, send, stores, createKey } = await opened();
    const { accountKey } = await stores.accounts.linkAccount(
      newAccount({ clientId: 'acme', userId: USER, accountId: 'jane' }),
      NOW,
    );
    await grantAll(db, { clientId: 'acme', userId: USER });
    await db.write(
      `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original)
       VALUES ('c', :accountKey, 'c', 0, 'canary', 'UTC', 'read', '{}')`,
      { accountKey },
    );
    const path = `/applications/acme/users/${USER}/accounts/${accountKey}/calendars`;
    const read = async (reader: string) =>
      JSON.stringify((await send('get', path, { key: reader })).document);
    assert.match(await read(key), /canary/);
    assert.doesNotMatch(await read((await createKey('viewer')).secret), /canary/);
    await app.close();
  });

  it('settings and backups have pages', async () => {
    const { app, send, clock } = await opened();
    for (let i = 0; i < 2; i++) {
      await send('post', '/backups', { key, body: {} });
      clock.now += 60_000;
    }
    for (const [path, list] of [
      ['/settings', 'settings'],
      ['/backups', 'backups'],
    ] as const) {
      const names: string[] = [];
      for (let after: unknown = ''; after !== null; ) {
        const query = after === '' ? 'limit=1' : `limit=1&after=${after}`;
        const { document } = await send('get', `${path}?${query}`, { key });
        names.push(...(document[list] as { name: string }[]).map(({ name }) => name));
        after = document.next;
      }
      const { document } = await send('get', `${path}?limit=200`, { key });
      assert.equal(document.next, null);
      assert.deepEqual(
        names,
        (document[list] as { name: string }[]).map(({ name }) => name),
      );
      assert.ok(names.length > 1);
    }
    await app.close();
  });

  it('a backup is created, listed and audited, and a check is run and stored', async () => {
    const { app, send, stores } = await opened();
    const created = await send('post', '/backups', { key, body: {} });
    assert.deepEqual([created.status, created.document.bytes], [201, 'The database'.length]);
    const { document } = await send('get', '/backups', { key });
    assert.deepEqual(document.backups, [created.document]);
    const [entry] = await stores.audit.listEntries({ action: 'backup.made' }, { limit: 1 });
    assert.equal(entry?.actor.kind === 'admin_key' && entry.actor.id, 'environment');
    const checked = await send('post', '/checks', { key, body: { name: 'database' } });
    assert.deepEqual([checked.document.ok, (checked.document.checks as unknown[]).length], [false, 1]);
    const last = await stores.system.lastChecks();
    assert.deepEqual(
      last?.checks.map(({ name }) => name),
      ['database'],
    );
    await app.close();
  });

  it('the registration of a provider app is described, and an app checked, without its secret', async () => {
    const { app, send } = await opened({ KALENDS_GOOGLE_ISSUER: 'http://127.0.0.1:9' });
    const check = (body: object) => send('post', '/providers/google/check', { key, body });
    const { document } = await check({});
    assert.match(String(document.redirect_uri), /\/connect\/google\/callback$/);
    assert.equal(document.check, null);
    const checked = await check({ app_client_id: 'app', client_secret: 'canary' });
    assert.equal((checked.document.check as { status: string }).status, 'warn');
    assert.doesNotMatch(JSON.stringify(checked.document), /canary/);
    for (const part of [{ app_client_id: 'app' }, { client_secret: 'canary' }])
      assert.equal((await check(part)).status, 400);
    await app.close();
  });

  it('PostgreSQL has no backups here', async () => {
    const { app, send } = await opened({ KALENDS_DATABASE_URL: 'postgres://db.example/kalends' });
    for (const method of ['get', 'post'])
      assert.equal((await send(method, '/backups', { key })).document.code, 'backups_elsewhere');
    await app.close();
  });
});
