/** Restarts of the service: a stop that was asked for says nothing about the calendars that are read just then. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { sealer } from '../contract/calendar-rows.ts';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

describe('a stop of the service', () => {
  const servers: CalendarServer[] = [];
  let release = () => {};
  afterEach(async () => {
    release();
    for (const server of servers.splice(0).reverse()) await server.close();
  });

  it('a first sync that four restarts in a row cut short is not set aside', async () => {
    const first = await openCalendarServer({ sealer });
    servers.push(first);
    first.provider.addCalendar(calendar('/a/'));
    first.provider.put('/a/', resource('one', event('2026-11-17T09:00:00', { title: 'One' })));
    const { promise: released, resolve } = Promise.withResolvers<void>();
    release = resolve;
    let begun = 0;
    first.provider.beforePart = async () => {
      begun += 1;
      await released;
    };
    const { accountKey } = await link(first);
    await first.deps.sync.syncList(accountKey, first.clock.now);
    const [{ calendarKey = '' } = {}] = await first.deps.mirror.listCalendars(accountKey);

    for (let restart = 1; restart <= 4; restart += 1) {
      const { db, clock } = first;
      const server = await openCalendarServer({ db, sealer, clock, caldav: first.provider.asProvider() });
      servers.push(server);
      void server.deps.sync.syncCalendar(calendarKey, clock.now);
      for (let turn = 0; begun < restart && turn < 10_000; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
      assert.equal(begun, restart, 'it is read again');
      await server.deps.sync.excuse();
      // Killed then: its lease runs out.
      clock.now += 100_000;
    }
    release();

    const answer = (await get(first, '/events', await first.token())).json();
    assert.equal(answer.errors, undefined);
    assert.equal(answer.events[0].title, 'One');
  });
});
