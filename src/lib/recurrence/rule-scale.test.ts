import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DAY, formatDate, parseLocal, toDayNumber } from './civil.ts';
import { expandRule, findLastTime, RecurrenceBudgetError, recurrenceBudget } from './expand-rule.ts';
import { parseRule } from './rule.ts';

const END = toDayNumber(9999, 12, 31) * DAY;

function listDays(rrule: string, start: string, to = END): string[] {
  const rule = parseRule(rrule);
  const from = parseLocal(start);
  assert.ok(rule !== undefined && from !== undefined);
  return expandRule(rule, from, { from, to }, recurrenceBudget()).map((time) => formatDate(time / DAY));
}

describe('a rule of another calendar', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    // RFC 7529 §4.3: Chinese New Year, February 29, the 31st, and a Hebrew anniversary in a leap month.
    [
      'RSCALE=CHINESE;FREQ=YEARLY;COUNT=4',
      '2013-02-10',
      ['2013-02-10', '2014-01-31', '2015-02-19', '2016-02-08'],
    ],
    [
      'RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=FORWARD;COUNT=4',
      '2016-02-29',
      ['2016-02-29', '2017-03-01', '2018-03-01', '2019-03-01'],
    ],
    [
      'RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD;COUNT=4',
      '2014-01-31',
      ['2014-01-31', '2014-02-28', '2014-03-31', '2014-04-30'],
    ],
    [
      'RSCALE=HEBREW;FREQ=YEARLY;BYMONTH=5L;BYMONTHDAY=8;SKIP=FORWARD;COUNT=4',
      '2014-02-08',
      ['2014-02-08', '2015-02-27', '2016-02-17', '2017-03-06'],
    ],
    // Every part of a rule.
    [
      'RSCALE=HEBREW;FREQ=YEARLY;BYMONTH=5L;BYMONTHDAY=8;SKIP=BACKWARD;COUNT=3',
      '2014-02-08',
      ['2014-02-08', '2015-01-28', '2016-02-17'],
    ],
    [
      'RSCALE=HEBREW;FREQ=YEARLY;BYMONTH=5L;BYMONTHDAY=8;COUNT=3',
      '2014-02-08',
      ['2014-02-08', '2016-02-17', '2019-02-13'],
    ],
    [
      'RSCALE=ETHIOPIC;FREQ=MONTHLY;BYMONTH=13;COUNT=3',
      '2026-09-06',
      ['2026-09-06', '2027-09-06', '2028-09-06'],
    ],
    [
      'RSCALE=ETHIOPIC;FREQ=MONTHLY;SKIP=BACKWARD;COUNT=3',
      '2026-08-15',
      ['2026-08-15', '2026-09-10', '2026-09-19'],
    ],
    [
      'RSCALE=PERSIAN;FREQ=MONTHLY;INTERVAL=2;COUNT=3',
      '2010-02-03',
      ['2010-02-03', '2010-04-03', '2010-06-04'],
    ],
    ['RSCALE=HEBREW;FREQ=YEARLY;INTERVAL=3;BYDAY=-4SA;COUNT=2', '2007-08-18', ['2007-08-18', '2010-08-14']],
    [
      'RSCALE=CHINESE;FREQ=DAILY;BYMONTH=1;BYMONTHDAY=1,-1;COUNT=3',
      '2026-02-17',
      ['2026-02-17', '2026-03-18', '2027-02-06'],
    ],
    ['RSCALE=INDIAN;FREQ=WEEKLY;BYMONTH=1;COUNT=3', '2026-03-22', ['2026-03-22', '2026-03-29', '2026-04-05']],
    [
      'RSCALE=BUDDHIST;FREQ=YEARLY;BYYEARDAY=366;SKIP=BACKWARD;COUNT=2',
      '2024-12-31',
      ['2024-12-31', '2025-12-31'],
    ],
    [
      'RSCALE=ROC;FREQ=YEARLY;BYYEARDAY=-366;SKIP=FORWARD;COUNT=2',
      '2024-01-01',
      ['2024-01-01', '2025-01-01'],
    ],
    ['RSCALE=JAPANESE;FREQ=YEARLY;BYMONTH=5;BYDAY=2MO;COUNT=2', '2026-05-11', ['2026-05-11', '2027-05-10']],
    [
      'RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=-31;SKIP=BACKWARD;COUNT=3',
      '2026-01-01',
      ['2026-01-01', '2026-01-31', '2026-03-01'],
    ],
    [
      'RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=-31;SKIP=FORWARD;COUNT=3',
      '2026-01-01',
      ['2026-01-01', '2026-02-01', '2026-03-01'],
    ],
    [
      'RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=20,30;BYSETPOS=-1;SKIP=FORWARD;COUNT=2',
      '2026-01-30',
      ['2026-01-30', '2026-03-01'],
    ],
    [
      'RSCALE=GREGORIAN;FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=1,2;BYYEARDAY=2,32;SKIP=FORWARD;COUNT=3',
      '2026-01-02',
      ['2026-01-02', '2026-02-01', '2027-01-02'],
    ],
    [
      'RSCALE=PERSIAN;FREQ=MONTHLY;BYYEARDAY=1,40;COUNT=3',
      '2026-03-21',
      ['2026-03-21', '2026-04-29', '2027-03-21'],
    ],
    [
      'RSCALE=PERSIAN;FREQ=DAILY;BYYEARDAY=1,-1;COUNT=3',
      '2026-03-20',
      ['2026-03-20', '2026-03-21', '2027-03-20'],
    ],
    [
      'RSCALE=PERSIAN;FREQ=YEARLY;BYMONTH=2;BYYEARDAY=1,40;COUNT=2',
      '2026-04-29',
      ['2026-04-29', '2027-04-29'],
    ],
    ['RSCALE=PERSIAN;FREQ=WEEKLY;BYDAY=2SA;COUNT=2', '2026-03-21', ['2026-03-21', '2026-03-28']],
    [
      'RSCALE=PERSIAN;FREQ=DAILY;INTERVAL=20;COUNT=3',
      '2026-03-21',
      ['2026-03-21', '2026-04-10', '2026-04-30'],
    ],
    [
      'RSCALE=PERSIAN;FREQ=WEEKLY;INTERVAL=3;COUNT=3',
      '2026-03-21',
      ['2026-03-21', '2026-04-11', '2026-05-02'],
    ],
    ['RSCALE=PERSIAN;FREQ=YEARLY;BYDAY=-1FR;COUNT=2', '2027-03-19', ['2027-03-19', '2028-03-17']],
  ];
  for (const [rrule, start, days] of cases)
    it(`names ${days.length} days: ${rrule}`, () => {
      assert.deepEqual(listDays(rrule, start), days);
    });

  it('names and counts a day once if two months name it', () => {
    const rrule = 'RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=1,31;SKIP=FORWARD;COUNT=5';

    assert.deepEqual(listDays(rrule, '2026-05-31'), [
      ...['2026-05-31', '2026-06-01', '2026-07-01', '2026-07-31', '2026-08-01'],
    ]);
  });

  it('finds a day that SKIP moves into the window from the month before', () => {
    const rule = parseRule('RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=FORWARD');
    assert.ok(rule !== undefined);
    const from = toDayNumber(2027, 3, 1) * DAY;

    const times = expandRule(
      rule,
      toDayNumber(2026, 1, 31) * DAY,
      { from, to: from + DAY },
      recurrenceBudget(),
    );

    assert.deepEqual(times, [from]);
  });

  it('finds a month after centuries', () => {
    const rule = parseRule('RSCALE=CHINESE;FREQ=MONTHLY;INTERVAL=5');
    assert.ok(rule !== undefined);
    const start = toDayNumber(1700, 2, 19) * DAY;
    const whole = expandRule(
      rule,
      start,
      { from: start, to: toDayNumber(2026, 12, 1) * DAY },
      recurrenceBudget(),
    );
    const last = whole.at(-1) ?? Number.NaN;
    assert.equal(formatDate(last / DAY).slice(0, 4), '2026');

    const times = expandRule(rule, start, { from: last, to: last + DAY }, recurrenceBudget());

    assert.deepEqual(times, [last]);
  });

  for (const frequency of ['MONTHLY', 'YEARLY'])
    it(`ends with the year 9999, however long its interval: ${frequency}`, () => {
      const rrule = `RSCALE=CHINESE;FREQ=${frequency};INTERVAL=999999999`;

      assert.deepEqual(listDays(rrule, '2026-02-17'), ['2026-02-17']);
    });

  for (const rrule of [
    'RSCALE=CHINESE;FREQ=DAILY;BYMONTH=13;COUNT=2',
    'RSCALE=HEBREW;FREQ=YEARLY;BYMONTHDAY=31;COUNT=2',
    'RSCALE=CHINESE;FREQ=MONTHLY;BYMONTHDAY=30;BYDAY=1MO;COUNT=2',
    'FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30;COUNT=2',
    'FREQ=HOURLY;INTERVAL=24;BYHOUR=3;COUNT=2',
  ])
    it(`keeps the step limit if it names nothing: ${rrule}`, () => {
      const rule = parseRule(rrule);
      assert.ok(rule !== undefined);

      assert.throws(
        () => findLastTime(rule, toDayNumber(2026, 2, 17) * DAY, recurrenceBudget(0, 100_000)),
        RecurrenceBudgetError,
      );
    });
});
