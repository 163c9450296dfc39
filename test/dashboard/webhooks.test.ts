/** The endpoints of an application as pages: they are added, changed, tested, paused, removed, and get new secrets. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { HOUR_MS, startOfHour } from '../../src/activity/activity.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { type DashboardApp, type DashboardBrowser, leadsTo, openDashboardApp } from './dashboard-app.ts';
import { plantDelivery, plantEndpoints } from './planted-deliveries.ts';

const TAB = '/dashboard/applications/acme/webhooks';
const ONE = `${TAB}/we_acme`;

onEachDatabase((database, open) => {
  describe(`webhooks in the dashboard, on ${database}`, () => {
    let dashboard: DashboardApp;
    let receiver: Receiver;
    let developer: DashboardBrowser;
    before(async () => {
      dashboard = await openDashboardApp(await open(), { privateNetwork: { mode: 'loopback' } });
      receiver = await openReceiver();
      await plantEndpoints(dashboard);
      developer = await dashboard.signedIn('developer');
    });
    after(async () => {
      receiver.close();
      await dashboard.app.close();
    });

    const endpoint = (endpointId = 'we_acme') => dashboard.stores.endpoints.findEndpoint(endpointId);
    const actions = async () =>
      (await dashboard.stores.audit.listEntries({}, { limit: 50 })).map(({ action }) => action);

    it('an endpoint is added with its topics, and its secret is shown once', async () => {
      const { body } = await developer.post(`${TAB}/new`, { url: receiver.url, hears: 'events' });
      const secret = /whsec_[^<]+/.exec(body)?.[0] ?? '';
      const [, id = ''] = /webhooks\/(we_[\w-]{16})"/.exec(body) ?? [];
      const [kept] = (await dashboard.stores.endpoints.secretsOf(id)) ?? [];
      assert.equal(secret.replaceAll('&#61;', '='), kept?.secret);
      assert.ok(!(await developer.get(`${TAB}/${id}`)).body.includes('whsec_'));
      assert.ok((await actions()).includes('endpoint.created'));

      assert.match((await developer.post(`${TAB}/${id}/test`)).body, /Test delivered: 204/);
      assert.equal(receiver.received.at(-1)?.body.metadata.test, true);
      receiver.answer = () => ({ status: 500, text: '<script>alert(1)</script>' });
      const failed = await developer.post(`${TAB}/${id}/test`);
      assert.match(failed.body, /It answered 500/);
      assert.ok(!failed.body.includes('<script>alert'));
    });

    it('a URL that cannot be, or is another application’s, is refused with what is wrong', async () => {
      const refusals = [
        ['ftp://x.example', /The webhook URL/],
        ['https://other.example/in', /Another application uses this webhook URL/],
        ['https://169.254.169.254/', /169.254.169.254 is not a public host/],
      ] as const;
      for (const [url, words] of refusals)
        for (const path of [`${TAB}/new`, ONE]) {
          const { status, body } = await developer.post(path, { url, hears: 'events', shared: 'yes' });
          assert.equal(status, 400, url);
          assert.match(body, words);
        }
      const deaf = await developer.post(ONE, { url: 'https://acme.example/in' });
      assert.match(deaf.body, /Select at least one topic/);
      assert.equal((await endpoint())?.url, 'https://acme.example/in?key=hush');
      const owner = await dashboard.signedIn('owner');
      const shared = { url: 'https://other.example/in', hears: 'events', shared: 'yes' };
      assert.equal((await owner.post(`${TAB}/new`, shared)).status, 200);
    });

    it('an owner switches the signing keys, which all members see and nobody else can change', async () => {
      const owner = await dashboard.signedIn('owner');
      const hasOwnKeys = async () =>
        (await dashboard.stores.webhookKeys.listKeyUses('acme'))[0]?.keys === 'own';
      assert.match((await owner.get(TAB)).body, /Use own keys/);

      const answer = await owner.post(`${TAB}/keys`, { keys: 'own' });

      const { body } = await owner.get(leadsTo(answer));
      assert.match(body, /The signing keys were switched.*belong to this application alone/s);
      assert.match(body, /Use the deployment’s keys/);
      assert.ok(body.includes('https://kalends.example/.well-known/webhook-keys/acme'));
      assert.match((await developer.get(TAB)).body, /belong to this application alone.*Until <time/s);
      assert.ok(!(await developer.get(TAB)).body.includes('Use the deployment’s keys'));
      assert.equal((await developer.post(`${TAB}/keys`, { keys: 'instance' })).status, 403);
      assert.equal(await hasOwnKeys(), true);
      assert.ok((await actions()).includes('webhook_keys.switched'));
      leadsTo(await owner.post(`${TAB}/keys`, { keys: 'instance' }));
      assert.equal(await hasOwnKeys(), false);
    });

    it('it is changed, paused, resumed and removed, and each is audited', async () => {
      await developer.post(ONE, { url: 'https://acme.example/new', hears: 'connections' });
      const changed = await endpoint();
      assert.equal(changed?.url, 'https://acme.example/new');
      assert.deepEqual(changed?.hears, { events: false, calendars: false, connections: true, own: false });
      for (const [what, state] of [
        ['pause', 'paused'],
        ['resume', 'active'],
      ] as const) {
        const answer = await developer.post(`${ONE}/${what}`);
        assert.match((await developer.get(leadsTo(answer))).body, /The endpoint is (?:paused|active)/);
        assert.equal((await endpoint())?.state, state);
      }
      await developer.post(`${ONE}/remove`);
      assert.equal(await endpoint(), undefined);
      const made = await actions();
      for (const what of ['updated', 'paused', 'resumed', 'deleted'])
        assert.ok(made.includes(`endpoint.${what}` as 'endpoint.updated'), what);
    });

    it('a secret is rotated after a fresh sign-in only, and the one before it signs for a while', async () => {
      await plantEndpoints({
        ...dashboard,
        stores: { ...dashboard.stores, endpoints: onlyMissing(dashboard) },
      });
      const { body } = await developer.post(`${ONE}/rotate`, { overlap: '24' });
      assert.match(body, /whsec_/);
      const secrets = (await dashboard.stores.endpoints.secretsOf('we_acme')) ?? [];
      assert.equal(secrets.length, 2);
      assert.equal(secrets[1]?.until, dashboard.clock.now + 24 * 3_600_000);

      dashboard.clock.now += 6 * 60_000;
      for (const answer of [
        await developer.get(`${ONE}/rotate`),
        await developer.post(`${ONE}/rotate`),
        await developer.post(`${ONE}/remove`),
      ])
        assert.match(leadsTo(answer), /\/dashboard\/confirm/);
      assert.equal((await dashboard.stores.endpoints.secretsOf('we_acme'))?.length, 2);
    });

    it('the success rate is that of the attempts of a week, and never rounds up to 100%', async () => {
      const { stores, clock } = dashboard;
      const count = (attempts: number, failures: number, hoursAgo: number) =>
        stores.activity.addCounts([], startOfHour(clock.now) - hoursAgo * HOUR_MS, [
          { endpointId: 'we_acme', attempts, failures },
        ]);
      const rate = async () => (await developer.get(TAB)).body.match(/[\d.]+% of [\d,]+/)?.[0];

      await count(10, 10, 7 * 24 + 1);
      assert.equal(await rate(), undefined);
      await count(2, 0, 7 * 24);
      await count(1, 1, 0);
      assert.equal(await rate(), '66.6% of 3');
      await count(99_997, 0, 0);
      assert.equal(await rate(), '99.9% of 100,000');
      const { body } = await developer.get(`${TAB}/we_acme`);
      assert.match(body, /aria-label="Delivery attempts: 99,997 succeeded, 1 failed"/);
    });

    it('an endpoint lists its ten newest undelivered deliveries, each with a button that resends it', async () => {
      const { clock } = dashboard;
      const states = ['pending', 'dead', 'delivered', 'withheld'] as const;
      for (let number = 10; number < 40; number += 1)
        await plantDelivery(dashboard, {
          ...{ messageId: `msg_${number}`, clientId: 'acme', createdAt: clock.now - number },
          state: states[number % 4] ?? 'dead',
        });
      const idsIn = (body: string) => [...body.matchAll(/deliveries\/acme\/(msg_\d+)"/g)].map(([, id]) => id);
      const { body } = await developer.get(ONE);
      const expected = [12, 13, 16, 17, 20, 21, 24, 25, 28, 29].map((number) => `msg_${number}`);
      assert.deepEqual(idsIn(body), expected);
      assert.equal(body.match(/action="[^"]*\/replay"/g)?.length, 10);
      assert.match(body, />Retrying</);

      assert.match(
        leadsTo(await developer.post('/dashboard/deliveries/acme/msg_12/replay')),
        /done=replayed/,
      );
      const viewer = await (await dashboard.signedIn('viewer')).get(ONE);
      assert.deepEqual([idsIn(viewer.body), viewer.body.includes('/replay"')], [expected, false]);
    });

    it('a foreign endpoint is not there, and a viewer changes none and sees no secret of its URL', async () => {
      for (const path of ['', '/rotate', '/remove']) {
        const { status } = await (await dashboard.signedIn('developer')).get(`${TAB}/we_other${path}`);
        assert.equal(status, 404, path);
      }
      assert.equal((await developer.post(`${TAB}/we_other/pause`)).status, 404);
      assert.equal((await endpoint('we_other'))?.state, 'active');
      const viewer = await dashboard.signedIn('viewer');
      const { body } = await viewer.get(ONE);
      assert.ok(
        !body.includes('hush') &&
          !body.includes('/rotate') &&
          !body.includes('/remove') &&
          !body.includes('/pause'),
      );
    });
  });
});

/** Returns the endpoint store, whose `addEndpoint` skips endpoints that exist already. */
const onlyMissing = ({ stores }: DashboardApp): DashboardApp['stores']['endpoints'] => ({
  ...stores.endpoints,
  addEndpoint: async (one) => {
    if ((await stores.endpoints.findEndpoint(one.endpointId)) === undefined)
      await stores.endpoints.addEndpoint(one, undefined);
  },
});
