import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DAY, formatLocal, type LocalMs, toDayNumber } from './civil.ts';
import { expandRule, recurrenceBudget } from './expand-rule.ts';
import { parseRule } from './rule.ts';

const START = toDayNumber(2026, 2, 17) * DAY + 9 * 3_600_000 + 30 * 60_000;
const END = toDayNumber(2036, 1, 1) * DAY;

function timesBetween(rrule: string, from: LocalMs, to: LocalMs): LocalMs[] {
  const rule = parseRule(rrule);
  assert.ok(rule !== undefined);
  return expandRule(rule, START, { from, to }, recurrenceBudget(0, 50_000_000));
}

describe('a rule that is read in windows', () => {
  for (const rrule of [
    'FREQ=DAILY;INTERVAL=3;BYHOUR=8,17',
    'FREQ=DAILY;BYDAY=TU,SA;COUNT=700',
    'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,SU;WKST=SU;COUNT=400',
    'FREQ=MONTHLY;INTERVAL=5;BYMONTHDAY=17,-1',
    'FREQ=MONTHLY;BYDAY=2TU,-1FR;BYSETPOS=-1;COUNT=90',
    'FREQ=YEARLY;INTERVAL=3;BYMONTH=2,5',
    'FREQ=YEARLY;BYWEEKNO=1,-1;BYDAY=2MO,SU',
    'FREQ=HOURLY;INTERVAL=5;BYMINUTE=10,30;COUNT=20000',
    'FREQ=HOURLY;BYMINUTE=10;INTERVAL=9;COUNT=8000',
    'FREQ=MINUTELY;INTERVAL=777;BYDAY=WE;BYHOUR=9,10,11,12',
    'RSCALE=CHINESE;FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=1,30;SKIP=FORWARD',
    'RSCALE=ETHIOPIC;FREQ=MONTHLY;BYMONTHDAY=-6,10;SKIP=BACKWARD',
    'RSCALE=HEBREW;FREQ=YEARLY;INTERVAL=2;BYYEARDAY=-385,1,385;SKIP=FORWARD',
  ])
    it(`has the same times as in one window: ${rrule}`, () => {
      const whole = timesBetween(rrule, START, END);
      const windows = Array.from({ length: 41 }, (_, index) => START + (index * (END - START)) / 40);

      const parts = windows
        .slice(0, 40)
        .flatMap((from, i) => timesBetween(rrule, from, windows[i + 1] ?? END));

      assert.ok(whole.length > 2);
      assert.deepEqual(parts.map(formatLocal), whole.map(formatLocal));
    });

  for (const rrule of [
    'FREQ=DAILY',
    'FREQ=DAILY;COUNT=9',
    'FREQ=WEEKLY',
    'FREQ=MONTHLY',
    'FREQ=HOURLY;INTERVAL=5',
    'RSCALE=ETHIOPIC;FREQ=MONTHLY',
  ])
    it(`includes a time at the window's start and excludes one at its end: ${rrule}`, () => {
      const times = timesBetween(rrule, START, END).slice(0, 9);
      assert.equal(times[0], START);
      for (const time of times) {
        assert.deepEqual(timesBetween(rrule, time, time + 1), [time]);
        assert.deepEqual(timesBetween(rrule, time + 1, time + 2), []);
        assert.deepEqual(timesBetween(rrule, time - 1, time), []);
        assert.deepEqual(timesBetween(rrule, time, time), []);
      }
      assert.deepEqual(timesBetween(rrule, START - 400 * DAY, START + 1), [START]);
    });

  it('ends with an UNTIL, which is inclusive', () => {
    const rule = parseRule('FREQ=DAILY');
    assert.ok(rule !== undefined);
    const countUntil = (until: LocalMs) =>
      expandRule(rule, START, { from: START, to: END, until }, recurrenceBudget()).length;

    assert.deepEqual(
      [-1, 0, DAY - 1, DAY].map((later) => countUntil(START + later)),
      [0, 1, 1, 2],
    );
    const midnight = toDayNumber(2026, 2, 17) * DAY;
    const window = { from: midnight, to: END, until: midnight + 3 * DAY };
    assert.equal(expandRule(rule, midnight, window, recurrenceBudget()).length, 4);
  });

  for (const rrule of ['FREQ=DAILY', 'FREQ=MONTHLY;BYMONTHDAY=30,31', 'FREQ=HOURLY;INTERVAL=24'])
    it(`has no time after the year 9999: ${rrule}`, () => {
      const rule = parseRule(rrule);
      assert.ok(rule !== undefined);
      const start = toDayNumber(9999, 12, 30) * DAY;
      const window = { from: start, to: start + 100 * DAY };

      assert.deepEqual(expandRule(rule, start, window, recurrenceBudget()), [start, start + DAY]);
    });

  it('counts weekdays in the year of a yearly rule, but not with BYWEEKNO', () => {
    const days = (rrule: string) =>
      timesBetween(rrule, START, END)
        .slice(0, 2)
        .map((time) => formatLocal(time).slice(0, 10));

    assert.deepEqual(days('FREQ=YEARLY;BYDAY=20MO'), ['2026-05-18', '2027-05-17']);
    assert.deepEqual(days('FREQ=YEARLY;BYWEEKNO=20;BYDAY=3MO'), ['2026-05-11', '2027-05-17']);
  });
});
