/** The progress of first syncs, as an application reads it while they run. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import type { CalendarProvider, Changes } from '../../src/calendars/calendar-provider.ts';
import { createEgress } from '../../src/lib/egress/egress.ts';
import { caldavProvider } from '../../src/providers/caldav/caldav-provider.ts';
import { makeUsers, sealer } from '../contract/calendar-rows.ts';
import { calendar, event as mirrored, resource } from '../contract/mirror-rows.ts';
import {
  type CalendarServer,
  collectingLog,
  get,
  link,
  openCalendarServer,
} from '../harness/calendar-server.ts';
import { counterpart } from '../harness/counterpart.ts';
import { onEachDatabase } from '../harness/databases.ts';
import { FakeCalendarProvider } from '../harness/fake-calendar-provider.ts';
import { event } from '../servers/icalendar.ts';
import { type CalDavServer, send, USERS } from '../servers/process.ts';
import { RADICALE, startRadicale } from '../servers/radicale.ts';

/** Calls `look` after each part of a sync was written, and before the next is read. */
const watched = (provider: CalendarProvider, look: () => Promise<void>): CalendarProvider => ({
  ...provider,
  open: (...args) => {
    const account = provider.open(...args);
    return { ...account, changesSince: (...of) => afterEach(account.changesSince(...of), look) };
  },
});

async function* afterEach(parts: AsyncIterable<Changes>, look: () => Promise<void>): AsyncGenerator<Changes> {
  for await (const part of parts) {
    yield part;
    await look();
  }
}

onEachDatabase((database, open) => {
  /** Opens a server that looks at the first sync of its account after each part. */
  async function openWatched(provider: CalendarProvider) {
    const db = await open();
    await makeUsers(db);
    const seen: unknown[] = [];
    const look = async () => void seen.push(await firstSync());
    const server: CalendarServer = await openCalendarServer({ db, sealer, caldav: watched(provider, look) });
    const token = await server.token();
    const firstSync = async () => {
      const { connections } = (await get(server, '/connection-status', token)).json();
      return connections.caldav[0].firstSync;
    };
    const sync = async (accountKey: string) => {
      seen.length = 0;
      await server.deps.sync.syncNewCalendars(accountKey, server.clock.now);
      return seen;
    };
    return { server, firstSync, sync };
  }

  describe(`the first sync of an account, on ${database}`, () => {
    it('counts calendars and events until all calendars were read, also after a failure', async () => {
      const provider = new FakeCalendarProvider();
      provider.addCalendar(calendar('/a/'));
      const events = Array.from({ length: 120 }, (_, i) =>
        resource(`m${i}`, mirrored('2026-11-11T09:00:00')),
      );
      provider.put('/a/', ...events);
      provider.failures.push({ call: 'changes', error: new Error('The connection was lost') });
      const { server, firstSync, sync } = await openWatched(provider.asProvider());
      const { accountKey } = await link(server);
      const counts = (read: number, calendars = 1) => ({
        ...{ calendars, calendarsRead: 0, events: read, eventsExpected: null },
      });

      assert.deepEqual(await firstSync(), counts(0, 0));
      await sync(accountKey);
      assert.deepEqual(await firstSync(), counts(0));
      server.clock.now += 60_000;

      assert.deepEqual(await sync(accountKey), [counts(50), counts(100), counts(120)]);
      assert.equal(await firstSync(), undefined);
      await server.close();
    });

    it('starts again for a calendar that appears later, and counts what the others have', async () => {
      const provider = new FakeCalendarProvider();
      provider.addCalendar(calendar('/a/'));
      provider.put('/a/', resource('one', mirrored('2026-11-11T09:00:00')));
      const { server, sync } = await openWatched(provider.asProvider());
      const { accountKey } = await link(server);
      await sync(accountKey);
      provider.addCalendar(calendar('/b/'));
      provider.put('/b/', resource('two', mirrored('2026-11-11T09:00:00')));
      server.clock.now += 60_000;

      const seen = await sync(accountKey);

      assert.deepEqual(seen, [{ calendars: 2, calendarsRead: 1, events: 2, eventsExpected: null }]);
      await server.close();
    });
  });

  describe(
    `the first sync of an account of Radicale, on ${database}`,
    counterpart('Radicale', RADICALE),
    () => {
      let radicale: CalDavServer;
      before(async () => {
        radicale = await startRadicale(['work']);
        for (let i = 0; i < 120; i += 1)
          await send(
            'ada',
            'PUT',
            `${radicale.calendarUrl('ada', 'work')}${i}.ics`,
            event(String(i), `E${i}`),
          );
      });
      after(() => radicale?.stop());

      it('knows how many events the server has, from the first part on', async () => {
        const egress = createEgress({ privateNetwork: { mode: 'loopback' } });
        const caldav = caldavProvider({ egress, log: collectingLog(), now: () => server.clock.now });
        const { server, firstSync, sync } = await openWatched(caldav);
        const login = { server: radicale.typed, username: 'ada', password: USERS.ada ?? '' };
        const { accountId, display, credentials } = await caldav.signIn.verify(login);
        const { accountKey } = await link(server, { accountId, display, credentials });

        const seen = await sync(accountKey);

        const counts = { calendars: 1, calendarsRead: 0, eventsExpected: 120 };
        assert.deepEqual(
          seen,
          [50, 100, 120, 120].map((events) => ({ ...counts, events })),
        );
        assert.equal(await firstSync(), undefined);
        await server.close();
        await egress.close();
      });
    },
  );
});
