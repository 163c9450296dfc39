/** The overview: what each role sees of connections, the flow and what was called. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import { FUNNEL, startOfHour } from '../../src/activity/activity.ts';
import { HEALTH_REASONS } from '../../src/calendars/health-reason.ts';
import { countFunnel } from '../../src/dashboard/overview.ts';
import { DAILY } from '../../src/dashboard/pages/overview-figures.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, openDashboardApp } from './dashboard-app.ts';
import { plantEndpoints } from './planted-deliveries.ts';

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
     VALUES (:accountKey, :clientId, 'ada', 'caldav', :accountKey, 'ada@example.com', '', '[]', 'reauth_required', :reason,
       'It ails', 1, 1, :accountKey, :accountKey) RETURNING account_key`,
    { accountKey, clientId, reason },
  );
}

const failManyEndpoints = ({ db }: DashboardApp, count: number) =>
  db.write(
    `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at, failures, failing_since)
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     SELECT 'we_abcdefgh123456' || i, 'acme', 'https://hooks.acme.example/webhooks/kalends/' || i || '/${'x'.repeat(300)}',
            'a', 0, 1, 3, i FROM n`,
  );

/** Returns the rows of the table of problems. */
const attentionRows = (body: string): string[] => {
  const [, table = ''] = /<table [^>]*aria-label="Needs attention">(.*?)<\/table>/s.exec(body) ?? [];
  return [...table.matchAll(/<tr><th scope="row">.*?<\/tr>/gs)].map(([row]) => row);
};

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
        assert.match(body, /1,007<\/b> succeeded/);
        assert.match(body, /applications\/other\/user\?/);
        assert.match(body, />4,000</);
      }
      const shown = viewer.replaceAll(/(?:ref=|name="token" value=")[\w-]+/g, '');
      assert.doesNotMatch(shown, /ada\b/);
      assert.match(developer, />7<\/b> succeeded/);
      assert.match(developer, /applications\/acme\/user\?/);
      assert.doesNotMatch(developer, /app_secret_expired|4,000/);
      assert.match(developer, /No users started to connect/);
    });

    it('each number of accounts leads to a list of as many, and one account to its page, for each role', async () => {
      const dashboard = await openDashboardApp(await open());
      for (const clientId of ['acme', 'acme', 'other', 'other', 'other'])
        await ail(dashboard, clientId, 'access_revoked');
      await ail(dashboard, 'acme', 'password_refused');
      const rowsOf = (body: string) => body.match(/<tr><th scope="row">/g)?.length ?? 0;

      for (const [role, expected] of [
        ['owner', 5],
        ['developer', 2],
        ['viewer', 5],
      ] as const) {
        const browser = await dashboard.signedIn(role);
        const rows = attentionRows((await browser.get('/dashboard')).body);
        const revoked = rows.find((row) => row.includes('access_revoked')) ?? '';
        const [, count] = /(\d+) accounts/.exec(revoked) ?? [];
        assert.match(revoked, /<span class="state bad">Needs reconnecting<\/span>/, role);
        const list = await browser.get('/dashboard/connections?reason=access_revoked');
        assert.deepEqual([Number(count), rowsOf(list.body)], [expected, expected], role);
        const [, path = ''] = /href="([^"]*\/user\?[^"]*)"/.exec(rows.join('')) ?? [];
        const account = await browser.get(path.replaceAll(/&#38;|&amp;/g, '&').replaceAll('&#61;', '='));
        assert.equal(account.status, 200, role);
      }
      await dashboard.app.close();
    });

    it('rows on which the reader must act come first', async () => {
      const dashboard = await openDashboardApp(await open());
      await plantEndpoints(dashboard);
      await dashboard.stores.endpoints.pauseEndpoint('we_acme', 1, undefined);
      for (const reason of ['provider_unavailable', 'access_revoked', 'admin_consent_required'])
        await ail(dashboard, 'acme', reason);
      await ail(dashboard, 'acme', 'app_secret_expired');
      const partiesFor = async (role: 'owner' | 'developer') =>
        attentionRows((await (await dashboard.signedIn(role)).get('/dashboard')).body).map(
          (row) => /<td>.*?<\/td><td>([^<]*)</.exec(row)?.[1],
        );

      const others = ['User', 'User’s administrator', 'Nobody'];
      assert.deepEqual(await partiesFor('owner'), ['You', 'Application’s developers', ...others]);
      assert.deepEqual(await partiesFor('developer'), ['Application’s developers', 'Operator', ...others]);
      await dashboard.app.close();
    });

    it('an endpoint that is down for a minute is listed until it works again, for those who may read it', async () => {
      const dashboard = await openDashboardApp(await open());
      await plantEndpoints(dashboard);
      const fail = `UPDATE webhook_endpoint SET failures = 1, failing_since = :now WHERE endpoint_id = :endpointId`;
      for (const endpointId of ['we_acme', 'we_other'])
        await dashboard.db.write(fail, { endpointId, now: dashboard.clock.now });
      const linksFor = async (role: 'owner' | 'developer' | 'viewer') => {
        const { body } = await (await dashboard.signedIn(role)).get('/dashboard');
        assert.doesNotMatch(body, /key=hush/);
        return [...body.matchAll(/href="[^"]*\/webhooks\/(we_\w+)"/g)].map(([, id]) => id);
      };

      assert.deepEqual(await linksFor('owner'), []);
      dashboard.clock.now += 60_000;
      for (const role of ['owner', 'viewer'] as const)
        assert.deepEqual((await linksFor(role)).toSorted(), ['we_acme', 'we_other']);
      assert.deepEqual(await linksFor('developer'), ['we_acme']);

      await dashboard.stores.endpoints.resumeEndpoint('we_acme', undefined);
      assert.deepEqual(await linksFor('owner'), ['we_other']);
      await dashboard.app.close();
    });

    it('stays below 60 KB with many problems of each kind, and leads to the lists of all', async () => {
      const dashboard = await openDashboardApp(await open());
      await failManyEndpoints(dashboard, 60);
      for (const reason of Object.keys(HEALTH_REASONS)) await ail(dashboard, 'acme', reason);
      const checks = Array.from({ length: 14 }, (_, number) => ({
        ...{ name: `check-${number}`, status: 'fail' as const, message: 'It failed. '.repeat(90), since: 1 },
      }));
      await dashboard.stores.system.keepChecks({ at: 1, checks }, undefined);
      for (let hour = 0; hour < 24; hour += 1)
        await dashboard.stores.activity.addCounts(
          [...DAILY, ...FUNNEL].map((activity) => ({ clientId: 'acme', activity, count: 1_000 + 37 * hour })),
          startOfHour(dashboard.clock.now) - hour * 3_600_000,
        );

      const { body } = await (await dashboard.signedIn('owner')).get('/dashboard');

      await dashboard.app.close();
      assert.ok(Buffer.byteLength(body) <= 60 * 1024, `${Buffer.byteLength(body)} bytes`);
      assert.equal(attentionRows(body).length, 2 + 6 + 5);
      assert.equal(new Set(body.match(/\/webhooks\/we_\w+/g)).size, 50);
      assert.match(body, /<h3>More endpoints with problems<\/h3>/);
      for (const path of ['system', 'endpoints', 'connections'])
        assert.match(body, new RegExp(`<a class="button small" href="/dashboard/${path}">All `));
    });

    it('lists all unhealthy endpoints page by page, each once, for those who may read them', async () => {
      const dashboard = await openDashboardApp(await open());
      await failManyEndpoints(dashboard, 60);
      await plantEndpoints(dashboard);
      await dashboard.stores.endpoints.pauseEndpoint('we_other', 1, undefined);

      for (const [role, expected] of [
        ['owner', 61],
        ['developer', 60],
        ['viewer', 61],
      ] as const) {
        const browser = await dashboard.signedIn(role);
        const seen: (string | undefined)[] = [];
        for (let path: string | undefined = '/dashboard/endpoints'; path !== undefined; ) {
          const { status, body } = await browser.get(path);
          assert.equal(status, 200);
          seen.push(...[...body.matchAll(/<th scope="row"><a href="([^"]+)"/g)].map(([, href]) => href));
          path = /rel="next" href="([^"]+)"/.exec(body)?.[1]?.replaceAll('&#61;', '=');
        }
        assert.deepEqual([seen.length, new Set(seen).size], [expected, expected], role);
      }
      await dashboard.app.close();
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
