/** The log of deliveries and their replay, as an application sees them. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';

type Delivery = Readonly<Record<string, unknown>> & { readonly id: string };

onEachDatabase((database, open) => {
  describe(`the log of deliveries, on ${database}`, () => {
    let telling: DeliveryServer;
    beforeEach(async () => {
      telling = await openDeliveryServer({ db: await open() });
      telling.server.provider.addCalendar(calendar('/work/'));
      telling.server.provider.put('/work/', resource('a', event('2026-11-20T09:00:00')));
      await link(telling.server);
      await telling.server.token('read');
      await telling.sync();
      await telling.deliver();
    });
    afterEach(() => telling.close());

    const ask = async (
      url: string,
      options: { payload?: object; as?: string; method?: 'GET' | 'POST' } = {},
    ) => {
      const { payload, as = 'acme', method = 'GET' } = options;
      const answer = await telling.server.app.inject({
        method,
        url,
        headers: { authorization: `Basic ${Buffer.from(`${as}:${as}`).toString('base64')}` },
        ...(payload && { payload }),
      });
      return { status: answer.statusCode, ...answer.json() };
    };
    const list = async (query = ''): Promise<Delivery[]> =>
      (await ask(`/webhooks/deliveries${query}`)).deliveries;
    const change = async (title: string) => {
      telling.server.provider.put('/work/', resource('a', event('2026-11-20T09:00:00', { title })));
      await telling.sync();
      await telling.deliver();
    };
    const fail = async (title: string) => {
      telling.receiver.answer = () => ({ status: 500, text: 'no thanks' });
      await change(title);
      telling.receiver.answer = () => ({ status: 204 });
      telling.receiver.received.length = 0;
    };

    it('lists the newest first, in pages of any size, with what became of each', async () => {
      await change('one');
      await fail('two');

      const all = await list();
      assert.deepEqual(
        all.map(({ state, sequence }) => `${sequence} ${state}`),
        ['3 pending', '2 delivered', '1 delivered'],
      );
      const paged: Delivery[] = [];
      for (let token = ''; ; ) {
        const page = await ask(`/webhooks/deliveries?pageSize=1${token && `&nextPageToken=${token}`}`);
        paged.push(...page.deliveries);
        if (page.nextPageToken === undefined) break;
        token = page.nextPageToken;
      }
      assert.deepEqual(paged, all);
    });

    it('filters by state, user, calendar, endpoint and time', async () => {
      await fail('two');
      const count = async (query: string) => (await list(query)).length;

      assert.equal(await count('?state=pending'), 1);
      assert.equal(await count('?userId=ada&provider=caldav&calendarId=/work/&endpointId=we_acme'), 2);
      assert.equal(await count('?userId=ben'), 0);
      assert.equal(await count('?from=2026-11-15T12:01:30Z'), 1);
      assert.equal(await count('?to=2026-11-15T12:01:30Z'), 1);
    });

    it('shows one with its attempts and its body', async () => {
      await fail('two');
      const [{ id } = { id: '' }] = await list('?state=pending');

      const shown = await ask(`/webhooks/deliveries/${id}`);

      assert.equal(shown.body.events[0].title, 'two');
      assert.equal(shown.attemptLog[0].status, 500);
      assert.equal(shown.attemptLog[0].fault, 'It answered 500');
      // The response of a host in the operator's own network is not shown.
      assert.equal(shown.attemptLog[0].answer, undefined);
    });

    it('shows and replays no more than what is granted now', async () => {
      await change('Secret');
      const [{ id } = { id: '' }] = await list();
      await telling.server.db.write("UPDATE token_family SET scope = 'free-busy' RETURNING family_id");
      assert.ok(!JSON.stringify(await ask(`/webhooks/deliveries/${id}`)).includes('Secret'));
      await telling.server.db.write('UPDATE token_family SET ended_at = 1 RETURNING family_id');
      assert.equal((await ask(`/webhooks/deliveries/${id}`)).body, null);
      telling.receiver.received.length = 0;
      await ask(`/webhooks/deliveries/${id}/replay`, { method: 'POST' });
      await telling.resend();

      assert.equal(telling.receiver.received.length, 0);
      const { attemptLog, state } = await ask(`/webhooks/deliveries/${id}`);
      assert.match(attemptLog.at(-1).fault, /No grant covers/);
      assert.equal(state, 'delivered');
    });

    it('shows and replays a note of a connection or a calendar while a grant covers its account', async () => {
      const { db, deps, clock } = telling.server;
      const hears = 'hears_connections = 1, hears_calendars = 1, hears_events = 0';
      await db.write(`UPDATE webhook_endpoint SET ${hears} RETURNING endpoint_id`);
      const [account] = await deps.accounts.listAccounts('acme', 'ada');
      assert.ok(account !== undefined);
      const problem = { state: 'degraded', reason: 'provider_unavailable', message: 'x' } as const;
      await deps.accounts.setHealth(account, problem, clock.now);
      telling.server.provider.addCalendar(calendar('/new/'));
      await telling.sync();
      await telling.deliver();
      const ids: Record<string, string> = {};
      for (const { id } of await list()) ids[(await ask(`/webhooks/deliveries/${id}`)).body.eventType] = id;
      const replayed = async () => {
        telling.receiver.received.length = 0;
        for (const name of ['connection.degraded', 'calendar.created'])
          await ask(`/webhooks/deliveries/${ids[name]}/replay`, { method: 'POST' });
        await telling.resend();
        const sent = telling.receiver.received.map(({ headers }) => headers['webhook-id']);
        return Object.keys(ids).filter((name) => sent.includes(ids[name]));
      };

      assert.deepEqual((await replayed()).sort(), ['calendar.created', 'connection.degraded']);
      await db.write("UPDATE token_family SET scope = 'free-busy' RETURNING family_id");
      assert.deepEqual(await replayed(), ['connection.degraded']);
      assert.equal((await ask(`/webhooks/deliveries/${ids['calendar.created']}`)).body, null);
      await db.write("UPDATE token_family SET scope = 'read', ended_at = 1 RETURNING family_id");
      assert.deepEqual(await replayed(), []);
      assert.equal((await ask(`/webhooks/deliveries/${ids['connection.degraded']}`)).body, null);
    });

    it('sends the same bytes under the same id when one is replayed, and makes a dead one delivered', async () => {
      await fail('two');
      await telling.server.db.write(
        "UPDATE webhook_message SET state = 'dead' WHERE state = 'pending' RETURNING message_id",
      );
      const [{ id } = { id: '' }] = await list('?state=dead');
      const { body } = await ask(`/webhooks/deliveries/${id}`);

      assert.deepEqual(await ask(`/webhooks/deliveries/${id}/replay`, { method: 'POST' }), {
        status: 200,
        success: true,
        id,
      });
      assert.equal(await telling.resend(), 1);

      const [sent] = telling.receiver.received;
      assert.equal(sent?.headers['webhook-id'], id);
      assert.deepEqual(sent?.body, body);
      assert.equal((await ask(`/webhooks/deliveries/${id}`)).state, 'delivered');
      assert.equal(await telling.resend(), 0);
    });

    it('replays a range, and each once', async () => {
      await change('one');
      await change('two');
      telling.receiver.received.length = 0;
      const payload = { from: '2026-11-15T00:00:00Z', to: '2026-11-16T00:00:00Z' };
      const answer = await ask('/webhooks/replay', { method: 'POST', payload });
      await telling.resend();

      assert.deepEqual(answer, { status: 200, success: true, count: 3, more: false });
      assert.equal(telling.receiver.received.length, 3);
    });

    it('a replay of a paused endpoint waits', async () => {
      await change('one');
      telling.receiver.received.length = 0;
      await telling.deps.endpoints.pauseEndpoint('we_acme', 1, undefined);
      const [{ id } = { id: '' }] = await list();
      await ask(`/webhooks/deliveries/${id}/replay`, { method: 'POST' });
      assert.equal(await telling.resend(), 0);
      await telling.deps.endpoints.resumeEndpoint('we_acme', undefined);

      assert.equal(await telling.resend(), 1);
    });

    it("is the application's own", async () => {
      await change('one');
      const [{ id } = { id: '' }] = await list();

      assert.deepEqual((await ask('/webhooks/deliveries', { as: 'other' })).deliveries, []);
      assert.equal((await ask(`/webhooks/deliveries/${id}`, { as: 'other' })).status, 404);
      assert.equal(
        (await ask(`/webhooks/deliveries/${id}/replay`, { as: 'other', method: 'POST' })).status,
        404,
      );
      assert.equal((await telling.server.app.inject('/webhooks/deliveries')).statusCode, 401);
    });

    for (const query of [
      'state=lost',
      'from=yesterday',
      'pageSize=0',
      'pageSize=251',
      'nextPageToken=x',
      'provider=yahoo',
    ]) {
      it(`400 for ${query}`, async () => {
        const answer = await ask(`/webhooks/deliveries?${query}`);

        assert.equal(answer.status, 400);
        assert.equal(typeof answer.message, 'string');
      });
    }

    it('400 for a replay without a time', async () => {
      const answer = await ask('/webhooks/replay', { method: 'POST', payload: { state: 'dead' } });

      assert.equal(answer.status, 400);
      assert.deepEqual(Object.keys(answer.details).sort(), ['from', 'to']);
    });

    it('forgets what is older than 30 days, but for what is being tried', async () => {
      await fail('two');
      await telling.server.deps.messages.deleteOldMessages(telling.server.clock.now + 1);

      assert.deepEqual(
        (await list()).map(({ state }) => state),
        ['pending'],
      );
    });
  });
});
