/** Destructive actions: no page begins with a filled button, and each button of a danger zone opens its confirmation. */
import assert from 'node:assert/strict';
import { it } from 'node:test';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import { unescaped } from '../connect/connect-harness.ts';
import { NOW } from '../contract/calendar-rows.ts';
import { onSqlite } from '../harness/databases.ts';
import { openDashboardApp } from './dashboard-app.ts';
import { isPage, tourDashboard } from './dashboard-tour.ts';
import { plantDashboard } from './planted-dashboard.ts';

const FILLED = /<button class="destructive[^>]*>([^<]*)/g;
const ROW = /<a class="button small danger" href="([^"]+)"[^>]*>([^<]+)/g;
/** The menu of the playground asks before its button, without a page of its own. */
const PLAYGROUND = '/dashboard/playground';

const filledIn = (body: string): string[] => [...body.matchAll(FILLED)].map(([, name = '']) => name);

onSqlite((open) => {
  it('each destructive button opens a page whose filled button has the same name, and no other page has one', async () => {
    const dashboard = await openDashboardApp(await open());
    dashboard.clock.now = NOW + 60_000;
    const owner = await dashboard.signedIn('owner');
    await plantDashboard(dashboard, 'Ada');
    await dashboard.db.write(`UPDATE verification SET verified_at = ${NOW} RETURNING client_id`);
    const routes = allDashboardRoutes(dashboard.deps);
    const { stops } = await tourDashboard(routes, { get: (address) => owner.get(address) });
    const pages = stops.filter(({ answer, route }) => isPage(answer) && !route.startsWith(PLAYGROUND));

    const confirmations = new Map(
      pages.flatMap(({ answer }) =>
        [...answer.body.matchAll(ROW)].map(([, path = '', name = '']) => [unescaped(path), name]),
      ),
    );
    for (const [path, name] of confirmations)
      assert.deepEqual(filledIn((await owner.get(path)).body), [name], path);
    const names = [...new Set(confirmations.values())].toSorted();
    assert.deepEqual(names, [
      ...['Delete application', 'Delete user', 'Disconnect account', 'Remove endpoint', 'Remove member'],
      ...['Remove provider app', 'Revoke access', 'Revoke key', 'Withdraw verification'],
    ]);
    const isConfirmation = ({ address }: { readonly address: string }) => confirmations.has(address);
    const first = pages.filter((page) => !isConfirmation(page) && filledIn(page.answer.body).length > 0);
    assert.deepEqual(
      first.map(({ address }) => address),
      [],
    );
    await dashboard.app.close();
  });
});
