/** The pages of GET /events: one sorted listing, whatever the size of a page (docs/wire.md 1.7). */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { calendar, event, resource } from '../contract/mirror-rows.ts';
import { type CalendarServer, get, link, openCalendarServer } from '../harness/calendar-server.ts';

type Answer = { events: Record<string, unknown>[]; pageSize: number; nextPageToken?: string };

const recurrence = (rule: string) => ({ rrules: [rule], rdates: [], exdates: [] });

describe('the pages of GET /events', () => {
  let server: CalendarServer;
  let token: string;
  const window = 'start=2026-01-01&end=2036-01-01';
  before(async () => {
    server = await openCalendarServer();
    const { provider } = server;
    for (const href of ['/a/', '/b/']) {
      provider.addCalendar(calendar(href, { timeZone: 'UTC' }));
      const events = Array.from({ length: 40 }, (_, i) => {
        const day = String((i % 20) + 1).padStart(2, '0');
        return resource(`e${i}`, event(`2026-03-${day}T09:00:00`, { title: `${href} ${i}` }));
      });
      const daily = { recurrence: recurrence('FREQ=DAILY;COUNT=60'), title: `${href} daily` };
      const yearly = { recurrence: recurrence('FREQ=YEARLY'), title: `${href} yearly` };
      provider.put(
        href,
        ...events,
        resource('daily', event('2026-02-20T09:00:00', daily)),
        resource('yearly', event('2010-06-01T09:00:00', yearly)),
      );
    }
    await link(server);
    token = await server.token();
  });
  after(() => server.close());

  const page = async (query: string, bearer = token) => {
    const answer = await get(server, `/events?${query}`, bearer);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json<Answer>();
  };
  const walk = async (query: string, pageSize: number, between = async () => {}) => {
    const events: Record<string, unknown>[] = [];
    let answer = await page(`${query}&pageSize=${pageSize}`);
    for (let pages = 1; ; pages += 1) {
      assert.ok(pages < 400, 'the listing ends');
      assert.ok(answer.events.length <= pageSize);
      events.push(...answer.events);
      if (answer.nextPageToken === undefined) return events;
      assert.match(answer.nextPageToken, /^[\w-]+$/);
      assert.equal(answer.events.length, pageSize, 'every page but the last is full');
      await between();
      answer = await page(`pageSize=${pageSize}&nextPageToken=${answer.nextPageToken}`);
    }
  };
  const key = (listed: Record<string, unknown>) => `${listed.start} ${listed.calendarId} ${listed.id}`;

  for (const pageSize of [1, 7, 100, 1000]) {
    it(`GET /events is one sorted listing without gap or repetition in pages of ${pageSize}`, async () => {
      const events = await walk(window, pageSize);

      assert.equal(events.length, 220);
      assert.equal(new Set(events.map(key)).size, 220);
      const starts = events.map(({ start }) => String(start));
      assert.deepEqual(starts, starts.toSorted());
      assert.deepEqual(events.map(key), (await page(`${window}&pageSize=1000`)).events.map(key));
    });
  }

  it('GET /events pages masters with singleEvents=false too', async () => {
    const events = await walk(`${window}&singleEvents=false`, 3);

    assert.equal(events.length, 84);
    assert.equal(new Set(events.map(key)).size, 84);
    assert.deepEqual(
      events.slice(0, 2).map(({ title }) => title),
      ['/a/ yearly', '/b/ yearly'].sort(
        (a, b) => events.findIndex((f) => f.title === a) - events.findIndex((f) => f.title === b),
      ),
    );
  });

  it('a page token carries the window, the filter and singleEvents, whatever is sent beside it', async () => {
    const ids = encodeURIComponent('["/a/"]');
    const first = await page(`${window}&calendarIds=${ids}&singleEvents=false&pageSize=40`);

    const rest = await page(
      `nextPageToken=${first.nextPageToken}&start=2020-01-01&end=x&calendarIds=%7B&singleEvents=?`,
    );

    assert.equal(first.events.length + rest.events.length, 42);
    assert.ok([...first.events, ...rest.events].every(({ calendarId }) => calendarId === '/a/'));
    assert.equal(rest.pageSize, 40);
  });

  it('the pages of GET /events neither repeat nor lose an event when others come and go between them', async () => {
    const { provider, clock } = server;
    let n = 0;
    const events = await walk(
      `start=2026-03-01&end=2026-03-21&calendarIds=${encodeURIComponent('["/a/"]')}`,
      9,
      async () => {
        n += 1;
        clock.now += 11_000;
        provider.put('/a/', resource(`extra${n}`, event('2026-03-01T00:30:00', { title: 'extra' })));
        await get(server, `/events?${window}`, token);
      },
    );

    const steady = events.filter(({ title }) => title !== 'extra');
    assert.equal(steady.length, 40 + 20);
    assert.equal(new Set(steady.map(key)).size, 60);
    for (let i = 1; i <= n; i += 1) provider.remove('/a/', `/extra${i}.ics`);
    clock.now += 11_000;
    await get(server, `/events?${window}`, token);
  });

  it('the page token of another user, of another application, and a changed one are refused', async () => {
    const { nextPageToken = '' } = await page(`${window}&pageSize=5`);
    const middle = nextPageToken.length / 2;
    const changed = `${nextPageToken.slice(0, middle)}${nextPageToken[middle] === 'A' ? 'B' : 'A'}${nextPageToken.slice(middle + 1)}`;
    const statusOf = async (sent: string, bearer: string) =>
      (await get(server, `/events?nextPageToken=${sent}`, bearer)).statusCode;

    assert.equal(await statusOf(nextPageToken, await server.token('read')), 200);
    assert.equal(await statusOf(nextPageToken, await server.token('read', 'ben')), 400);
    assert.equal(await statusOf(nextPageToken, await server.token('read', 'ada', 'other')), 400);
    assert.equal(await statusOf(changed, token), 400);
  });

  it('a page token tells nothing of what it stands at', async () => {
    const { nextPageToken = '' } = await page(`${window}&pageSize=5`);

    assert.ok(!Buffer.from(nextPageToken, 'base64url').toString('latin1').includes('daily'));
  });

  const oneCalendar = (href: string) => `calendarIds=${encodeURIComponent(JSON.stringify([href]))}`;
  const numbers = (end: number) => Array.from({ length: end }, (_, i) => i).join(',');
  /** A calendar with one series, as long as `work` takes. */
  const withSeries = async (rule: string, work: () => Promise<void>) => {
    const { provider, clock } = server;
    provider.addCalendar(calendar('/bomb/', { timeZone: 'UTC' }));
    provider.put('/bomb/', resource('bomb', event('2026-01-01T00:00:00', { recurrence: recurrence(rule) })));
    clock.now += 120_000;
    await get(server, '/calendars', token);
    await work();
    provider.calendars.delete('/bomb/');
    clock.now += 120_000;
    await get(server, '/calendars', token);
  };

  it('what is too much to be expanded at once is served page by page', async () => {
    await withSeries(`FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=${numbers(30)}`, async () => {
      const answer = await page(`${window}&${oneCalendar('/bomb/')}&pageSize=1000`);
      const next = await page(`nextPageToken=${answer.nextPageToken}`);

      const starts = [...answer.events, ...next.events].map(({ start }) => String(start));
      assert.equal(new Set(starts).size, 2000);
      assert.deepEqual(starts, starts.toSorted());
      // Instances of the hour before are under way when the window begins.
      assert.equal(starts[0], '2025-12-31T23:01:00.000Z');
      assert.equal(starts[720], '2026-01-01T23:01:00.000Z');
    });
  });

  it('the master of a series too much to be expanded at once is listed once', async () => {
    await withSeries(`FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)}`, async () => {
      const { events } = await page(`${window}&${oneCalendar('/bomb/')}&singleEvents=false`);

      assert.equal(events.length, 1);
    });
  });

  it('a series whose rule names too much is left out and named, and all others are listed', async () => {
    const rule = `FREQ=DAILY;BYHOUR=${numbers(24)};BYMINUTE=${numbers(60)};BYSECOND=${numbers(60)}`;
    await withSeries(rule, async () => {
      const { provider } = server;
      provider.put('/bomb/', resource('other', event('2026-01-05T00:00:00')));
      server.clock.now += 11_000;

      const answer = await get(server, `/events?${window}&${oneCalendar('/bomb/')}`, token);
      const busy = await get(
        server,
        `/free-busy?start=2026-01-02&end=2026-02-01&${oneCalendar('/bomb/')}`,
        token,
      );

      const left = {
        provider: 'caldav',
        account: 'https://dav.example/ada/',
        calendarId: '/bomb/',
        code: 'event_too_complex',
        reason: 'event_too_complex',
        actor: 'user',
        eventId: 'bomb',
      };
      for (const { statusCode, body } of [answer, busy]) {
        assert.equal(statusCode, 200, body.slice(0, 300));
        const [{ message, ...problem }, ...others] = JSON.parse(body).errors;
        assert.match(message, /^The recurring event bomb of the calendar “.*” is left out: /);
        assert.deepEqual([problem, others], [left, []]);
      }
      assert.deepEqual(
        answer.json().events.map(({ id }: { id: string }) => id),
        ['other'],
      );
      assert.equal(busy.json().busy.length, 1);
    });
  });
});
