import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DAY } from './civil.ts';
import type { EventTime } from './event-time.ts';
import { effectiveOverrides, expand } from './expand.ts';
import { RecurrenceBudgetError, recurrenceBudget } from './expand-rule.ts';
import type { Series, SeriesOverride } from './series.ts';

const START = Date.UTC(2020, 0, 1);
const at = (day: number, hour = 8): EventTime => ({
  type: 'zoned',
  local: `${new Date(START + day * DAY).toISOString().slice(0, 10)}T${String(hour).padStart(2, '0')}:00:00`,
  zone: 'Europe/Paris',
});
const days = (count: number) => Array.from({ length: count }, (_, day) => day);
const createOverride = (day: number, hour: number): SeriesOverride<string> => ({
  recurrenceId: at(day),
  start: at(day, hour),
  end: at(day, hour + 1),
  cancelled: false,
  payload: `from ${day}`,
});
const createSeries = (
  overrides: readonly SeriesOverride<string>[],
  exdates: readonly EventTime[] = [],
): Series<string> => ({
  master: {
    start: at(0),
    end: at(0, 9),
    recurrence: { rrules: ['FREQ=DAILY'], rdates: [], exdates },
    payload: 'master',
  },
  overrides,
});
const week = (day: number) => ({ start: START + day * DAY, end: START + (day + 7) * DAY });

function stepsFor(series: Series<string>, window: ReturnType<typeof week>): number {
  const budget = recurrenceBudget();
  const before = budget.steps;
  expand(series, window, 'UTC', budget);
  return before - budget.steps;
}

describe('a prepared series', () => {
  it('costs its dates and overrides once, however many windows are read', () => {
    const series = createSeries(
      days(500).map((day) => createOverride(day, 10)),
      days(1000).map((day) => at(day + 500)),
    );

    const first = stepsFor(series, week(1600));
    const second = stepsFor(series, week(1700));

    assert.ok(first > 50_000 && second < 3000, `${first}, ${second}`);
  });

  it('is over the budget again on the next call, not treated as prepared', () => {
    const series = createSeries(days(500).map((day) => createOverride(day, 10)));

    for (const _again of [1, 2])
      assert.throws(() => expand(series, week(0), 'UTC', recurrenceBudget(100, 1000)), RecurrenceBudgetError);
    assert.equal(expand(series, week(0), 'UTC', recurrenceBudget()).instances.length, 7);
  });

  it('is read in the requested zone', () => {
    const start: EventTime = { type: 'floating', local: '2020-01-02T08:00:00' };
    const series = { master: { start, end: start, payload: '' }, overrides: [] };
    const startIn = (zone: string) =>
      expand(series, week(0), zone, recurrenceBudget()).instances[0]?.startsAt;

    assert.equal((startIn('UTC') ?? 0) - (startIn('Europe/Paris') ?? 0), 3_600_000);
    assert.equal(startIn('UTC'), START + DAY + 8 * 3_600_000);
  });

  it('uses the last this-and-future override before an instance', () => {
    const overrides = days(300).map((index) => ({
      ...createOverride(index * 5, 9 + (index % 12)),
      thisAndFuture: true,
    }));
    const { instances } = expand(createSeries(overrides), week(701), 'UTC', recurrenceBudget());

    assert.deepEqual(
      instances.map(({ payload }) => payload),
      ['from 700', 'from 700', 'from 700', 'from 700', 'from 705', 'from 705', 'from 705'],
    );
  });
});

describe('the overrides that count', () => {
  const date = (day: number): EventTime => ({
    type: 'date',
    date: new Date(START + day * DAY).toISOString().slice(0, 10),
  });
  const floating: EventTime = { type: 'floating', local: '2020-01-02T08:00:00' };
  const overriding = (recurrenceId: EventTime, cancelled = false) => ({ recurrenceId, cancelled });

  it('have the type of the series, or are live and the only ones of their occurrence', () => {
    const live = overriding(date(2));
    const right = overriding(at(1), true);
    const overrides = [overriding(date(0), true), right, overriding(date(1)), live];

    assert.deepEqual(effectiveOverrides(at(0), overrides, 'Europe/Paris'), [right, live]);
    const ofDays = [overriding(at(0), true), overriding(date(1)), overriding(at(1)), overriding(at(2))];
    assert.deepEqual(effectiveOverrides(date(0), ofDays, 'Europe/Paris'), [ofDays[1], ofDays[3]]);
  });

  it('are all overrides of a series without a main event or with a floating start, and all floating ones', () => {
    const overrides = [overriding(date(0), true), overriding(at(0)), overriding(floating, true)];

    assert.equal(effectiveOverrides(undefined, overrides, 'Europe/Paris'), overrides);
    assert.equal(effectiveOverrides(floating, overrides, 'Europe/Paris'), overrides);
    assert.deepEqual(effectiveOverrides(date(5), [overriding(floating, true)], 'UTC'), [
      overriding(floating, true),
    ]);
  });
});
