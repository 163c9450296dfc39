/** From the sandbox's Microsoft through the real mirror to the answers of the interface. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DraftTime } from '../../../sandbox/core/provider-sandbox.ts';
import type { CalendarAccount, CalendarProvider } from '../../../src/calendars/calendar-provider.ts';
import { calendar, event, resource } from '../../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../../harness/calendar-server.ts';
import { FakeCalendarProvider } from '../../harness/fake-calendar-provider.ts';
import { ADA, type Bench, openBench } from '../provider-bench.ts';
import { instancesOf, listEvents } from './listed-events.ts';

const WINDOW = { start: Date.UTC(2026, 8, 1), end: Date.UTC(2027, 2, 1) };

describe("A mirror of Microsoft's calendars", () => {
  let bench: Bench;
  let token: string;

  before(async () => {
    bench = await openBench('microsoft');
    token = await bench.server.token();
    await bench.link({ scope: 'read-write' });
  });
  after(() => bench.close());

  const listed = () => listEvents(bench.server, token, WINDOW);
  const outlook = () => bench.manual.instances(ADA.email, bench.calendarId, WINDOW);

  it('the mirror answers what Outlook shows, whatever becomes of a series and its occurrences', async () => {
    const { manual, calendarId } = bench;
    const on = (day: string): DraftTime => ({ dateTime: `${day}T09:00:00`, timeZone: 'Europe/Berlin' });
    const series = await manual.createEvent(ADA.email, calendarId, {
      title: 'Weekly',
      start: on('2026-10-14'),
      end: { dateTime: '2026-10-14T10:00:00', timeZone: 'Europe/Berlin' },
      recurrence: { frequency: 'weekly', weekdays: ['WE'] },
    });
    await manual.createEvent(ADA.email, calendarId, {
      title: 'Trip',
      start: { date: '2026-12-01' },
      end: { date: '2026-12-04' },
    });
    const steps = [
      () =>
        manual.changeOccurrence(ADA.email, calendarId, {
          id: series,
          original: on('2026-10-28'),
          title: 'Moved',
          start: on('2026-10-29'),
          end: { dateTime: '2026-10-29T11:00:00', timeZone: 'Europe/Berlin' },
        }),
      () => manual.deleteOccurrence(ADA.email, calendarId, { id: series, original: on('2026-11-04') }),
      () => manual.deleteOccurrence(ADA.email, calendarId, { id: series, original: on('2026-10-28') }),
      () =>
        manual.changeOccurrence(ADA.email, calendarId, {
          id: series,
          original: on('2026-11-11'),
          title: 'Renamed',
        }),
      () => manual.deleteEvent(ADA.email, calendarId, series),
    ];
    assert.deepEqual(instancesOf(await listed()), await outlook());
    for (const step of steps) {
      await step();
      bench.pass(11_000);
      assert.deepEqual(instancesOf(await listed()), await outlook());
    }
    assert.deepEqual(
      instancesOf(await listed()).map(({ title }) => title),
      ['Trip'],
    );
  });

  it('the mirror knows a moved occurrence by the id of its series', async () => {
    const { manual, calendarId } = bench;
    const at = (day: string, hour: number): DraftTime => ({
      dateTime: `${day}T${hour}:00:00`,
      timeZone: 'America/New_York',
    });
    const series = await manual.createEvent(ADA.email, calendarId, {
      title: 'Daily',
      start: at('2027-01-04', 11),
      end: at('2027-01-04', 12),
      recurrence: { frequency: 'daily', count: 3 },
    });
    await manual.changeOccurrence(ADA.email, calendarId, {
      id: series,
      original: at('2027-01-05', 11),
      start: at('2027-01-05', 14),
      end: at('2027-01-05', 15),
    });
    bench.pass(11_000);

    const daily = (await listed()).filter(({ title }) => title === 'Daily');

    const masters = new Set(daily.map(({ recurringEventId }) => recurringEventId));
    assert.equal(masters.size, 1);
    const [master] = masters;
    assert.deepEqual(
      daily.map(({ id }) => id.replace(`${master}_`, '')),
      ['20270104T160000Z', '20270105T160000Z', '20270106T160000Z'],
    );
  });

  it("the mirror of Microsoft's calendars keeps its access alive by renewing it", async () => {
    bench.pass(2 * 3_600_000);
    token = await bench.server.token();

    assert.deepEqual(instancesOf(await listed()), await outlook());
  });
});

describe('A provider that takes long to find its first event', () => {
  it('a provider that takes long to find its first event is not asked by another meanwhile', async () => {
    const fake = new FakeCalendarProvider();
    fake.addCalendar(calendar('/a/'));
    fake.put('/a/', resource('one', event('2026-11-10T09:00:00', { title: 'One' })));
    let takenOver: unknown;
    const slow: CalendarProvider = { ...fake.asProvider(), open: () => slowAccount() };
    const server = await openCalendarServer({ caldav: slow });
    const slowAccount = (): CalendarAccount => {
      // The fake one asks nothing of credentials and session.
      const account = (fake.asProvider().open as () => CalendarAccount)();
      return {
        ...account,
        async *changesSince(href, token, stored) {
          for (let page = 0; page < 2 && takenOver === undefined; page += 1) {
            server.clock.now += 60_000;
            yield { changed: [], removed: [], complete: true };
          }
          takenOver ??= await leaseOfAnother(server);
          yield* account.changesSince(href, token, stored);
        },
      };
    };
    await link(server);

    const { events } = (await get(server, '/events', await server.token())).json();

    assert.deepEqual([takenOver, events.length], [undefined, 1]);
    await server.close();
  });
});

async function leaseOfAnother({ deps, clock }: CalendarServer): Promise<unknown> {
  const [account] = await deps.accounts.listAccounts('acme', 'ada');
  const [calendar] = await deps.mirror.listCalendars(account?.accountKey ?? '');
  const lease = { key: calendar?.calendarKey ?? '', holder: 'another' };
  return deps.mirror.leaseCalendar(lease, clock.now, clock.now + 90_000);
}
