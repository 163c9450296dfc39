/** Contract tests for EventReader. Each database's test calls them with its own empty, migrated database. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventMembers } from '../../src/calendars/mirrored-event.ts';
import { renderMembers } from '../../src/lib/rendered-json.ts';
import type { EventPosition } from '../../src/reading/event-reader.ts';
import { parseTimes } from '../../src/reading/expand-calendar.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW } from './calendar-rows.ts';
import { calendar, changesTo, event, fill, LATER, leased, mirrorWith, resource } from './mirror-rows.ts';

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;
const november = { start: at('2026-11-01T00:00:00Z'), end: at('2026-12-01T00:00:00Z') };
const parsed = (content: string) => JSON.parse(`{${content}}`);

export function eventReaderContract(database: string, open: () => Promise<Database>): void {
  const recurrence = { rrules: ['FREQ=WEEKLY'], rdates: [], exdates: [] };
  const prepare = async (...names: string[]) => {
    const made = await mirrorWith(await open(), ...names.map((name) => calendar(name)));
    return { ...made, reader: made.events };
  };

  describe(`EventReader on ${database}`, () => {
    it('the accounts of a user are shown with their calendars, and of that user alone', async () => {
      const { reader, grant, calendarKeys } = await prepare('/b/', '/a/');

      const [account, ...others] = await reader.accountsOf(grant);

      assert.deepEqual(others, []);
      assert.equal(account?.provider, 'caldav');
      assert.equal(account?.syncedAt, NOW);
      assert.deepEqual(
        account?.calendars.map(({ calendarKey }) => calendarKey),
        calendarKeys,
      );
      assert.deepEqual(
        await reader.calendarOriginals(calendarKeys),
        new Map([
          [calendarKeys[0], '{"href":"/b/"}'],
          [calendarKeys[1], '{"href":"/a/"}'],
        ]),
      );
      assert.deepEqual(await reader.accountsOf({ ...grant, userId: 'ben' }), []);
    });

    it('a single event is written out in the words of the wire', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      await fill(
        mirror,
        calendarKey,
        resource(
          'x',
          event('2026-11-02T09:00:00', { location: 'Room', lastModified: NOW, custom: { a: 1 } }),
        ),
      );

      const [row] = await reader.singleEvents([calendarKey], { window: november, limit: 10 });

      assert.deepEqual(parsed(row?.content ?? ''), {
        id: 'x',
        start: '2026-11-02T08:00:00.000Z',
        end: '2026-11-02T09:00:00.000Z',
        title: 'Meeting',
        allDay: false,
        timeZone: 'Europe/Paris',
        location: 'Room',
        attendees: [],
        custom: { a: 1 },
        availability: 'busy',
        privacy: 'public',
        status: 'confirmed',
        lastModified: '2026-09-21T14:13:20.000Z',
      });
      assert.equal(row?.original, '{"name":"x"}');
      assert.equal(row?.startsAt, at('2026-11-02T08:00:00Z'));
      assert.equal(row?.calendarKey, calendarKey);
    });

    it('an event names the service that a conference is held with, beside what the provider says of it', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      const conference = 'https://meet.google.com/abc-defg-hij';
      const other = 'https://meetings.example/1';
      const pending = { createRequest: { status: { statusCode: 'pending' } } };
      const meet = { provider: 'google-meet', url: conference };
      await fill(
        mirror,
        calendarKey,
        resource('meet', event('2026-11-02T09:00:00', { conference, conferenceData: { conferenceId: 'a' } })),
        resource('bare', event('2026-11-03T09:00:00', { conference })),
        resource('other', event('2026-11-04T09:00:00', { conference: other })),
        resource('pending', event('2026-11-05T09:00:00', { conferenceData: pending })),
      );

      const events = await reader.singleEvents([calendarKey], { window: november, limit: 9 });

      assert.deepEqual(
        events.map(({ content }) => [parsed(content).conference, parsed(content).conferenceData]),
        [
          [conference, { ...meet, conferenceId: 'a', original: { conferenceId: 'a' } }],
          [conference, meet],
          [other, { url: other }],
          [undefined, { ...pending, original: pending }],
        ],
      );
    });

    it('a window finds what overlaps it, by its first and last moment exactly', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      const zone = 'UTC';
      const span = (name: string, start: string, end: string) =>
        resource(
          name,
          event('2026-01-01T00:00:00', {
            start: { type: 'zoned', local: start, zone },
            end: { type: 'zoned', local: end, zone },
          }),
        );
      await fill(
        mirror,
        calendarKey,
        span('ends-at-start', '2026-10-31T23:00:00', '2026-11-01T00:00:00'),
        span('ends-inside', '2026-10-31T23:00:00', '2026-11-01T00:00:01'),
        span('around', '2020-01-01T00:00:00', '2030-01-01T00:00:00'),
        span('instant-at-start', '2026-11-01T00:00:00', '2026-11-01T00:00:00'),
        span('backwards', '2026-11-05T00:00:00', '2026-11-04T00:00:00'),
        span('day-and-hour', '2026-10-31T00:00:00', '2026-11-01T01:00:00'),
        span('starts-inside', '2026-11-30T23:59:59', '2026-12-01T09:00:00'),
        span('starts-at-end', '2026-12-01T00:00:00', '2026-12-01T09:00:00'),
      );

      const events = await reader.singleEvents([calendarKey], { window: november, limit: 99 });

      assert.deepEqual(
        events.map(({ id }) => id),
        ['around', 'day-and-hour', 'ends-inside', 'instant-at-start', 'backwards', 'starts-inside'],
      );
    });

    it('all-day events are at midnight UTC and floating ones on the clock of the calendar', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      const date = {
        start: { type: 'date', date: '2026-11-15' },
        end: { type: 'date', date: '2026-11-16' },
      } as const;
      const floating = { type: 'floating', local: '2026-11-16T09:00:00' } as const;
      await fill(
        mirror,
        calendarKey,
        resource('day', event('2026-11-15T00:00:00', date)),
        resource('floating', event('2026-11-16T09:00:00', { start: floating, end: floating })),
      );

      const [day, local] = await reader.singleEvents([calendarKey], { window: november, limit: 9 });

      const { allDay, start, end } = parsed(day?.content ?? '');
      assert.deepEqual([allDay, start, end], [true, '2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z']);
      assert.equal(parsed(local?.content ?? '').start, '2026-11-16T08:00:00.000Z');
    });

    it('reading continues behind any position, over all calendars, with no event twice and none left out', async () => {
      const { reader, mirror, calendarKeys } = await prepare('/a/', '/b/', '/c/');
      for (const key of calendarKeys) {
        const names = ['Zeta', 'alpha', 'é', 'B', '_', '10', '9', '\u{1f600}', '\uffee'];
        await fill(
          mirror,
          key,
          ...names.map((name) => resource(name, event('2026-11-02T09:00:00'))),
          resource('next', event('2026-11-03T09:00:00')),
        );
      }
      const all = await reader.singleEvents(calendarKeys, { window: november, limit: 99 });

      const walked: string[] = [];
      let after: EventPosition | undefined;
      for (;;) {
        const page = await reader.singleEvents(calendarKeys, { window: november, after, limit: 4 });
        walked.push(...page.map(({ calendarKey, id }) => `${calendarKey} ${id}`));
        after = page.at(-1);
        if (page.length < 4) break;
      }

      assert.equal(new Set(walked).size, 30);
      assert.deepEqual(
        walked,
        all.map(({ calendarKey, id }) => `${calendarKey} ${id}`),
      );
      const firstDay = all.slice(0, 27).map(({ calendarKey, id }) => Buffer.from(`${calendarKey} ${id}`));
      assert.deepEqual(firstDay, firstDay.toSorted(Buffer.compare), 'ordered by bytes');
    });

    it('the calendars asked for are read and no others', async () => {
      const { reader, mirror, calendarKeys } = await prepare('/a/', '/b/');
      for (const key of calendarKeys) {
        await fill(
          mirror,
          key,
          resource('x', event('2026-11-02T09:00:00')),
          resource('s', event('2026-11-02T09:00:00', { recurrence })),
        );
      }
      const [a = ''] = calendarKeys;

      assert.equal((await reader.singleEvents([a], { window: november, limit: 9 })).length, 1);
      assert.equal((await reader.seriesIn([a], { window: november })).length, 1);
      assert.deepEqual(await reader.singleEvents([], { window: november, limit: 9 }), []);
      assert.deepEqual(await reader.seriesIn([], { window: november }), []);
    });

    it('reading leaves out what is cancelled', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      await fill(
        mirror,
        calendarKey,
        resource('x', event('2026-11-02T09:00:00', { status: 'cancelled' })),
        resource('s', event('2026-11-02T09:00:00', { status: 'cancelled', recurrence })),
      );

      assert.deepEqual(await reader.singleEvents([calendarKey], { window: november, limit: 9 }), []);
      assert.deepEqual(await reader.seriesIn([calendarKey], { window: november }), []);
    });

    it('a series that reaches into the window is found, with all its overrides', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      const zone = 'Europe/Paris';
      const recurrenceId = { type: 'zoned', local: '2026-10-26T09:00:00', zone } as const;
      const cancelledId = { type: 'zoned', local: '2026-11-02T09:00:00', zone } as const;
      await fill(
        mirror,
        calendarKey,
        resource(
          's',
          event('2026-10-19T09:00:00', { recurrence }),
          event('2026-10-26T10:00:00', { recurrenceId, title: 'Moved' }),
          event('2026-11-02T09:00:00', { recurrenceId: cancelledId, status: 'cancelled' }),
        ),
        resource(
          'past',
          event('2026-09-01T09:00:00', { recurrence: { ...recurrence, rrules: ['FREQ=DAILY;COUNT=3'] } }),
        ),
        resource('future', event('2027-09-01T09:00:00', { recurrence })),
      );

      const [series, ...others] = await reader.seriesIn([calendarKey], { window: november });

      assert.deepEqual(others, []);
      assert.equal(series?.id, 's');
      assert.ok(series);
      const { master, overrides: found } = parseTimes(series);
      assert.deepEqual(master.recurrence, recurrence);
      assert.equal(parsed(series.rows[0]?.stored.content ?? '').start, undefined);
      assert.deepEqual(
        found.map(({ cancelled, payload }) => [
          cancelled,
          parsed(series.rows[payload]?.stored.content ?? '').title,
          series.rows[payload]?.stored.original,
        ]),
        [
          [false, 'Moved', '{"name":"s"}'],
          [true, 'Meeting', '{"name":"s"}'],
        ],
      );
    });

    it('a series is found by an override that was moved beyond its end', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      const recurrenceId = { type: 'zoned', local: '2026-10-02T09:00:00', zone: 'Europe/Paris' } as const;
      await fill(
        mirror,
        calendarKey,
        resource(
          's',
          event('2026-10-01T09:00:00', { recurrence: { ...recurrence, rrules: ['FREQ=DAILY;COUNT=3'] } }),
          event('2026-11-20T09:00:00', { recurrenceId }),
        ),
      );

      assert.equal((await reader.seriesIn([calendarKey], { window: november })).length, 1);
    });

    it('events for a delivery are of the named calendar only, without their providers’ objects', async () => {
      const { reader, mirror, calendarKeys } = await prepare('/a/', '/b/');
      const [key = '', other = ''] = calendarKeys;
      const single = event('2026-11-02T09:00:00');
      await fill(
        mirror,
        key,
        resource('x', single),
        resource('s', event('2026-11-03T09:00:00', { recurrence })),
      );
      await fill(mirror, other, resource('y', single));
      const ids = async (of: string) =>
        (await reader.singleEvents([of], { window: november, limit: 9 })).map(({ id }) => id);
      const masters = await reader.seriesIn([key], { window: november });
      const asked = [...(await ids(key)), ...(await ids(other)), ...masters.map(({ id }) => id), 'none'];

      const { singles, series } = await reader.eventsToTell(key, asked);

      assert.deepEqual([singles.length, series.length], [1, 1]);
      assert.equal(singles[0]?.calendarKey, key);
      assert.equal(singles[0]?.original, undefined);
      assert.equal(series[0]?.rows[0]?.stored.original, undefined);
      const whole = await reader.eventsById([key], asked);
      assert.equal(singles[0]?.content, whole.singles[0]?.content);
      assert.notEqual(whole.singles[0]?.original, undefined);
    });

    it('an override whose master the calendar lacks is an instance of its own', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      const recurrenceId = { type: 'zoned', local: '2026-11-02T09:00:00', zone: 'Europe/Paris' } as const;
      await fill(mirror, calendarKey, resource('s', event('2026-11-02T10:00:00', { recurrenceId })));

      const [row] = await reader.singleEvents([calendarKey], { window: november, limit: 9 });

      assert.equal(row?.id, 's_20261102T080000Z');
      assert.equal(parsed(row?.content ?? '').recurringEventId, 's');
    });

    it('stores content as it is, and leaves out of a series what differs from instance to instance', async () => {
      const { reader, mirror, calendarKey } = await prepare('/a/');
      const members = { attendees: [], availability: 'busy', privacy: 'public' } as const;
      const rest = { ...members, status: 'confirmed', allDay: false, custom: { id: 1 } } as const;
      const content = renderMembers<EventMembers>({
        title: 'X',
        id: 'x',
        ...rest,
        end: 'later',
        start: 'now',
      });
      const [single, master] = changesTo(
        resource('x', event('2026-11-02T09:00:00')),
        resource('s', event('2026-11-02T09:00:00', { recurrence })),
      ).changed.map((one) => ({ ...one, events: one.events.map((rendered) => ({ ...rendered, content })) }));
      assert.ok(single && master);
      const lease = await leased(mirror, calendarKey);

      await mirror.applyChanges(lease, { changed: [single, master], leftOut: [], removed: [] }, LATER);

      const [row] = await reader.singleEvents([calendarKey], { window: november, limit: 9 });
      const [series] = await reader.seriesIn([calendarKey], { window: november });
      assert.equal(row?.content, content);
      assert.equal(series?.rows[0]?.stored.content, renderMembers({ title: 'X', ...rest }));
    });
  });
}
