/** A sync with too much data, with data that never ends, and with data that cannot be read. */
import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { calendar, event, resource } from '../contract/mirror-rows.ts';
import {
  type CalendarServer,
  type CalendarServerOptions,
  get,
  link,
  openCalendarServer,
} from '../harness/calendar-server.ts';

const DAY = 24 * 3_600_000;
const meeting = (name: string, hour = 9) =>
  resource(name, event(`2026-11-17T${String(hour).padStart(2, '0')}:00:00`, { title: name }));

describe('a sync keeps to its limits', () => {
  let server: CalendarServer;
  afterEach(() => server.close());

  const start = async (options: CalendarServerOptions = {}) => {
    server = await openCalendarServer(options);
    server.provider.addCalendar(calendar('/a/', { title: 'Work' }));
    const { accountKey } = await link(server);
    // An access token lives an hour, and clocks go faster here.
    const read = async () => (await get(server, '/events', await server.token())).json();
    const titles = async () => (await read()).events?.map(({ title }: { title: string }) => title);
    const later = (ms: number) => {
      server.clock.now += ms;
    };
    const health = async () => (await server.deps.accounts.findAccount(accountKey))?.health;
    const calls = () => server.provider.calls.filter((call) => call.startsWith('changes')).length;
    const state = async () => (await server.deps.mirror.listCalendars(accountKey))[0];
    return { read, titles, later, health, calls, state };
  };

  it('a sync serves what there was room for, and says which calendar is too large', async () => {
    const { read, health, calls, later } = await start({ quotas: { eventsPerCalendar: 2 } });
    server.provider.partSize = 2;
    server.provider.put('/a/', ...['one', 'two', 'three'].map((name) => meeting(name)));

    const answer = await read();
    later(12 * 3_600_000);
    await read();

    assert.deepEqual(
      answer.events.map(({ title }: { title: string }) => title),
      ['one', 'two'],
    );
    const [{ code, reason, actor, message }] = answer.errors;
    assert.deepEqual([code, reason, actor], ['too_large', 'calendar_too_large', 'user']);
    assert.match(message, /“Work” has more than 2 events/);
    assert.equal((await health())?.reason, 'calendar_too_large');
    assert.equal(calls(), 1);
  });

  it('a sync of a calendar that is too large takes in a smaller state', async () => {
    const { read, titles, later, health } = await start({ quotas: { eventsPerCalendar: 2 } });
    server.provider.put('/a/', meeting('one'), meeting('two'));
    await read();
    server.provider.put('/a/', meeting('three'));
    later(11_000);
    assert.equal((await read()).errors[0].code, 'too_large');

    server.provider.remove('/a/', '/one.ics');
    server.provider.put('/a/', meeting('four'));
    server.provider.remove('/a/', '/two.ics');
    later(DAY);

    assert.deepEqual((await titles()).toSorted(), ['four', 'three']);
    assert.equal((await health())?.state, 'active');
  });

  it('a sync names what it left out, and the account is well again when it is gone', async () => {
    const { read, titles, later, health } = await start();
    server.provider.put('/a/', meeting('one'), meeting('bad'));
    server.provider.leftOut.set('/bad.ics', 'it has more than 20 recurrence rules');

    assert.deepEqual(await titles(), ['one']);
    const degraded = await health();
    server.provider.remove('/a/', '/bad.ics');
    later(11_000);
    await read();

    assert.deepEqual([degraded?.state, degraded?.reason], ['degraded', 'event_too_complex']);
    assert.equal(
      degraded?.message,
      'The event “bad.ics” of the calendar “Work” is left out: it has more than 20 recurrence rules',
    );
    assert.equal((await health())?.state, 'active');
  });

  it('an account with events that are too complex and others that are unreadable has the first as its reason', async () => {
    const { read, later, health } = await start();
    server.provider.addCalendar(calendar('/b/', { title: 'Home' }));
    server.provider.put('/a/', meeting('complex'));
    server.provider.put('/b/', meeting('unreadable'));
    server.provider.leftOut.set('/complex.ics', 'it has more than 20 recurrence rules');
    server.provider.unreadable.set('/unreadable.ics', 'it has no start that can be read');
    const reasons: (string | undefined)[] = [];
    for (const change of [
      () => {},
      () => server.provider.leftOut.clear(),
      () => server.provider.unreadable.clear(),
    ]) {
      change();
      for (const href of ['/a/', '/b/']) server.provider.put(href, ...server.provider.resourcesOf(href));
      // The calendars are synced at the same time: the second sync of each knows of the first of the other.
      for (let i = 0; i < 2; i += 1) {
        later(11_000);
        await read();
      }
      reasons.push((await health())?.reason);
    }

    assert.deepEqual(reasons, ['event_too_complex', 'event_unreadable', undefined]);
  });

  it('a sync that did not come to its end three times is tried once a day', async () => {
    const { read, titles, later, health, calls, state } = await start();
    server.provider.put('/a/', meeting('one'));
    assert.deepEqual(await titles(), ['one']);
    const { calendarKey = '' } = (await state()) ?? {};
    const die = async () => {
      later(100_000);
      const lease = { key: calendarKey, holder: `dead ${server.clock.now}` };
      return server.deps.mirror.leaseForSync(lease, server.clock.now, server.clock.now + 90_000);
    };
    for (let i = 0; i < 3; i += 1) assert.ok(await die());
    later(100_000);
    const before = calls();

    const aside = await read();
    later(12 * 3_600_000);
    await read();
    assert.equal(calls(), before);
    later(DAY / 2);
    server.provider.put('/a/', meeting('two'));
    const again = await titles();

    const [{ code, reason, actor }] = aside.errors;
    assert.deepEqual([code, reason, actor], ['set_aside', 'calendar_set_aside', 'operator']);
    assert.deepEqual(
      aside.events.map(({ title }: { title: string }) => title),
      ['one'],
    );
    assert.deepEqual(again.toSorted(), ['one', 'two']);
    assert.equal(calls(), before + 1);
    assert.equal((await health())?.state, 'active');
  });

  it('a try of a day that does not come to its end either is followed by a day of rest', async () => {
    const { read, later, calls, state } = await start();
    await read();
    const { calendarKey = '' } = (await state()) ?? {};
    const { mirror } = server.deps;
    const unfinished = { kind: 'set_aside', message: 'Aside', retryAt: server.clock.now } as const;
    for (let i = 0; i < 3; i += 1) {
      later(100_000);
      const lease = { key: calendarKey, holder: `dead ${i}` };
      await mirror.leaseForSync(lease, server.clock.now, server.clock.now + 90_000);
      await mirror.noteFailure(lease, unfinished, server.clock.now);
    }
    later(100_000);
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.provider.beforePart = () => gate;
    const running = server.deps.sync.syncCalendar(calendarKey, server.clock.now);
    while (calls() < 2) await new Promise((resolve) => setImmediate(resolve));
    const { failure } = (await state()) ?? {};

    assert.equal(failure?.kind, 'set_aside');
    assert.equal(failure?.retryAt, server.clock.now + DAY);
    release();
    assert.equal(await running, undefined);
  });

  it('a sync of a slow server is put off after two minutes, and a job continues it', async () => {
    const { read, later, health, state } = await start();
    server.provider.partSize = 1;
    server.provider.put('/a/', ...['one', 'two', 'three'].map((name) => meeting(name)));
    server.provider.beforePart = async (part) => {
      if (part === 1) later(121_000);
    };

    const answer = await read();

    assert.equal(answer.errors[0].code, 'sync_in_progress');
    const { calendarKey, syncedAt, failure } = (await state()) ?? {};
    assert.deepEqual([syncedAt, failure], [undefined, undefined]);
    assert.equal((await server.deps.mirror.storedVersions(calendarKey ?? '')).size, 2);
    assert.equal((await health())?.state, 'active');
    const jobs = await server.db.all("SELECT key FROM job WHERE kind = 'sync-calendar'");
    assert.equal(jobs.length, 1);
  });

  it('a sync of a slow server fails once there is no more room for it, and no job continues it', async () => {
    const { read, later, state } = await start({ quotas: { eventsPerCalendar: 1 } });
    server.provider.partSize = 1;
    server.provider.put('/a/', meeting('one'));
    await read();
    server.provider.put('/a/', ...['two', 'three', 'four'].map((name) => meeting(name)));
    server.provider.beforePart = async () => later(121_000);

    later(11_000);
    const answer = await read();

    assert.equal(answer.errors[0].code, 'too_large');
    assert.equal((await state())?.failure?.kind, 'too_large');
    assert.deepEqual(await server.db.all("SELECT key FROM job WHERE kind = 'sync-calendar'"), []);
  });
});
