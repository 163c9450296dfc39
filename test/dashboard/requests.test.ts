/** The request log as pages: which requests each member sees, and what belongs to a request. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { NewRequestEntry } from '../../src/request-log/request-entry.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DashboardApp, type DashboardBrowser, openDashboardApp } from './dashboard-app.ts';
import { plantDelivery, plantEndpoints } from './planted-deliveries.ts';

const LIST = '/dashboard/requests';

onEachDatabase((database, open) => {
  describe(`requests in the dashboard, on ${database}`, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    let developer: DashboardBrowser;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      const { stores, clock } = dashboard;
      await plantEndpoints(dashboard);
      const at = clock.now - 100_000;
      const told = { state: 'delivered', clientId: 'acme', userId: 'ada' } as const;
      await plantDelivery(dashboard, { ...told, messageId: 'msg_caused', createdAt: at + 500 });
      await plantDelivery(dashboard, { ...told, messageId: 'msg_later', createdAt: at + 11_000 });
      await plantDelivery(dashboard, { ...told, messageId: 'msg_zoe', userId: 'zoe', createdAt: at + 500 });
      const refused = entry({
        requestId: 'r-refused',
        at,
        status: 400,
        userId: 'ada',
        clientId: 'acme',
        body: '{"message":"<i>no</i>","code":"event_not_found"}',
      });
      await stores.requestLog.addRequests([
        refused,
        entry({ requestId: 'r-near', at: at + 1_000, userId: 'ada', clientId: 'acme' }),
        entry({ requestId: 'r-other', at, status: 404, clientId: 'other', route: '/events/:id' }),
        entry({ requestId: 'r-nobody', at, status: 429, clientId: undefined, repeated: 1_980 }),
        ...Array.from({ length: 55 }, (_, number) =>
          entry({ requestId: `s${number}`, at: at - 5_000_000 - number, clientId: 'acme' }),
        ),
      ]);
      owner = await dashboard.signedIn('owner');
      developer = await dashboard.signedIn('developer');
    });
    after(() => dashboard.app.close());

    const listed = (body: string): string[] =>
      [...body.matchAll(/<a href="\/dashboard\/requests\/([\w-]+)" class="code"/g)].map(([, id]) => id ?? '');

    it('lists older requests on further pages, each once', async () => {
      const seen: string[] = [];
      let path: string | undefined = `${LIST}?status=all`;
      for (let pages = 0; path !== undefined && pages < 4; pages += 1) {
        const { body } = await owner.get(path);
        seen.push(...listed(body));
        const text = body.replaceAll('&#61;', '=').replaceAll('&#38;', '&');
        path = /href="([^"]*after=[^"]*)"/.exec(text)?.[1];
      }
      assert.equal(seen.length, 59);
      assert.equal(new Set(seen).size, 59);
    });

    it('each filter leaves out what is not meant, and a bad one says what is wrong', async () => {
      const filters: readonly (readonly [string, readonly string[]])[] = [
        ['', ['r-refused', 'r-other', 'r-nobody']],
        ['status=errors&period=1h', ['r-refused', 'r-other', 'r-nobody']],
        ['client=acme&period=1h', ['r-near', 'r-refused']],
        ['client=acme&status=all&period=1h', ['r-near', 'r-refused']],
        ['client=other', ['r-other']],
        ['status=4xx&client=acme', ['r-refused']],
        ['status=429', ['r-nobody']],
        ['route=/events/:id', ['r-other']],
        ['request=r-near', ['r-near']],
        ['client=acme&user=ada', ['r-near', 'r-refused']],
        ['client=acme&user=nobody', []],
      ];
      for (const [query, ids] of filters)
        assert.deepEqual(listed((await owner.get(`${LIST}?${query}`)).body), ids, query);
      for (const query of ['status=lots', 'from=x', 'user=ada'])
        assert.equal((await owner.get(`${LIST}?${query}`)).status, 400, query);
    });

    it('each active filter is a chip whose link leads to the list without it', async () => {
      const { body } = await owner.get(`${LIST}?client=acme&route=/events&period=1h`);

      const links = [...body.matchAll(/<a href="([^"]*)" aria-label="Remove the filter ([^"]*)"/g)];
      assert.deepEqual(
        links.map(([, path = '', name]) => [
          name,
          decodeURIComponent(path.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code))),
        ]),
        [
          ['Application: The acme', `${LIST}?route=/events&period=1h`],
          ['Route: /events', `${LIST}?client=acme&period=1h`],
        ],
      );
      assert.match(body, /aria-current="true">1 h</);
    });

    it('a developer sees the requests of the applications given to them, whatever the address says', async () => {
      for (const query of ['', 'client=other', 'request=r-other', 'status=429', 'status=404']) {
        const ids = listed((await developer.get(`${LIST}?${query}`)).body);
        assert.ok(!ids.includes('r-other') && !ids.includes('r-nobody'), query);
      }
      for (const id of ['r-other', 'r-nobody', 'no-such'])
        assert.equal((await developer.get(`${LIST}/${id}`)).status, 404);
      const tab = await developer.get('/dashboard/applications/acme/requests?client=other&status=4xx');
      assert.deepEqual(listed(tab.body), ['r-refused']);
    });

    it('a request has what was answered as text, and what the same user did and heard close to it', async () => {
      const { body } = await developer.get(`${LIST}/r-refused`);
      assert.ok(!body.includes('<i>no'));
      assert.match(body, /msg_caused/);
      assert.match(body, /r-near/);
      assert.ok(!body.includes('msg_later') && !body.includes('msg_zoe'));
      assert.match((await owner.get(`${LIST}/r-nobody`)).body, /user of this request is unknown/);
    });

    it('the code of an error leads to its section in the documentation, and the page says how to fix it', async () => {
      const link = /<a class="code" href="([^"]*)">event_not_found</;
      const [, url = ''] = link.exec((await developer.get(`${LIST}/r-refused`)).body) ?? [];
      const { errorsDocument } = await import('../../src/documentation/error-index.ts');

      assert.ok(url.endsWith('/docs/errors#event_not_found'), url);
      assert.match(errorsDocument(), /^### event_not_found$/m);
      assert.match((await developer.get(`${LIST}/r-refused`)).body, /How to fix it<\/dt><dd>[^<[]{9}/);
      assert.doesNotMatch((await developer.get(`${LIST}/r-near`)).body, /docs\/errors/);
    });

    it('an entry that stands for several requests has their number in the list and on its page', async () => {
      for (const path of [`${LIST}?request=r-nobody`, `${LIST}/r-nobody`])
        assert.match((await owner.get(path)).body, /1,980 times within one minute/, path);
      for (const path of [`${LIST}?request=r-near`, `${LIST}/r-near`])
        assert.doesNotMatch((await owner.get(path)).body, /times within one minute/, path);
    });

    it('an empty list says what will be shown, and how the log is switched on where it is off', async () => {
      for (const [requestLogDays, words] of [
        [7, /one in a hundred.*7 days/s],
        [0, /KALENDS_REQUEST_LOG&#61;7/],
      ] as const) {
        const empty = await openDashboardApp(await open(), { requestLogDays });
        assert.match((await (await empty.signedIn('owner')).get(LIST)).body, words);
        await empty.app.close();
      }
    });
  });
});

const entry = (change: Partial<NewRequestEntry>): NewRequestEntry => ({
  ...{ requestId: 'r', at: 0, method: 'GET', route: '/calendars', status: 200, durationMs: 3 },
  ...{ clientId: undefined, userId: undefined, network: '192.0.2.0/24', body: undefined, repeated: 1 },
  isClaimed: false,
  ...change,
});
