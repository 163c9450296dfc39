/** The filters of the request and delivery lists: the reading, the chips and the links know the same parameters. */
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';

import { FILTER_NAMES } from '../../src/dashboard/pages/deliveries.page.ts';
import { REQUEST_FILTERS } from '../../src/dashboard/pages/requests.page.ts';
import { onSqlite } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, openDashboardApp } from './dashboard-app.ts';

const VALUES: Readonly<Record<string, string>> = {
  client: 'acme',
  state: 'dead',
  status: '4xx',
  from: '2026-11-12T00:00:00',
  to: '2026-11-12T00:00:00',
  period: '1h',
};

onSqlite((open) => {
  let dashboard: DashboardApp;
  let owner: DashboardBrowser;
  before(async () => {
    dashboard = await openDashboardApp(await open());
    owner = await dashboard.signedIn('owner');
  });
  after(() => dashboard.app.close());

  for (const [list, names] of [
    ['deliveries', FILTER_NAMES],
    ['requests', REQUEST_FILTERS],
  ] as const)
    for (const name of names)
      it(`the list of ${list} filters by ${name}, has a control for it, and can be cleared`, async () => {
        const query = new URLSearchParams({ client: 'acme', [name]: VALUES[name] ?? 'x' });

        const { status, body } = await owner.get(`/dashboard/${list}?${query}`);

        assert.equal(status, 200);
        assert.match(body, new RegExp(`No ${list} match these filters`));
        assert.match(body, new RegExp(`<a href="/dashboard/${list}">Clear filters</a>`));
        assert.match(body, name === 'period' ? /aria-current="true">1 h</ : new RegExp(` name="${name}"`));
      });

  it('the requests of one application are not filtered by it: without others the list is empty', async () => {
    const { body } = await owner.get('/dashboard/applications/acme/requests');

    assert.match(body, /No requests yet/);
    assert.doesNotMatch(body, / name="client"|Clear filters/);
  });
});
