/** The page of unhealthy accounts: which accounts each member sees, and who must act. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { AccountProblem } from '../../src/calendars/account-store.ts';
import { HEALTH_REASONS } from '../../src/calendars/health-reason.ts';
import { grantAll, newAccount } from '../contract/calendar-rows.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, openDashboardApp } from './dashboard-app.ts';

const PATH = '/dashboard/connections';

onEachDatabase((database, open) => {
  describe(`the connections page, on ${database}`, () => {
    let dashboard: DashboardApp;
    before(async () => {
      dashboard = await openDashboardApp(await open());
    });
    after(() => dashboard.app.close());

    const ail = async (clientId: string, name: string, reason: AccountProblem['reason']) => {
      const { stores, db, clock } = dashboard;
      await stores.users.loadOrCreateUser(clientId, name, clock.now);
      const display = `${name}@example.com`;
      const input = newAccount({ clientId, userId: name, provider: 'google', accountId: name, display });
      const account = await stores.accounts.linkAccount(input, clock.now);
      const problem: AccountProblem = { state: 'degraded', reason, message: '<u>What happened</u>' };
      await stores.accounts.setHealth(account, problem, clock.now);
      await grantAll(db, { clientId, userId: name });
      return account;
    };

    it('says that there are no problems, and otherwise lists them by reason, with how to fix each', async () => {
      const owner = await dashboard.signedIn('owner');
      assert.ok((await owner.get(PATH)).body.includes('No problems'));

      await ail('acme', 'ada', 'password_refused');
      for (const name of ['bob', 'bea']) await ail('acme', name, 'provider_unavailable');

      const { body } = await owner.get(PATH);
      assert.ok(body.indexOf('The provider is unavailable') < body.indexOf('The password is rejected'));
      for (const text of ['2 accounts', 'new app password', '>Nobody<', 'ada@example.com'])
        assert.ok(body.includes(text), text);
      assert.ok(!body.includes('<u>'));
    });

    it('a developer sees the accounts of their applications, and a viewer no names', async () => {
      await ail('other', 'foreign', 'internal_fault');
      const [developer, viewer] = [await dashboard.signedIn('developer'), await dashboard.signedIn('viewer')];

      for (const query of ['', '?reason=internal_fault', '?reason=password_refused', '?reason=none'])
        assert.ok(!(await developer.get(`${PATH}${query}`)).body.includes('foreign'), query);
      assert.ok((await developer.get(PATH)).body.includes('ada@example.com'));
      for (const query of ['', '?reason=internal_fault']) {
        const { body } = await viewer.get(`${PATH}${query}`);
        assert.ok(body.includes('f•••@e•••.com') && !/foreign|example\.com/.test(body));
      }
    });

    it('accounts with one trouble go on page by page, each shown once', async () => {
      const owner = await dashboard.signedIn('owner');
      const { accountKey } = await ail('acme', 'many', 'quota_exhausted');
      for (let number = 100; number < 160; number += 1)
        await dashboard.db.write(
          `INSERT INTO account (account_key, client_id, user_id, provider, account_id, key_in_group, group_id, display,
             credentials, granted_scopes, health, health_reason, health_since, linked_at)
           SELECT :key, client_id, user_id, provider, :key, :key, group_id, :key, '', '[]', health, health_reason,
                  health_since, linked_at FROM account WHERE account_key = :accountKey`,
          { key: `many-${number}`, accountKey },
        );
      assert.ok((await owner.get(PATH)).body.includes('61 accounts'));

      const seen: string[] = [];
      let path: string | undefined = `${PATH}?reason=quota_exhausted`;
      for (let pages = 0; path !== undefined && pages < 4; pages += 1) {
        const { body } = await owner.get(path);
        seen.push(...[...body.matchAll(/<bdi>(many-\d+)</g)].map(([, name = '']) => name));
        path = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&#38;', '&').replaceAll('&#61;', '=');
      }
      assert.deepEqual([seen.length, new Set(seen).size], [60, 60]);
    });

    it('filters by responsible party, provider and application, each a chip that removes it', async () => {
      const [owner, developer] = [await dashboard.signedIn('owner'), await dashboard.signedIn('developer')];
      const rowsOf = async (browser: typeof owner, query: string) =>
        [...(await browser.get(`${PATH}?${query}`)).body.matchAll(/<th scope="row"><a[^>]*><bdi>(\w+)/g)]
          .map(([, name]) => name)
          .toSorted();
      const down = 'reason=provider_unavailable';

      assert.deepEqual(await rowsOf(owner, `${down}&turn=provider&provider=google&client=acme`), [
        'bea',
        'bob',
      ]);
      for (const none of ['turn=user', 'provider=apple', 'client=other', 'state=reauth_required'])
        assert.deepEqual(await rowsOf(owner, `${down}&${none}`), [], none);
      assert.deepEqual(await rowsOf(owner, 'turn=operator'), ['foreign']);
      assert.deepEqual(await rowsOf(owner, 'state=degraded&client=other'), ['foreign']);
      for (const query of ['client=other', 'state=connected&client=other', 'state=degraded&client=other'])
        assert.deepEqual(await rowsOf(developer, query), [], query);
      const { body } = await owner.get(`${PATH}?turn=operator&provider=google`);
      assert.match(
        body,
        /Action by: Operator<\/bdi><a href="\/dashboard\/connections\?provider(?:=|&#61;)google"/,
      );
      assert.match((await owner.get(`${PATH}?turn=administrator`)).body, /No accounts match these filters/);
    });

    it('where an application has an app of its own, what is wrong with that is its developer’s turn', async () => {
      const owner = await dashboard.signedIn('owner');
      await ail('acme', 'secret', 'app_credentials_refused');
      const page = `${PATH}?reason=app_credentials_refused`;
      assert.ok((await owner.get(page)).body.includes('>Operator<'));

      const app = { clientId: 'id.apps.example', clientSecret: 'secret' };
      await dashboard.stores.providerApps.setProviderApp({ clientId: 'acme', kind: 'google' }, app, {
        now: dashboard.clock.now,
        by: undefined,
      });

      assert.ok((await owner.get(page)).body.includes('>Application’s developers<'));
    });

    it('stays below 60 KB with accounts of every reason', async () => {
      const owner = await dashboard.signedIn('owner');
      for (const reason of Object.keys(HEALTH_REASONS))
        for (const number of [1, 2, 3])
          await ail('acme', `${reason}-${number}`, reason as AccountProblem['reason']); // Its keys are the reasons.

      for (const browser of [owner, await dashboard.signedIn('viewer')])
        for (const query of ['', '?state=degraded', '?state=connected']) {
          const { body } = await browser.get(`${PATH}${query}`);
          assert.ok(Buffer.byteLength(body) <= 60 * 1024, `${query}: ${Buffer.byteLength(body)} bytes`);
        }
    });

    it('every reason that there can be has its words', async () => {
      const owner = await dashboard.signedIn('owner');
      for (const reason of Object.keys(HEALTH_REASONS)) {
        const { status, body } = await owner.get(`${PATH}?reason=${reason}`);
        assert.equal(status, 200);
        assert.doesNotMatch(body, /reason\.\w+/);
      }
    });
  });
});
