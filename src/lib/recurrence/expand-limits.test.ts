/** The instances at the limits of windows, of the calendar and of the budget. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  date,
  instancesOf,
  override,
  seriesOf,
  startsOf,
  utc,
  zoned,
} from '../../../test/lib/recurrence/series-samples.ts';
import { expand } from './expand.ts';
import { RecurrenceBudgetError, recurrenceBudget } from './expand-rule.ts';

describe('instances', () => {
  const at = (day: number, hour = 9) => utc(`2026-11-0${day}T${String(hour).padStart(2, '0')}:00:00`);

  it('are ordered by start, and then by original start', () => {
    const overrides = [override(at(4), at(2), at(3)), override(at(3), at(2, 8), at(2, 9))];
    overrides.push(override(at(5), at(2), at(3)));
    const instances = instancesOf(
      seriesOf(at(2), at(3), { rrules: ['FREQ=DAILY;COUNT=4'], overrides }),
      '2026-11-01T00:00Z/2026-12-01T00:00Z',
    );

    assert.deepEqual(
      instances.map(({ originalStart }) => originalStart),
      [at(3), at(2), at(4), at(5)],
    );
    assert.deepEqual(
      instances.map(({ isOverride }) => isOverride),
      [true, false, true, true],
    );
  });

  it('of RDATEs are in every window that they overlap, and in no other', () => {
    const rdates = [{ start: at(2, 10), end: at(8, 10) }, { start: at(5, 10) }];
    const series = seriesOf(at(1), at(1, 10), { rdates });

    assert.deepEqual(startsOf(series, '2026-11-08T09:59Z/2026-11-09T00:00Z'), ['2026-11-02T10:00']);
    assert.deepEqual(startsOf(series, '2026-11-08T10:00Z/2026-11-09T00:00Z'), []);
    assert.deepEqual(startsOf(series, '2026-11-01T10:00Z/2026-11-02T10:00Z'), []);
    assert.deepEqual(startsOf(series, '2026-11-05T10:59Z/2026-11-06T00:00Z'), [
      ...['2026-11-02T10:00', '2026-11-05T10:00'],
    ]);
  });

  it('are in the years 1 to 9999, however wide the window', () => {
    const everywhere = { start: Number.MIN_SAFE_INTEGER, end: Number.MAX_SAFE_INTEGER };
    const yearsFrom = (start: string) => {
      const series = seriesOf(utc(start), utc(start), { rrules: ['FREQ=YEARLY'] });
      return expand(series, everywhere, 'UTC', recurrenceBudget()).instances;
    };

    assert.equal(yearsFrom('0001-01-01T12:00:00').length, 9998);
    assert.equal(yearsFrom('9990-12-30T23:59:59').length, 10);
    assert.equal(yearsFrom('9990-12-31T00:00:00').length, 9);
  });

  it('are not repeated if a skipped start moves to the time of another', () => {
    const nightly = (rrule: string) =>
      startsOf(
        seriesOf(zoned('2026-03-29T02:00:00'), zoned('2026-03-29T02:00:00'), { rrules: [rrule] }),
        '2026-03-28T00:00Z/2026-03-30T00:00Z',
      );

    assert.deepEqual(nightly('FREQ=DAILY;BYHOUR=2,3;COUNT=3'), ['2026-03-29T01:00']);
    assert.deepEqual(nightly('FREQ=DAILY;BYHOUR=2;BYMINUTE=0,30;COUNT=2'), [
      ...['2026-03-29T01:00', '2026-03-29T01:30'],
    ]);
  });
});

describe('the budget', () => {
  const daily = seriesOf(utc('1970-01-01T09:00:00'), utc('1970-01-01T10:00:00'), { rrules: ['FREQ=DAILY'] });

  it('stops a call that would return more, and is shared by calls', () => {
    const budget = recurrenceBudget(40);
    const month = { start: Date.parse('2026-11-01'), end: Date.parse('2026-12-01') };

    expand(daily, month, 'UTC', budget);

    assert.equal(budget.occurrences, 10);
    assert.throws(() => expand(daily, month, 'UTC', budget), RecurrenceBudgetError);
  });

  it('stops a rule that names every second of the day', () => {
    const list = (most: number) => Array.from({ length: most }, (_, value) => value).join(',');
    const rrule = `FREQ=DAILY;BYHOUR=${list(24)};BYMINUTE=${list(60)};BYSECOND=${list(60)}`;
    const bomb = seriesOf(utc('2026-11-01T00:00:00'), utc('2026-11-01T00:00:01'), { rrules: [rrule] });

    assert.throws(() => startsOf(bomb, '2026-11-01T00:00Z/2027-11-01T00:00Z'), RecurrenceBudgetError);
  });

  it('allows exactly its number of instances and steps', () => {
    const month = { start: Date.parse('2026-11-01'), end: Date.parse('2026-12-01') };
    const spend = (occurrences: number, steps?: number) => {
      const budget = recurrenceBudget(occurrences, steps);
      assert.equal(expand({ ...daily }, month, 'UTC', budget).instances.length, 30);
      return budget;
    };

    const { occurrences, steps } = spend(30);
    assert.equal(occurrences, 0);
    assert.throws(() => spend(29), RecurrenceBudgetError);
    const spent = recurrenceBudget().steps - steps;
    assert.equal(spend(30, spent).steps, 0);
    assert.throws(() => spend(30, spent - 1), RecurrenceBudgetError);
  });

  it('is 10,000 instances and 4 million steps by default', () => {
    assert.deepEqual(recurrenceBudget(), { occurrences: 10_000, steps: 4_000_000 });
  });

  it('is spent by overrides in the window, but not by cancelled ones', () => {
    const start = utc('2026-11-02T09:00:00');
    const overrides = [
      override(start, start, start),
      { ...override(date('2026-11-03'), start, start), cancelled: true },
    ];
    const window = { start: Date.parse('2026-11-01'), end: Date.parse('2026-12-01') };
    const budget = recurrenceBudget(1);

    assert.equal(expand({ overrides }, window, 'UTC', budget).instances.length, 1);
    assert.equal(budget.occurrences, 0);
  });

  it('is hardly used by a window far from DTSTART', () => {
    const budget = recurrenceBudget();
    const year = { start: Date.parse('2126-01-01'), end: Date.parse('2126-01-08') };

    assert.equal(expand(daily, year, 'UTC', budget).instances.length, 7);
    assert.ok(budget.steps > recurrenceBudget().steps - 1000);
  });
});
