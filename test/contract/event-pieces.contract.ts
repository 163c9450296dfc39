/** Large calendars are read in pieces, with the same result as if they were read whole. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventPosition } from '../../src/reading/event-reader.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { pageFrom } from '../harness/listed-events.ts';
import { calendar, event, fill, mirrorWith, resource } from './mirror-rows.ts';

const at = (text: string): number => Temporal.Instant.from(text).epochMilliseconds;
const november = { start: at('2026-11-01T00:00:00Z'), end: at('2026-12-01T00:00:00Z') };
const LARGE = 1_000_000_000;

export function eventPiecesContract(database: string, open: () => Promise<Database>): void {
  const zone = 'Europe/Paris';
  const zoned = (local: string) => ({ type: 'zoned', local, zone }) as const;
  const weekly = { recurrence: { rrules: ['FREQ=WEEKLY'], rdates: [], exdates: [] } };
  const prepare = async () => {
    const made = await mirrorWith(await open(), calendar('/a/'), calendar('/b/'), calendar('/c/'));
    const names = ['Zeta', 'alpha', 'é', '_', '\u{1f600}', '\uffee'];
    for (const key of made.calendarKeys) {
      await fill(
        made.mirror,
        key,
        ...names.map((name) => resource(name, event('2026-11-02T09:00:00', { title: `Meeting ${name}` }))),
        resource(
          'long',
          event('2026-10-01T09:00:00', { end: zoned('2026-11-09T09:00:00'), location: 'Room' }),
        ),
        resource('past', event('2026-09-01T09:00:00')),
        resource('cancelled', event('2026-11-03T09:00:00', { status: 'cancelled' })),
        resource(
          'series',
          event('2026-10-05T09:00:00', weekly),
          event('2026-11-10T11:00:00', { recurrenceId: zoned('2026-11-09T09:00:00'), location: 'Room 2' }),
          event('2026-11-16T09:00:00', { recurrenceId: zoned('2026-11-16T09:00:00'), status: 'cancelled' }),
        ),
        resource('plain', event('2026-10-06T09:00:00', { ...weekly, location: 'Room' })),
      );
    }
    const zones = new Map(made.calendarKeys.map((key) => [key, zone]));
    /** Returns the events of all pages, if calendars of more than `bytes` are read in pieces. */
    const walk = async (request: { singleEvents: boolean; search?: readonly string[] }, bytes: number) => {
      const events: object[] = [];
      for (let after: EventPosition | undefined; ; ) {
        const page = { ...request, window: november, pageSize: 7, after };
        const { events: some, more } = await pageFrom(made.events, page, zones, { bytes });
        events.push(...some);
        after = some.at(-1);
        if (!more) return events;
      }
    };
    return { ...made, walk };
  };

  describe(`Calendars in pieces on ${database}`, () => {
    for (const [name, request, count] of [
      ['instances', { singleEvents: true }, 45],
      ['masters', { singleEvents: false }, 27],
      ['a search', { singleEvents: true, search: ['room'] }, 18],
      ['a search of two words', { singleEvents: true, search: ['room', '2'] }, 3],
      ['a search of masters', { singleEvents: false, search: ['meeting', 'room'] }, 9],
    ] as const) {
      it(`${name}, page by page, are those of calendars that are read whole`, async () => {
        const { walk } = await prepare();

        const whole = await walk(request, 0);

        assert.deepEqual(await walk(request, LARGE), whole);
        assert.equal(whole.length, count);
      });
    }

    it('sizes and contents are returned for existing events and no others', async () => {
      const { events: reader, calendarKey, mirror, calendarKeys } = await prepare();
      const original = { text: 'x'.repeat(70_000) };
      await fill(mirror, calendarKey, { ...resource('large', event('2026-11-02T09:00:00')), original });

      const listing = { window: november, limit: 100 };
      const names = await reader.singleNames(calendarKey, listing);
      const contents = await reader.contentsOf(
        calendarKey,
        [...names, { href: 'gone', recurrenceId: '' }],
        true,
      );
      const [series] = await reader.seriesRows(calendarKey, ['series']);
      const sizes = await reader.sizesById(calendarKeys, ['series', 'large', 'gone']);

      assert.equal(contents.size, names.length);
      assert.equal(contents.get('/large.ics ')?.original, undefined);
      assert.equal(contents.get('/alpha.ics ')?.original, '{"name":"alpha"}');
      assert.ok(names.every(({ size, searched }) => size < 1_000 && searched > 0));
      assert.deepEqual(
        series?.rows.map(({ hasOriginal }) => hasOriginal),
        [true, false, false],
      );
      assert.deepEqual(sizes.map(({ id, rows }) => `${id} ${rows}`).sort(), [
        'large 1',
        ...Array(3).fill('series 3'),
      ]);
    });

    it('the masters of a calendar come in order, behind any of them', async () => {
      const { events: reader, calendarKey } = await prepare();

      const all = await reader.mastersIn(calendarKey, { window: november, after: undefined, limit: 9 });
      const next = await reader.mastersIn(calendarKey, { window: november, after: all[0], limit: 9 });

      assert.deepEqual(
        all.map(({ id }) => id),
        ['series', 'plain'],
      );
      assert.deepEqual(next, all.slice(1));
    });
  });
}
