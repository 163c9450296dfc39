/** The audit log page: which entries each member sees. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { Caller } from '../../src/audit/audit-entry.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, openDashboardApp } from './dashboard-app.ts';

onEachDatabase((database, open) => {
  describe(`the audit page, on ${database}`, () => {
    let dashboard: DashboardApp;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      const { stores, clock } = dashboard;
      const caller: Caller = {
        actor: { kind: 'command_line', name: 'root' },
        address: undefined,
        now: () => clock.now,
      };
      for (let change = 0; change < 60; change += 1)
        await stores.clients.updateClient(
          'acme',
          { name: `<i>Acme</i> ${change}` },
          { now: clock.now + change, by: caller },
        );
      await stores.clients.updateClient(
        'other',
        { name: 'Other by another name' },
        { now: clock.now, by: caller },
      );
    });
    after(() => dashboard.app.close());

    it('shows what was changed, from what to what, as text', async () => {
      const owner = await dashboard.signedIn('owner');
      const { body } = await owner.get('/dashboard/audit');
      assert.match(body, /root/);
      assert.match(body, />command line</);
      assert.match(body, /client\.updated/);
      assert.match(body, /Other by another name/);
      assert.ok(!body.includes('<i>Acme'));
    });

    it('lists older entries on further pages, each once', async () => {
      const owner = await dashboard.signedIn('owner');
      const seen: string[] = [];
      let path: string | undefined = '/dashboard/audit?action=client.updated&client=acme';
      for (let pages = 0; path !== undefined && pages < 5; pages += 1) {
        const { body } = await owner.get(path);
        seen.push(
          ...[...body.matchAll(/<bdi>[^<]*Acme[^<]* (\d+)<\/bdi>/g)].map(([, change]) => change ?? ''),
        );
        const text = body.replaceAll('&#61;', '=').replaceAll('&#38;', '&');
        path = /href="([^"]*before=\d+)"/.exec(text)?.[1];
      }
      assert.deepEqual(
        seen.toSorted((a, b) => Number(a) - Number(b)),
        Array.from({ length: 60 }, (_, change) => String(change)),
      );
    });

    it('a developer sees the applications given to them, whatever the address says', async () => {
      const developer = await dashboard.signedIn('developer');
      for (const query of [
        '',
        '?client=other',
        '?client=other&client=acme',
        '?client=%27',
        '?before=x',
        '?action=no',
      ]) {
        const { status, body } = await developer.get(`/dashboard/audit${query}`);
        assert.equal(status, 200);
        assert.ok(!body.includes('Other by another name'), query);
      }
      assert.match((await developer.get('/dashboard/audit')).body, /Acme/);
    });
  });
});
