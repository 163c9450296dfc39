/** The sandbox's CalDAV servers: what people do arrives at our adapters, and each behaves in its own way. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { type CalDavSandbox, caldavSandbox } from '../../../sandbox/caldav/caldav-sandbox.ts';
import { sandboxClock } from '../../../sandbox/core/clock.ts';
import { faultBoard } from '../../../sandbox/core/faults.ts';
import type { EventDraft } from '../../../sandbox/core/provider-sandbox.ts';
import type { CalendarAccount } from '../../../src/calendars/calendar-provider.ts';
import { ProviderError, type ProviderErrorKind } from '../../../src/calendars/provider-error.ts';
import { createEgress, type Egress } from '../../../src/lib/egress/egress.ts';
import { appleProvider } from '../../../src/providers/apple/apple-provider.ts';
import { caldavProvider } from '../../../src/providers/caldav/caldav-provider.ts';
import { seriesWithOverride } from '../../servers/icalendar.ts';
import { type Mirror, sync, titles } from '../../servers/mirror.ts';
import { recordingLog } from '../../servers/recording-log.ts';

const ADA = 'ada@people.example';
const BERLIN = 'Europe/Berlin';
const DAY = 86_400_000;

/** Mondays at nine over the end of summer time. */
const WEEKLY: EventDraft = {
  title: 'Weekly',
  start: { dateTime: '2026-10-12T09:00:00', timeZone: BERLIN },
  end: { dateTime: '2026-10-12T10:00:00', timeZone: BERLIN },
  recurrence: { frequency: 'weekly', count: 4, weekdays: ['MO'] },
};
const AUTUMN = { start: Date.UTC(2026, 9, 1), end: Date.UTC(2026, 11, 1) };
const at = (dateTime: string) => ({ dateTime, timeZone: BERLIN });

const failsAs = (kind: ProviderErrorKind) => (failure: unknown) =>
  failure instanceof ProviderError && failure.kind === kind;

for (const kind of ['caldav', 'icloud'] as const)
  describe(`the sandbox’s ${kind} server`, () => {
    const faults = faultBoard();
    const { log } = recordingLog();
    let sandbox: CalDavSandbox;
    let egress: Egress;
    let account: CalendarAccount;
    let calendar: string;
    before(async () => {
      egress = createEgress({ privateNetwork: { mode: 'loopback' } });
      sandbox = await caldavSandbox({ kind, clock: sandboxClock(), faults, syncPage: 7 });
      await sandbox.manual.addPerson({ email: ADA, name: 'Ada' });
      calendar = await sandbox.manual.addCalendar(ADA, { title: 'Work', color: '#0a84ff', timeZone: BERLIN });
      account = provider().open(await login());
    });
    after(async () => {
      await egress?.close();
      await sandbox?.close();
    });

    const provider = () => {
      const deps = { egress, log, now: Date.now };
      return kind === 'icloud' ? appleProvider({ ...deps, serverUrl: sandbox.origin }) : caldavProvider(deps);
    };
    const login = async (password = sandbox.passwordOf(ADA)) =>
      (await provider().signIn.verify({ server: sandbox.origin, username: ADA, password })).credentials;
    const emptyCalendar = () => sandbox.manual.addCalendar(ADA, { title: 'Other', timeZone: BERLIN });
    const send = (method: string, url: string, body?: string, headers: Record<string, string> = {}) =>
      fetch(url, {
        method,
        redirect: 'manual',
        headers: { authorization: basic(sandbox.passwordOf(ADA)), ...headers },
        ...(body === undefined ? {} : { body }),
      });
    const shownTitles = async (calendarId: string) =>
      (await sandbox.manual.instances(ADA, calendarId, AUTUMN)).map(
        ({ title, start }) => `${title} ${new Date(start).toISOString()}`,
      );

    it('the CalDAV sandbox lets the adapter in and shows it the calendar with its color and zone', async () => {
      const [listed] = await account.listCalendars();

      assert.deepEqual(
        [listed?.href, listed?.title, listed?.color, listed?.timeZone, listed?.access],
        [calendar, 'Work', '#0a84ff', BERLIN, 'write'],
      );
    });

    it('a calendar that others own is shown as one to read', async () => {
      const shared = await sandbox.manual.addCalendar(ADA, {
        title: 'Shared',
        timeZone: 'UTC',
        readOnly: true,
      });

      const listed = (await account.listCalendars()).find(({ href }) => href === shared);

      assert.equal(listed?.access, 'read');
      const put = await send('PUT', `${shared}x.ics`, 'BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n');
      assert.equal(put.status, 403);
    });

    it('a series keeps its time of day over a clock change, with its exceptions in one resource', async () => {
      const series = await sandbox.manual.createEvent(ADA, calendar, WEEKLY);
      await sandbox.manual.changeOccurrence(ADA, calendar, {
        id: series,
        original: at('2026-10-19T09:00:00'),
        title: 'Moved',
        start: at('2026-10-20T11:00:00'),
      });
      await sandbox.manual.deleteOccurrence(ADA, calendar, {
        id: series,
        original: at('2026-10-26T09:00:00'),
      });
      const mirror: Mirror = new Map();
      await sync(account, calendar, mirror);

      assert.deepEqual(await shownTitles(calendar), [
        'Weekly 2026-10-12T07:00:00.000Z',
        'Moved 2026-10-20T09:00:00.000Z',
        'Weekly 2026-11-02T08:00:00.000Z',
      ]);
      const [resource] = mirror.values();
      const [master, moved] = resource?.events ?? [];
      assert.equal(mirror.size, 1);
      assert.equal(resource?.eventId, series);
      assert.deepEqual(master?.start, { type: 'zoned', local: '2026-10-12T09:00:00', zone: BERLIN });
      assert.deepEqual(master?.recurrence?.rrules, ['FREQ=WEEKLY;COUNT=4;BYDAY=MO']);
      assert.equal(master?.recurrence?.exdates.length, 1);
      assert.deepEqual(moved?.recurrenceId, { type: 'zoned', local: '2026-10-19T09:00:00', zone: BERLIN });
      assert.deepEqual(moved?.end, { type: 'zoned', local: '2026-10-20T12:00:00', zone: BERLIN });
    });

    it('exceptions are kept while a series keeps its times, and dropped with those', async () => {
      const calendar = await emptyCalendar();
      const series = await sandbox.manual.createEvent(ADA, calendar, WEEKLY);
      await sandbox.manual.deleteOccurrence(ADA, calendar, {
        id: series,
        original: at('2026-10-19T09:00:00'),
      });

      await sandbox.manual.updateEvent(ADA, calendar, { id: series, ...WEEKLY, title: 'Renamed' });
      const renamed = await shownTitles(calendar);
      const daily = { frequency: 'daily', count: 2 } as const;
      await sandbox.manual.updateEvent(ADA, calendar, { id: series, ...WEEKLY, recurrence: daily });

      assert.equal(renamed.length, 3);
      assert.ok(renamed.every((text) => text.startsWith('Renamed')));
      assert.deepEqual(await shownTitles(calendar), [
        'Weekly 2026-10-12T07:00:00.000Z',
        'Weekly 2026-10-13T07:00:00.000Z',
      ]);
    });

    it('the occurrences are known of series that other clients wrote in their own spelling', async () => {
      const calendar = await emptyCalendar();
      const utc = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
      assert.equal((await send('PUT', `${calendar}other.ics`, seriesWithOverride('other'))).status, 201);

      await sandbox.manual.deleteOccurrence(ADA, calendar, {
        id: 'other.ics',
        original: utc('2026-01-12T09:00:00'),
      });
      await sandbox.manual.changeOccurrence(ADA, calendar, {
        id: 'other.ics',
        original: utc('2026-01-19T09:00:00'),
        title: 'Third',
      });

      const window = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2026, 0, 27) };
      const instances = await sandbox.manual.instances(ADA, calendar, window);
      assert.deepEqual(
        instances.map(({ title }) => title),
        ['Weekly', 'Third', 'Weekly'],
      );
    });

    it('every word of an event is carried over CalDAV', async () => {
      const calendar = await emptyCalendar();
      await sandbox.manual.createEvent(ADA, calendar, {
        title: 'Lunch, "late"; with é 🥗 and a line\nbreak',
        start: { date: '2026-11-28' },
        end: { date: '2026-11-30' },
        description: 'x'.repeat(200),
        location: 'Café',
        availability: 'free',
        privacy: 'private',
        conference: 'https://meet.example/abc',
        attendees: [{ email: 'ben@people.example', name: 'Ben "B" Boss' }],
      });
      const mirror: Mirror = new Map();
      await sync(account, calendar, mirror);

      const [event] = [...mirror.values()].flatMap(({ events }) => events);
      assert.equal(event?.title, 'Lunch, "late"; with é 🥗 and a line\nbreak');
      assert.deepEqual(
        [event?.start, event?.end],
        [
          { type: 'date', date: '2026-11-28' },
          { type: 'date', date: '2026-11-30' },
        ],
      );
      assert.deepEqual([event?.availability, event?.privacy, event?.location], ['free', 'private', 'Café']);
      assert.equal(event?.conference, 'https://meet.example/abc');
      assert.equal(event?.description?.length, 200);
      assert.deepEqual(
        event?.attendees.map(({ email, name, organizer }) => [email, name, organizer]),
        [
          [ADA, 'Ada', true],
          ['ben@people.example', 'Ben "B" Boss', undefined],
        ],
      );
    });

    it('refuses changes to what does not exist', async () => {
      const { manual } = sandbox;
      const series = await manual.createEvent(ADA, calendar, WEEKLY);
      const never = at('2026-10-13T09:00:00');
      const calls = [
        () => manual.addCalendar('nobody@people.example', { title: 'x', timeZone: 'UTC' }),
        () => manual.addPerson({ email: ADA, name: 'Again' }),
        () => manual.updateEvent(ADA, calendar, { ...WEEKLY, id: 'nothing.ics' }),
        () => manual.deleteEvent(ADA, `${calendar}x`, series),
        () => manual.changeOccurrence(ADA, calendar, { id: series, original: never, title: 'x' }),
        () => manual.deleteOccurrence(ADA, calendar, { id: series, original: never }),
        () => manual.createEvent(ADA, calendar, { ...WEEKLY, end: { date: '2026-10-13' } }),
        () => manual.createEvent(ADA, calendar, { ...WEEKLY, start: at('2026-10-32T09:00:00') }),
      ];

      for (const call of calls) await assert.rejects(call, Error);
    });

    it('long lists of changes are sent in parts that say there is more', async () => {
      const calendar = await emptyCalendar();
      const names = Array.from({ length: 20 }, (_, index) => `Event ${String(index).padStart(2, '0')}`);
      for (const title of names) await sandbox.manual.createEvent(ADA, calendar, { ...WEEKLY, title });
      const mirror: Mirror = new Map();
      const earlier = sandbox.requests('REPORT');

      const { next } = await sync(account, calendar, mirror);
      const reports = sandbox.requests('REPORT') - earlier;
      const [first] = mirror.keys();
      await sandbox.manual.deleteEvent(ADA, calendar, first?.split('/').at(-1) ?? '');
      await sync(account, calendar, mirror, next);

      assert.equal(mirror.size, 19);
      // Three parts, the members of each read at once.
      assert.equal(reports, 6);
    });

    it('one request tells that nothing is new', async () => {
      const mirror: Mirror = new Map();
      const { next } = await sync(account, calendar, mirror);
      const earlier = sandbox.requests();

      await sync(account, calendar, mirror, next);

      assert.equal(sandbox.requests() - earlier, 1);
    });

    it('sync tokens that the sandbox forgot are refused, and those a fault makes it forget', async () => {
      const mirror: Mirror = new Map();
      const { next } = await sync(account, calendar, mirror);
      faults.set({ provider: kind, operation: 'REPORT', times: 1, effect: { kind: 'token_forgotten' } });
      await assert.rejects(sync(account, calendar, mirror, next), failsAs('sync_token_expired'));
      await sync(account, calendar, mirror, next);

      await sandbox.manual.forgetSyncTokens(ADA, calendar);

      await assert.rejects(sync(account, calendar, mirror, next), failsAs('sync_token_expired'));
    });

    it('an adapter whose parts come in another order, twice, cut off, or not at all stays right', async () => {
      const calendar = await emptyCalendar();
      for (const title of ['A', 'B', 'C'])
        await sandbox.manual.createEvent(ADA, calendar, { ...WEEKLY, title });
      for (const effect of ['reorder', 'duplicate'] as const) {
        faults.set({ provider: kind, operation: 'REPORT', times: 2, effect: { kind: effect } });
        const mirror: Mirror = new Map();
        await sync(account, calendar, mirror);
        assert.deepEqual(titles(mirror), ['A', 'B', 'C'], effect);
      }
      for (const effect of ['truncate', 'reset', 'lost_answer'] as const) {
        faults.set({ provider: kind, operation: 'REPORT', times: 1, effect: { kind: effect } });
        await assert.rejects(sync(account, calendar, new Map()), failsAs('unavailable'), effect);
      }
    });

    it('applies a status to one method of one user', async () => {
      const wait = { kind: 'status', status: 429, retryAfter: 7 } as const;
      faults.set({ provider: kind, operation: 'PROPFIND', user: 'ben@people.example', effect: wait });
      faults.set({ provider: kind, operation: 'PROPFIND', user: ADA, times: 1, effect: wait });

      await assert.rejects(
        account.listCalendars(),
        (failure) =>
          failure instanceof ProviderError && failure.kind === 'rate_limited' && failure.retryAfter === 7000,
      );
      assert.ok((await account.listCalendars()).length > 0);
      faults.clear();
    });

    it('writes are conditional, and calendars are made and removed', async () => {
      const url = sandbox.calendarUrl(ADA, 'made');
      assert.equal((await send('MKCALENDAR', url)).status, 201);
      assert.equal((await send('MKCALENDAR', url)).status, 403);
      const object = (summary: string, uid = 'one') =>
        `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20261005T090000Z\r\nDTEND:20261005T100000Z\r\nSUMMARY:${summary}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

      const made = await send('PUT', `${url}one.ics`, object('One'), { 'if-none-match': '*' });
      const again = await send('PUT', `${url}one.ics`, object('Two'), { 'if-none-match': '*' });
      const stale = await send('PUT', `${url}one.ics`, object('Two'), { 'if-match': '"stale"' });
      const etag = made.headers.get('etag') ?? '';
      const changed = await send('PUT', `${url}one.ics`, object('Two'), { 'if-match': etag });
      const twice = await send('PUT', `${url}two.ics`, object('Three'));
      const late = await send('DELETE', `${url}one.ics`, undefined, { 'if-match': etag });
      const gone = await send('DELETE', `${url}one.ics`, undefined, {
        'if-match': changed.headers.get('etag') ?? '',
      });
      const removed = await send('DELETE', url);

      assert.deepEqual(
        [made, again, stale, changed, twice, late, gone, removed].map(({ status }) => status),
        [201, 412, 412, 204, 403, 412, 204, 204],
      );
      assert.match(await twice.text(), /no-uid-conflict/);
    });

    it('bad input to the CalDAV sandbox is answered with an error of the client’s', async () => {
      const bad: [string, string, string | undefined, number][] = [
        ['PROPFIND', calendar, '<not xml', 400],
        ['REPORT', calendar, '<d:nothing xmlns:d="DAV:"/>', 403],
        ['REPORT', calendar, '<!DOCTYPE x><x/>', 400],
        ['PUT', `${calendar}bad.ics`, 'no calendar', 403],
        ['PUT', `${calendar}%zz.ics`, 'x', 400],
        ['PUT', `${sandbox.homeOrigin}/x.ics`, 'x', 409],
        ['GET', `${calendar}missing.ics`, undefined, 404],
        ['DELETE', `${calendar}missing.ics`, undefined, 404],
        ['COPY', calendar, undefined, 405],
        ['PROPPATCH', calendar, '<d:propertyupdate xmlns:d="DAV:"/>', 207],
      ];

      for (const [method, url, body, expected] of bad)
        assert.equal((await send(method, url, body)).status, expected, `${method} ${body}`);
    });

    it('an application’s access ends with the password, and the next one lets it in', async () => {
      await sandbox.manual.revokeAccess(ADA);

      await assert.rejects(account.listCalendars(), failsAs('unauthorized'));
      account = provider().open(await login());
      assert.ok((await account.listCalendars()).length > 0);
    });

    it('instances of a window are shown by their overlap with it', async () => {
      const calendar = await emptyCalendar();
      await sandbox.manual.createEvent(ADA, calendar, {
        title: 'Trip',
        start: { date: '2026-10-30' },
        end: { date: '2026-11-02' },
      });
      const window = { start: Date.UTC(2026, 10, 1), end: Date.UTC(2026, 10, 1) + DAY };

      const instances = await sandbox.manual.instances(ADA, calendar, window);

      const times = { start: Date.UTC(2026, 9, 30), end: Date.UTC(2026, 10, 2) };
      assert.deepEqual(instances, [{ title: 'Trip', ...times, allDay: true }]);
      assert.deepEqual(
        await sandbox.manual.instances(ADA, calendar, { start: times.end, end: times.end + DAY }),
        [],
      );
    });
  });

const basic = (password: string): string => `Basic ${Buffer.from(`${ADA}:${password}`).toString('base64')}`;
