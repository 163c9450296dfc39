/** Deliveries about calendars and connections, to endpoints with these topics and to no others. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { link } from '../harness/calendar-server.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { type DeliveryServer, openDeliveryServer } from './delivery-server.ts';

onEachDatabase((database, open) => {
  describe(`notes of calendars and connections, on ${database}`, () => {
    let telling: DeliveryServer;
    beforeEach(async () => {
      telling = await openDeliveryServer({ db: await open() });
      telling.server.provider.addCalendar(calendar('/work/'));
      telling.server.provider.put('/work/', resource('a', event('2026-11-20T09:00:00')));
      await link(telling.server);
      await telling.server.token('read');
      await telling.sync();
      await telling.deliver();
      await hears('hears_events = 0, hears_calendars = 1, hears_connections = 1');
      telling.receiver.received.length = 0;
    });
    afterEach(() => telling.close());

    const hears = (change: string) =>
      telling.server.db.write(`UPDATE webhook_endpoint SET ${change} RETURNING endpoint_id`);
    const told = () =>
      telling.receiver.received.map(({ raw }) => {
        const { eventType, data, metadata, userId, provider } = JSON.parse(raw);
        return {
          eventType,
          title: data.title,
          state: data.state,
          sequence: metadata.sequence,
          userId,
          provider,
        };
      });
    const names = () =>
      told().map(({ eventType, title, state }) => `${eventType} ${title ?? state ?? ''}`.trim());
    const account = async () => {
      const [first] = await telling.server.deps.accounts.listAccounts('acme', 'ada');
      assert.ok(first !== undefined);
      return first;
    };

    it('tells new, changed and deleted calendars in order', async () => {
      const { provider } = telling.server;
      provider.addCalendar({ ...calendar('/new/'), title: 'New' });
      await telling.sync();
      provider.calendars.delete('/new/');
      provider.addCalendar({ ...calendar('/work/'), title: 'Renamed' });
      await telling.sync();
      await telling.deliver();

      assert.deepEqual(names(), ['calendar.created New', 'calendar.updated Renamed', 'calendar.deleted New']);
      assert.deepEqual(
        told().map(({ sequence, userId, provider: kind }) => ({ sequence, userId, kind })),
        [1, 2, 3].map((sequence) => ({ sequence, userId: 'ada', kind: 'caldav' })),
      );
    });

    it('tells that a connection needs its user, and that it works again', async () => {
      const problem = {
        state: 'reauth_required',
        reason: 'access_revoked',
        message: 'Sign in again',
      } as const;
      const { deps, clock } = telling.server;
      await deps.accounts.setHealth(await account(), problem, clock.now);
      await deps.accounts.setHealth(await account(), problem, clock.now + 1);
      await deps.accounts.recover((await account()).accountKey, clock.now + 2);
      await telling.deliver();

      assert.deepEqual(names(), [
        'connection.reauth_required reauth_required',
        'connection.recovered active',
      ]);
    });

    it('tells that a connection is gone, with the grants that its user still has', async () => {
      const { deps, clock } = telling.server;
      await deps.accounts.removeAccount((await account()).accountKey, clock.now, undefined);
      await telling.deliver();

      assert.deepEqual(names(), ['connection.disconnected']);
    });

    it('tells titles of calendars to nobody whose grants see free-busy alone', async () => {
      await telling.server.db.write("UPDATE token_family SET scope = 'free-busy' RETURNING family_id");
      telling.server.provider.addCalendar({ ...calendar('/new/'), title: 'New' });
      await telling.sync();
      await telling.deliver();

      assert.deepEqual(names(), []);
    });

    it('tells an endpoint that asks for events alone nothing of it', async () => {
      await hears('hears_events = 1, hears_calendars = 0, hears_connections = 0');
      telling.server.provider.addCalendar({ ...calendar('/new/'), title: 'New' });
      await telling.sync();
      await telling.deliver();

      assert.ok(telling.receiver.received.every(({ body }) => Array.isArray(body.events)));
    });

    it('keeps a failed note, and the ones behind it in order', async () => {
      telling.receiver.answer = () => ({ status: 500 });
      telling.server.provider.addCalendar({ ...calendar('/new/'), title: 'New' });
      await telling.sync();
      await telling.deliver();
      telling.server.provider.calendars.delete('/new/');
      await telling.sync();
      telling.receiver.answer = () => ({ status: 204 });
      telling.receiver.received.length = 0;
      telling.server.clock.now += 60_000;
      await telling.deliver();

      assert.deepEqual(names(), ['calendar.created New', 'calendar.deleted New']);
    });
  });
});
