/** The cost of work in steps of a budget, on which the limits of hostile rules depend. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventTime } from './event-time.ts';
import { expand, weightOf } from './expand.ts';
import { recurrenceBudget } from './expand-rule.ts';
import type { Series } from './series.ts';

const WINDOW = { start: Date.parse('2027-01-01'), end: Date.parse('2027-03-01') };
const on = (local: string): EventTime => ({ type: 'zoned', local, zone: 'UTC' });

function seriesWith(rrule: string): Series<string> {
  const recurrence = {
    rrules: [rrule],
    rdates: [{ start: on('2027-01-05T10:00:00'), end: on('2027-01-05T11:00:00') }],
    exdates: [on('2027-01-07T09:00:00')],
  };
  const [start, end] = [on('2026-11-02T09:00:00'), on('2026-11-02T10:00:00')];
  const moved = { recurrenceId: on('2027-02-01T09:00:00'), start, end, cancelled: false, payload: 'moved' };
  const later = { ...moved, recurrenceId: on('2027-02-03T09:00:00'), thisAndFuture: true };
  return { master: { start, end, recurrence, payload: 'master' }, overrides: [moved, later] };
}

const cases: readonly (readonly [rrule: string, steps: number, weight: number])[] = [
  ['FREQ=DAILY', 15770, 3023],
  ['FREQ=DAILY;BYDAY=MO,TU;COUNT=500', 6065, 3045],
  ['FREQ=WEEKLY;BYDAY=MO,WE;BYSETPOS=1', 2849, 1283],
  ['FREQ=MONTHLY;BYMONTHDAY=-1;BYHOUR=9,17', 1731, 2043],
  ['FREQ=YEARLY;BYWEEKNO=2,-50', 1783, 1275],
  ['FREQ=YEARLY;BYYEARDAY=40', 2927, 1273],
  ['FREQ=HOURLY;INTERVAL=6;BYDAY=MO', 9518, 10604],
  ['FREQ=MINUTELY;INTERVAL=30;COUNT=100000', 685302, 121491],
  ['RSCALE=HEBREW;FREQ=MONTHLY;BYDAY=1MO', 3719, 10609],
  ['RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1', 1244, 10622],
];

describe('the steps of an expansion', () => {
  for (const [rrule, steps, weight] of cases)
    it(`${steps} are spent, and ${weight} estimated, for ${rrule}`, () => {
      const series = seriesWith(rrule);
      const budget = recurrenceBudget();

      expand(series, WINDOW, 'UTC', budget);

      assert.equal(Math.round(recurrenceBudget().steps - budget.steps), steps);
      assert.equal(weightOf(series, WINDOW), weight);
    });
});
