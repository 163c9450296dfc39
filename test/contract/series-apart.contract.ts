/**
 * Exceptions that are resources of their own are read like a series that is one resource. In whatever order changes
 * arrive, the result equals that of a calendar that got the final state at once.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CalendarEvent, EventResource } from '../../src/calendars/event.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { eventReader } from '../../src/store/events/event-reader.ts';
import type { MirrorStore } from '../../src/sync/mirror-store.ts';
import { pageFrom } from '../harness/listed-events.ts';
import { calendar, changes, changesTo, event, fill, LATER, leased, mirrorWith } from './mirror-rows.ts';

const ZONE = 'Europe/Paris';
const zoned = (local: string) => ({ type: 'zoned', local, zone: ZONE }) as const;
const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;

/** An event at nine o'clock on three Mondays from 19 October, across the end of summer time. */
const master = (change: Partial<CalendarEvent> = {}): CalendarEvent =>
  event('2026-10-19T09:00:00', {
    title: 'Series',
    recurrence: { rrules: ['FREQ=WEEKLY;COUNT=3'], rdates: [], exdates: [] },
    ...change,
  });
const override = (day: string, local: string, change: Partial<CalendarEvent> = {}): CalendarEvent =>
  event(local, { title: `Moved ${day}`, recurrenceId: zoned(`${day}T09:00:00`), ...change });

const masterApart = (...events: CalendarEvent[]): EventResource => ({
  href: 's',
  etag: '1',
  eventId: 's',
  events,
  original: { of: 's' },
});
const overrideApart = (made: CalendarEvent): EventResource => {
  const name = `s_${made.recurrenceId?.type === 'zoned' ? made.recurrenceId.local.replace(/\W/g, '') : ''}`;
  return { href: name, etag: '1', eventId: name, seriesId: 's', events: [made], original: { of: 's' } };
};

const moved = override('2026-10-26', '2026-10-26T11:00:00');
const farAway = override('2026-11-02', '2027-03-01T09:00:00', {
  end: zoned('2027-03-04T09:00:00'),
});
const before = override('2026-10-26', '2026-06-01T09:00:00');
const cancelled = override('2026-10-19', '2026-10-19T09:00:00', { status: 'cancelled' });
const first = override('2026-10-19', '2026-10-19T15:00:00');

const WINDOWS = [
  ['2026-10-01T00:00:00Z', '2026-12-01T00:00:00Z'],
  ['2026-05-01T00:00:00Z', '2026-07-01T00:00:00Z'],
  ['2027-03-02T00:00:00Z', '2027-03-03T00:00:00Z'],
  ['2020-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
] as const;

export function seriesApartContract(database: string, open: () => Promise<Database>): void {
  /** Two calendars with the same content: in `whole` a series is one resource. */
  const prepare = async () => {
    const { db, mirror, calendarKeys } = await mirrorWith(
      await open(),
      calendar('/whole/'),
      calendar('/apart/'),
    );
    const [whole = '', apart = ''] = calendarKeys;
    const reader = eventReader(db);
    const answersOf = async (key: string) => {
      const pages = [];
      for (const [start, end] of WINDOWS) {
        for (const singleEvents of [true, false]) {
          const window = { start: at(start), end: at(end) };
          const page = { window, singleEvents, pageSize: 50, after: undefined };
          const zones = new Map([[key, ZONE]]);
          const { events } = await pageFrom(reader, page, zones);
          const inPieces = await pageFrom(reader, page, zones, { bytes: 100_000_000 });
          assert.deepEqual(inPieces.events, events, 'a large calendar is read as a small one');
          pages.push(
            events.map(({ calendarKey: _, content, ...rest }) => ({
              ...rest,
              content: JSON.parse(`{${content}}`),
            })),
          );
        }
      }
      return pages;
    };
    return { db, mirror, whole, apart, answersOf };
  };
  const write = async (
    mirror: MirrorStore,
    key: string,
    changed: EventResource[],
    removed: string[] = [],
  ) => {
    const lease = await leased(mirror, key);
    await mirror.applyChanges(lease, changes({ changed, removed }), LATER);
    await mirror.finishSync(lease, 'token', 0);
  };

  describe(`Overrides that are resources of their own on ${database}`, () => {
    const states: Record<string, readonly (readonly CalendarEvent[])[]> = {
      'a moved instance': [[master()], [moved]],
      'an instance moved behind the end of its series, and longer than a day': [[master()], [farAway]],
      'an instance moved before the start of its series': [[master()], [before]],
      'a cancelled instance': [[master()], [cancelled]],
      'several at once': [[master()], [first], [moved], [farAway]],
      'a series without its last instance left': [
        [master()],
        [cancelled],
        [override('2026-10-26', '2026-10-26T09:00:00', { status: 'cancelled' })],
        [override('2026-11-02', '2026-11-02T09:00:00', { status: 'cancelled' })],
      ],
      'no master': [
        [first],
        [farAway],
        [override('2026-10-26', '2026-10-26T09:00:00', { status: 'cancelled' })],
      ],
      'a cancelled master': [[master({ status: 'cancelled' })], [moved], [cancelled]],
      'a master that recurs no more': [[event('2026-10-19T09:00:00')], [first], [moved]],
    };
    for (const [state, parts] of Object.entries(states)) {
      it(`an override apart has ${state} as one resource would show it, whatever comes first`, async () => {
        const { mirror, whole, apart, answersOf } = await prepare();
        const resources = parts.map(([made = master()]) =>
          made.recurrenceId === undefined ? masterApart(made) : overrideApart(made),
        );

        await fill(mirror, whole, masterApart(...parts.flat()));
        const expected = await answersOf(whole);
        await write(mirror, apart, resources);
        const together = await answersOf(apart);
        for (const resource of resources.toReversed()) await write(mirror, apart, [], [resource.href]);
        for (const resource of resources.toReversed()) await write(mirror, apart, [resource]);

        assert.deepEqual(together, expected);
        assert.deepEqual(await answersOf(apart), expected);
      });
    }

    it('an exception that is deleted restores the regular occurrence and leaves no trace at its former time', async () => {
      const { mirror, whole, apart, answersOf } = await prepare();
      await fill(mirror, whole, masterApart(master()));
      await write(mirror, apart, [masterApart(master()), overrideApart(farAway), overrideApart(before)]);

      await write(mirror, apart, [], [overrideApart(farAway).href]);
      await write(mirror, apart, [], [overrideApart(before).href]);

      assert.deepEqual(await answersOf(apart), await answersOf(whole));
    });

    it('an event that recurs no more is a single one once its last override is gone', async () => {
      const { mirror, whole, apart, answersOf } = await prepare();
      const single = masterApart(event('2026-10-19T09:00:00'));
      await fill(mirror, whole, single);
      await write(mirror, apart, [single, overrideApart(moved)]);

      await write(mirror, apart, [], [overrideApart(moved).href]);

      assert.deepEqual(await answersOf(apart), await answersOf(whole));
      assert.equal((await answersOf(apart)).flat().length > 0, true);
    });

    it('a series whose overrides came before keeps to its new times', async () => {
      const { mirror, whole, apart, answersOf } = await prepare();
      const later = master({ recurrence: { rrules: ['FREQ=DAILY;COUNT=30'], rdates: [], exdates: [] } });
      await fill(mirror, whole, masterApart(later, farAway, first));
      await write(mirror, apart, [masterApart(master()), overrideApart(farAway), overrideApart(first)]);

      await write(mirror, apart, [masterApart(later)]);

      assert.deepEqual(await answersOf(apart), await answersOf(whole));
    });

    it('the overrides go with the series that is removed, except those that are named with it', async () => {
      const { db, mirror, apart } = await prepare();
      await write(mirror, apart, [masterApart(master()), overrideApart(moved), overrideApart(farAway)]);

      await write(mirror, apart, [overrideApart(farAway)], ['s']);

      const rows = await db.all('SELECT href, shape FROM event ORDER BY href');
      assert.deepEqual(
        rows.map((row) => ({ ...(row as object) })),
        [{ href: overrideApart(farAway).href, shape: 'long' }],
      );
    });

    it('an override that a full listing named without its series is kept', async () => {
      const { mirror, whole, apart, answersOf } = await prepare();
      await fill(mirror, whole, masterApart(moved));
      await write(mirror, apart, [masterApart(master()), overrideApart(moved)]);

      const lease = await leased(mirror, apart);
      await mirror.applyChanges(lease, changesTo(overrideApart(moved)), LATER);
      const dropped = await mirror.dropUnlisted(lease, ['s'], LATER);

      assert.equal(dropped, true);
      assert.deepEqual(await answersOf(apart), await answersOf(whole));
    });

    it('a run whose lease another took over drops no override', async () => {
      const { mirror, apart } = await prepare();
      await write(mirror, apart, [masterApart(master())]);

      assert.equal(await mirror.dropUnlisted({ key: apart, holder: 'nobody' }, ['s'], LATER), false);
      assert.equal((await mirror.storedVersions(apart)).size, 1);
    });

    it('an override apart is known by its own href and etag, and shows its own object', async () => {
      const { db, mirror, apart } = await prepare();
      await write(mirror, apart, [
        masterApart(master()),
        { ...overrideApart(moved), etag: '7', original: { own: 1 } },
      ]);

      const window = { start: at('2026-10-20T00:00:00Z'), end: at('2026-11-01T00:00:00Z') };
      const [series] = await eventReader(db).seriesIn([apart], { window });

      assert.equal((await mirror.storedVersions(apart)).get(overrideApart(moved).href), '7');
      assert.equal(series?.rows[1]?.stored.original, '{"own":1}');
      assert.equal(series?.rows[0]?.stored.original, '{"of":"s"}');
    });

    it('series of one name in two calendars are kept apart', async () => {
      const { mirror, whole, apart, answersOf } = await prepare();
      await write(mirror, whole, [masterApart(master())]);
      const alone = await answersOf(whole);

      await write(mirror, apart, [overrideApart(moved), masterApart(master())]);
      await write(mirror, apart, [], ['s']);

      assert.deepEqual(await answersOf(whole), alone);
    });
  });
}
