/**
 * Users in the dashboard: who finds and sees which users, what can be done with them, and what remains after deletion.
 */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { accountApart, grantAll, newAccount } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import {
  type Answer,
  type DashboardApp,
  type DashboardBrowser,
  leadsTo,
  openDashboardApp,
} from './dashboard-app.ts';

const USER = '/dashboard/applications/acme/user';
const MARKED = 'ada/<b>../?&"\u202e';
const REFUSED = { state: 'reauth_required', reason: 'password_refused', message: '<i>Refused</i>' } as const;

const pathOf = (userId: string, page = '') => `${USER}${page}?${new URLSearchParams({ id: userId })}`;
/** Decodes the character references of a page, as a browser does. */
const textOf = ({ body }: Answer): string =>
  body.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
const linksIn = (answer: Answer): string[] =>
  [...answer.body.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => textOf({ ...answer, body: href }));

onEachDatabase((database, open) => {
  describe(`users in the dashboard, on ${database}`, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    let developer: DashboardBrowser;
    let viewer: DashboardBrowser;
    const link = async (userId: string, display: string, clientId = 'acme') => {
      const { stores, db, clock } = dashboard;
      await stores.users.loadOrCreateUser(clientId, userId, clock.now);
      const account = await stores.accounts.linkAccount(
        newAccount({ clientId, userId, accountId: display, display }),
        clock.now,
      );
      await grantAll(db, { clientId, userId });
      return account;
    };
    const audited = async (action: string) =>
      dashboard.db.all<{ actor: string; after: string | undefined }>(
        'SELECT actor_name AS "actor", after_change AS "after" FROM audit_entry WHERE action = :action',
        { action },
      );
    before(async () => {
      dashboard = await openDashboardApp(await open());
      owner = await dashboard.signedIn('owner');
      developer = await dashboard.signedIn('developer');
      viewer = await dashboard.signedIn('viewer');
      await link(MARKED, '<img src=x>@example.com');
      await link('grace', 'grace@example.com');
      await link('foreign', 'foreign@example.com', 'other');
    });
    after(() => dashboard.app.close());

    it('a developer finds the users of their applications alone, whatever the address says', async () => {
      for (const query of ['', '?q=f', '?q=foreign%40', '?client=other', '?after=x', '?q=%00']) {
        const { status, body } = await developer.get(`/dashboard/users${query}`);
        assert.equal(status, 200, query);
        assert.ok(!body.includes('>foreign'), query);
      }
      assert.ok((await developer.get('/dashboard/users?q=gra')).body.includes('grace@example.com'));
      assert.match(
        (await developer.get(pathOf('grace'))).body,
        /href="\/dashboard\/users" aria-current="page"/,
      );
      assert.ok((await owner.get('/dashboard/users?q=foreign%40e')).body.includes('foreign@example.com'));
      assert.equal((await developer.get('/dashboard/applications/other/users')).status, 404);
    });

    it('a user has the worst status of their accounts', async () => {
      await link('worst', 'fine@worst.example');
      const account = await link('worst', 'broken@worst.example');
      const health = {
        state: 'reauth_required',
        reason: 'access_revoked',
        message: 'invalid_grant',
      } as const;
      await dashboard.stores.accounts.setHealth(account, health, dashboard.clock.now);

      const { body } = await owner.get('/dashboard/users?q=worst');

      assert.match(
        body,
        /2 accounts<\/td><td><span class="state bad">Needs reconnecting<\/span><small>1 needs/,
      );
    });

    it('a long list continues page by page and shows each user once', async () => {
      const { db, clock } = dashboard;
      for (let number = 10; number < 70; number += 1)
        await db.write(
          `INSERT INTO application_user (client_id, user_id, created_at, last_seen_at)
           VALUES ('acme', :userId, :now, :now)`,
          { userId: `many-${number}`, now: clock.now },
        );
      const seen: string[] = [];
      let path: string | undefined = '/dashboard/applications/acme/users?q=many-';
      for (let pages = 0; path !== undefined && pages < 4; pages += 1) {
        const answer = await developer.get(path);
        seen.push(...[...answer.body.matchAll(/<bdi>(many-\d+)</g)].map(([, name = '']) => name));
        path = linksIn(answer).find((href) => href.includes('after='));
        assert.ok(path === undefined || !path.includes('many-5'), 'the place names nobody');
      }
      assert.equal(seen.length, 60);
      assert.equal(new Set(seen).size, 60);
    });

    it('a name with markup and slashes is text, and leads to its own page', async () => {
      const list = await owner.get('/dashboard/users?q=ada');
      const href = linksIn(list).find((one) => one.startsWith(`${USER}?`)) ?? '';
      const page = await owner.get(href);

      assert.equal(page.status, 200);
      for (const answer of [list, page]) {
        assert.ok(textOf(answer).includes(MARKED));
        assert.ok(!/<b>\.\.|<img src=x>/.test(answer.body));
      }
    });

    it('a user who is not there, of another application, or with a name that nobody can have, is not there', async () => {
      for (const id of ['nobody', 'foreign', '', '\0', '\ud800', 'x'.repeat(10_000)]) {
        assert.equal((await owner.get(pathOf(id))).status, 404, id.slice(0, 9));
        const { status } = await owner.post(`${USER}/revoke`, { id });
        assert.equal(status, 404, id.slice(0, 9));
      }
      assert.equal((await owner.get(`${USER}?ref=k1.made-up`)).status, 404);
    });

    it('a viewer reads no name, neither in a page nor in its links, and finds by whole names alone', async () => {
      const list = await viewer.get('/dashboard/users');
      const href = linksIn(list).filter((one) => one.startsWith(`${USER}?ref=`));
      const found = await viewer.get('/dashboard/users?q=grace%40example.com');
      const page = await viewer.get(linksIn(found).find((one) => one.startsWith(`${USER}?ref=`)) ?? '');
      const account = await viewer.get(linksIn(page).find((one) => one.includes('/user/account?')) ?? '');

      assert.ok(href.length > 5);
      assert.equal(account.status, 200);
      for (const answer of [list, page, account]) assert.ok(!/grace|example\.com/.test(answer.body));
      assert.ok(page.body.includes('g•••@e•••.com'));
      assert.ok(!/<form[^>]*user\/|user\/(?:revoke|delete|export)/.test(page.body), 'nothing to change');
      for (const beginning of ['g', 'grace%40', 'many-'])
        assert.ok((await viewer.get(`/dashboard/users?q=${beginning}`)).body.includes('No users match'));
      assert.equal((await viewer.get('/dashboard/users')).status, 200);
    });

    it('a sealed name opens for its own application alone', async () => {
      const list = await viewer.get('/dashboard/applications/other/users');
      const href = linksIn(list).find((one) => one.includes('/other/user?ref=')) ?? '';

      assert.equal((await viewer.get(href)).status, 200);
      assert.equal((await owner.get(href.replace('/other/', '/acme/'))).status, 404);
    });

    it('a user’s page shows why an account stopped, who must act, and how to fix it', async () => {
      const { stores, clock } = dashboard;
      const account = await link('henry', 'henry@example.com');
      await stores.accounts.setHealth(account, REFUSED, clock.now + 1);

      const page = textOf(await developer.get(pathOf('henry')));

      for (const text of ['The password is rejected', '>User<', 'Needs reconnecting', 'app password'])
        assert.ok(page.includes(text), text);
      assert.ok(page.includes('Create reconnect link'));
      assert.ok(!(await developer.get(pathOf('henry'))).body.includes('<i>Refused'));
      assert.ok(page.includes('/dashboard/requests?client=acme&user=henry'));
      assert.ok(page.includes('/dashboard/deliveries?client=acme&user=henry'));
    });

    it('an account’s page shows how each calendar is synced, and only under its own user', async () => {
      const { db, clock } = dashboard;
      const account = await link('iris', 'iris@example.com');
      await db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, synced_at)
         VALUES ('iris-main', :key, '/main', 0, '<b>Private</b>', 'UTC', 'write', '{}', :now)`,
        { key: account.accountKey, now: clock.now },
      );
      await db.write(
        `INSERT INTO provider_watch (watch_id, account_key, calendar_key, token_hash, state, made_at, trusted_from,
           renew_at, expires_at)
         VALUES ('w', :key, 'iris-main', 'h', 'live', :now, :now, :now, :later)`,
        { key: account.accountKey, now: clock.now, later: clock.now + 3_600_000 },
      );
      const path = `${pathOf('iris', '/account')}&account=${account.accountKey}`;

      const { status, body } = await developer.get(path);

      assert.equal(status, 200);
      assert.ok(body.includes('Push until') && !body.includes('<b>Private'));
      assert.equal((await developer.get(path.replace('id=iris', 'id=grace'))).status, 404);
      assert.ok(!(await viewer.get(path)).body.includes('Private'));
    });

    it('until all calendars of an account were read, its card shows how many events were', async () => {
      const { db, clock } = dashboard;
      const account = await link('fay', 'fay@example.com');
      const page = async () => textOf(await developer.get(pathOf('fay')));
      assert.match(await page(), /First sync: The list of calendars has not been read yet</);
      await db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, sync_read)
         VALUES ('fay-main', :key, '/main', 0, 'Choir', 'UTC', 'write', '{}', 1200)`,
        { key: account.accountKey },
      );
      assert.match(await page(), /First sync: 0 of 1 calendar, 1,200 events</);
      await db.write("UPDATE calendar SET sync_expected = 3000 WHERE calendar_key = 'fay-main'");
      assert.match(await page(), /First sync: 0 of 1 calendar, 1,200 of 3,000 events</);

      await db.write("UPDATE calendar SET synced_at = :now WHERE calendar_key = 'fay-main'", clock);
      const listed = { key: account.accountKey, ...clock };
      await db.write('UPDATE account SET listed_at = :now WHERE account_key = :key', listed);
      assert.doesNotMatch(await page(), /First sync/);
    });

    it('while an account needs reconnecting, its calendars are paused, and its history begins with the newest entry', async () => {
      const { stores, db, clock } = dashboard;
      const account = await link('vera', 'vera@example.com');
      await db.write(
        `INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original, synced_at)
         VALUES ('vera-main', :key, '/main', 0, 'Choir', 'UTC', 'write', '{}', :now)`,
        { key: account.accountKey, now: clock.now },
      );
      const page = async (path = '') =>
        textOf(await developer.get(`${pathOf('vera', path)}&account=${account.accountKey}`));
      const working = await page();
      assert.ok(working.includes('Choir') && !working.includes('Paused until reconnected'));

      await stores.accounts.setHealth(account, REFUSED, clock.now + 1);

      for (const path of ['', '/account'])
        assert.match(await page(path), /Choir.*Paused until reconnected/s, path);
      assert.match(await page(), /class="time-line">.*?Needs reconnecting.*?Connected by the user/s);
    });

    it('a sync is asked for at once, of calendars that are pushed too, and audited', async () => {
      const account = await link('jane', 'jane@example.com');
      await dashboard.db.write('UPDATE job SET run_at = run_at + 1000000 RETURNING key');

      const answer = await developer.post(`${USER}/sync`, { id: 'jane' });

      assert.match(leadsTo(answer), /done=sync&count=1$/);
      const [job] = await dashboard.db.all<{ runAt: number }>(
        `SELECT run_at AS "runAt" FROM job WHERE kind = 'sync-account' AND key = :key`,
        { key: account.accountKey },
      );
      assert.equal(job?.runAt, dashboard.clock.now);
      assert.deepEqual(
        (await audited('account.sync_requested')).map(({ after: what }) => what),
        ['{"accounts":1}'],
      );
      const page = await developer.get(leadsTo(answer));
      assert.ok(page.body.includes('The account syncs as soon as'));
    });

    it('a reconnect link is created for an account of the user, shown once, and audited without it', async () => {
      const account = await link('ruth', 'ruth@example.com');
      const other = await link('sara', 'sara@example.com');
      const send = (by: typeof owner, accountKey: string) =>
        by.post(`${USER}/reconnect-link`, { id: 'ruth', account: accountKey });

      const page = textOf(await send(developer, account.accountKey));
      const foreign = textOf(await send(developer, other.accountKey));

      const [, token = ''] = /\/reconnect\/([\w-]{100,})/.exec(page) ?? [];
      assert.notEqual(token, '');
      assert.ok(!foreign.includes('/reconnect/') && foreign.includes('The user has no such account.'));
      assert.equal((await send(viewer, account.accountKey)).status, 403);
      const entries = await audited('account.reconnect_link_created');
      assert.deepEqual(
        entries.map(({ after: what }) => what),
        ['{"provider":"caldav"}'],
      );
      assert.ok(!(await developer.get(pathOf('ruth'))).body.includes(token));
    });

    it('a reconnect link needs an active grant, and the page says so', async () => {
      const account = await link('tess', 'tess@example.com');
      await developer.post(`${USER}/revoke`, { id: 'tess' });

      const page = textOf(
        await developer.post(`${USER}/reconnect-link`, { id: 'tess', account: account.accountKey }),
      );

      assert.ok(page.includes('No active grant covers this account'));
    });

    it('grants are ended when the answer comes, and a code that waits is withdrawn', async () => {
      await link('kate', 'kate@example.com');
      assert.ok((await developer.get(pathOf('kate', '/revoke'))).body.includes('The grant ends at once'));

      await developer.post(`${USER}/revoke`, { id: 'kate' });

      const user = await dashboard.stores.users.findUser('acme', 'kate');
      assert.deepEqual([user?.grants, user?.accounts], [0, 1]);
      assert.match((await audited('user.revoked'))[0]?.actor ?? '', /developer/);
    });

    it('an account is disconnected after it was asked, never one of another user or one that is being connected', async () => {
      const { stores, clock } = dashboard;
      const [first, second] = [await link('lena', 'lena@example.com'), await link('lena', 'l2@example.com')];
      const open = await stores.accounts.linkAccount(accountApart('open', { userId: 'lena' }), clock.now);
      const asked = `${pathOf('lena', '/disconnect')}&account=${first.accountKey}`;
      assert.ok((await developer.get(asked)).body.includes('lena@example.com'));

      const send = (id: string, account: string) => developer.post(`${USER}/disconnect`, { id, account });
      assert.equal((await send('grace', second.accountKey)).status, 404);
      assert.equal((await send('lena', open.accountKey)).status, 404);
      assert.match(leadsTo(await send('lena', first.accountKey)), /done=disconnect$/);
      assert.equal((await send('lena', first.accountKey)).status, 404);

      const left = await stores.accounts.listAccounts('acme', 'lena');
      assert.deepEqual(
        left.map(({ accountKey }) => accountKey),
        [second.accountKey],
      );
      assert.equal((await audited('account.disconnected')).length, 1);
    });

    it('everything about a user is a download, after a fresh sign-in, with what happened to their accounts', async () => {
      await link('mona', 'mona@example.com');

      const { status, body, headers } = await developer.post(`${USER}/export`, { id: 'mona' });

      assert.equal(status, 200);
      assert.match(String(headers['content-disposition']), /^attachment/);
      const document = JSON.parse(body);
      assert.equal(document.user_id, 'mona');
      assert.equal(document.account_history[0].happened, 'connected');
      assert.ok(!body.includes('canary-secret'));
      assert.equal((await audited('user.exported')).length, 1);
      assert.equal((await viewer.post(`${USER}/export`, { id: 'mona' })).status, 403);
    });

    it('a user is deleted permanently, and the receipt does not say who it was', async () => {
      await link('nora', 'nora@example.com');
      const asked = await developer.get(pathOf('nora', '/delete'));
      assert.ok(asked.body.includes('1 connected account'));

      const { status, body } = await developer.post(`${USER}/delete`, { id: 'nora' });

      assert.equal(status, 200);
      assert.ok(body.includes('The user was deleted') && !body.includes('nora'));
      assert.equal((await developer.get(pathOf('nora'))).status, 404);
      assert.equal((await developer.post(`${USER}/delete`, { id: 'nora' })).status, 404);
      const history = await dashboard.db.all<{ key: string }>(
        'SELECT account_key AS "key" FROM account_history WHERE account_key NOT IN (SELECT account_key FROM account)',
      );
      assert.deepEqual(history, []);
      const [entry] = await audited('user.deleted');
      assert.match(entry?.actor ?? '', /developer/);
    });

    it('export and deletion ask for a fresh sign-in, and lead back to the page they were asked on', async () => {
      const stale = await dashboard.signedIn('owner');
      dashboard.clock.now += 6 * 60_000;
      try {
        const page = await stale.get(pathOf('grace', '/delete'));
        const form = await stale.post(
          `${USER}/export`,
          { id: 'grace' },
          { referer: `https://kalends.example${pathOf('grace', '/export')}` },
        );

        for (const [answer, name] of [
          [page, '/delete'],
          [form, '/export'],
        ] as const)
          assert.equal(
            new URL(leadsTo(answer), 'https://kalends.example').searchParams.get('next'),
            pathOf('grace', name),
          );
      } finally {
        dashboard.clock.now -= 6 * 60_000;
      }
    });
  });
});
