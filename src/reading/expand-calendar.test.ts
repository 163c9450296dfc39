import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { expandCalendar, stepBudget, type TimedSeries } from './expand-calendar.ts';

const day = (date: string) => ({ type: 'date', date }) as const;
const at = (date: string) => Date.parse(`${date}T00:00:00Z`);

/** All-day events on these dates, the first of them the master's. */
function buildTimedSeries(id: string, recurrence: object, ...events: object[]): TimedSeries {
  const rules = { rrules: [], rdates: [], exdates: [], ...recurrence };
  const [master, ...overrides] = events;
  return {
    id,
    timings: [{ ...master, recurrence: rules }, ...overrides].map((event) => JSON.stringify(event)),
  };
}
const on = (date: string, next: string, more: object = {}) => ({
  ...{ start: day(date), end: day(next), status: 'confirmed' },
  ...more,
});

const mastersIn = (window: { start: number; end: number }, series: readonly TimedSeries[]) => {
  const page = { window, after: undefined, limit: 5_000, singleEvents: false };
  return expandCalendar({ calendarKey: 'a', zone: 'UTC', series, wanted: page }, stepBudget());
};

describe('series that are listed once', () => {
  it('are all found in a window that begins centuries before them', () => {
    const yearly = { rrules: ['FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU'] };
    const series = Array.from({ length: 1_321 }, (_, i) => {
      const year = 1950 + (i % 75);
      return buildTimedSeries(`s${i}`, yearly, on(`${year}-03-28`, `${year}-03-29`));
    });

    const { found, isOver } = mastersIn({ start: at('1600-01-01'), end: at('2200-01-01') }, series);

    assert.deepEqual([found.length, isOver], [1_321, false]);
  });

  it('are found by an occurrence before their start', () => {
    const master = on('2026-06-01', '2026-06-02');
    const moved = on('2026-02-01', '2026-02-02', { recurrenceId: day('2026-06-01') });
    const series = [
      buildTimedSeries('added', { rdates: [{ start: day('2026-02-01') }] }, master),
      buildTimedSeries('moved', { rrules: ['FREQ=DAILY;COUNT=2'] }, master, moved),
      buildTimedSeries('neither', { rrules: ['FREQ=DAILY;COUNT=2'] }, master),
    ];

    const { found } = mastersIn({ start: at('2026-01-01'), end: at('2026-03-01') }, series);

    assert.deepEqual(found.map(({ series: place }) => series[place]?.id).sort(), ['added', 'moved']);
  });

  it('are found by an occurrence that began before the window', () => {
    const series = [buildTimedSeries('long', { rrules: ['FREQ=YEARLY'] }, on('2026-01-01', '2026-03-01'))];

    const { found } = mastersIn({ start: at('2026-02-01'), end: at('2026-02-02') }, series);

    assert.equal(found.length, 1);
  });
});
