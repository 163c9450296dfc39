/** The overview: what each role sees of connections, the flow and what was called. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { startOfHour } from '../../src/activity/activity.ts';
import { countFunnel } from '../../src/dashboard/overview.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, openDashboardApp } from './dashboard-app.ts';

/** An account of `clientId` that is its user's and does not work. */
async function ail({ db, stores, clock }: DashboardApp, clientId: string, reason: string) {
  const accountKey = randomBytes(6).toString('hex');
  await stores.users.loadOrCreateUser(clientId, 'ada', clock.now);
  await db.write(
    `INSERT INTO account_group (group_id, client_id, user_id, created_at)
     VALUES (:accountKey, :clientId, 'ada', 1) RETURNING group_id`,
    { accountKey, clientId },
  );
  await db.write(
    `INSERT INTO account (account_key, client_id, user_id, provider, account_id, display, credentials, granted_scopes,
       health, health_reason, health_message, health_since, linked_at, group_id, key_in_group)
     VALUES (:accountKey, :clientId, 'ada', 'caldav', :accountKey, 'ada@example.com', '', '', 'reauth_required', :reason,
       'It ails', 1, 1, :accountKey, :accountKey) RETURNING account_key`,
    { accountKey, clientId, reason },
  );
}

onEachDatabase((database, open) => {
  describe(`the overview, on ${database}`, () => {
    it('shows an owner all applications, a developer their own, and a viewer no names', async () => {
      const dashboard = await openDashboardApp(await open());
      const { stores, clock, signedIn } = dashboard;
      await ail(dashboard, 'acme', 'password_refused');
      await ail(dashboard, 'acme', 'access_revoked');
      await ail(dashboard, 'other', 'app_secret_expired');
      const count = (clientId: string, activity: 'calls' | 'flow_started' | 'flow_allowed', times: number) =>
        stores.activity.addCounts([{ clientId, activity, count: times }], startOfHour(clock.now));
      await count('acme', 'calls', 7);
      await count('other', 'calls', 1000);
      await count('other', 'flow_started', 4000);

      const see = async (role: 'owner' | 'developer' | 'viewer') =>
        (await (await signedIn(role)).get('/dashboard')).body;
      const [owner, developer, viewer] = [await see('owner'), await see('developer'), await see('viewer')];

      await dashboard.app.close();
      for (const body of [owner, viewer]) {
        assert.match(body, /answered: 1,007/);
        assert.match(body, /connections\?reason=app_secret_expired/);
        assert.match(body, />4,000</);
        assert.doesNotMatch(body, /ada/);
      }
      assert.match(developer, /answered: 7\b/);
      assert.match(developer, /connections\?reason=password_refused/);
      assert.doesNotMatch(developer, /app_secret_expired|4,000/);
      assert.match(developer, /Nobody began to connect/);
    });

    it('leads through the three steps until the first delivery, each marked once it is done', async () => {
      const dashboard = await openDashboardApp(await open());
      const owner = await dashboard.signedIn('owner');
      const before = (await owner.get('/dashboard')).body;
      await ail(dashboard, 'acme', 'password_refused');
      const connected = (await owner.get('/dashboard')).body;
      await dashboard.stores.clients.deleteClient('acme', 1, undefined);
      await dashboard.stores.clients.deleteClient('other', 1, undefined);
      const empty = (await owner.get('/dashboard')).body;

      await dashboard.app.close();
      const done = (body: string) => body.match(/class="done"/g)?.length ?? 0;
      assert.deepEqual([empty, before, connected].map(done), [0, 1, 2]);
      assert.match(empty, /href="\/dashboard\/applications\/new"/);
    });
  });
});

describe('the funnel of a week', () => {
  it('never has more people at a later step than at an earlier one', () => {
    const sums = new Map([
      ['flow_started', 10],
      ['flow_chosen', 8],
      ['flow_linked', 5],
      ['flow_allowed', 6],
      ['flow_exchanged', 6],
      ['flow_denied', 1],
    ] as const);

    const { steps, denied } = countFunnel(sums);

    assert.deepEqual(
      steps.map(({ count, left }) => [count, left]),
      [
        [10, 2],
        [8, 2],
        [6, 0],
        [6, 0],
        [6, 0],
      ],
    );
    assert.equal(denied, 1);
  });
});
