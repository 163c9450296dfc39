/** The database goes away while somebody works in the dashboard: each page and form says so, and what to do. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { allDashboardRoutes } from '../../src/dashboard/dashboard.route.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { openDashboardApp } from './dashboard-app.ts';

onEachDatabase((database, open) => {
  describe(`the dashboard without its database, on ${database}`, () => {
    it('says on every page and to every form that it cannot be reached, and what to do', async () => {
      const db = await open();
      const dashboard = await openDashboardApp(db);
      const owner = await dashboard.signedIn('owner');
      const rows = allDashboardRoutes(dashboard.deps).filter(({ needs }) => needs !== 'nobody');

      await db.close();

      for (const { method, path } of rows) {
        const address = path.replace(':clientId', 'acme').replace(/:\w+/g, 'one');
        const { status, body, headers } = await (method === 'GET'
          ? owner.get(`${address}?after=1`)
          : owner.post(address));
        assert.equal(status, 503, `${method} ${path}`);
        assert.equal(headers['retry-after'], '5');
        assert.match(body, /<h1>The database cannot be reached<\/h1>/, path);
        const again = `href="${address}?after&#61;1"`;
        assert.ok(method === 'GET' ? body.includes(again) : body.includes('your input'), path);
      }
      const json = await owner.get('/dashboard/audit', { accept: 'application/json' });
      assert.deepEqual([json.status, JSON.parse(json.body).message], [503, 'The database cannot be reached']);
      await dashboard.app.close();
    });
  });
});
