import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { RecurrencePattern, RecurrenceRange } from '@microsoft/microsoft-graph-types';

import { expand } from '../../lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../lib/recurrence/expand-rule.ts';
import { toRecurrence } from './recurrence.ts';

const FOREVER: RecurrenceRange = { type: 'noEnd', startDate: '2026-01-01' };

const convertRule = (pattern: RecurrencePattern, range = FOREVER): string | undefined =>
  toRecurrence({ pattern, range }, [])?.rrules[0];

/** The dates on which an all-day series from `start` takes place in 2026 and 2027. */
function listDates(pattern: RecurrencePattern, start: string, days: readonly string[] = []): string[] {
  const recurrence = toRecurrence({ pattern, range: { ...FOREVER, startDate: start } }, days);
  const end = { type: 'date', date: start } as const;
  const master = { start: end, end, recurrence, payload: undefined };
  const window = { start: Date.UTC(2026, 0, 1), end: Date.UTC(2028, 0, 1) };
  const { instances } = expand({ master, overrides: [] }, window, 'UTC', recurrenceBudget(1000));
  return instances.map(({ startsAt }) => new Date(startsAt).toISOString().slice(0, 10));
}

describe('a recurrence from Graph', () => {
  const patterns: readonly (readonly [RecurrencePattern, string])[] = [
    [{ type: 'daily', interval: 1, dayOfMonth: 0, month: 0, daysOfWeek: [], index: 'first' }, 'FREQ=DAILY'],
    [
      { type: 'weekly', interval: 2, daysOfWeek: ['monday', 'thursday'], firstDayOfWeek: 'monday' },
      'FREQ=WEEKLY;BYDAY=MO,TH;WKST=MO;INTERVAL=2',
    ],
    [{ type: 'weekly', interval: 1, daysOfWeek: ['sunday'] }, 'FREQ=WEEKLY;BYDAY=SU;WKST=SU'],
    [{ type: 'absoluteMonthly', interval: 3, dayOfMonth: 15 }, 'FREQ=MONTHLY;BYMONTHDAY=15;INTERVAL=3'],
    [
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'], index: 'last' },
      'FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1',
    ],
    [{ type: 'absoluteYearly', interval: 1, dayOfMonth: 4, month: 7 }, 'FREQ=YEARLY;BYMONTH=7;BYMONTHDAY=4'],
    [
      { type: 'relativeYearly', interval: 1, daysOfWeek: ['thursday'], index: 'fourth', month: 11 },
      'FREQ=YEARLY;BYMONTH=11;BYDAY=TH;BYSETPOS=4',
    ],
  ];
  for (const [pattern, rule] of patterns)
    it(`converts a Graph recurrence of type ${pattern.type} to ${rule}`, () => {
      assert.equal(convertRule(pattern), rule);
    });

  it('leaves out the day of a Graph recurrence if it follows from the start', () => {
    const start = { type: 'zoned', local: '2026-10-12T09:00:00', zone: 'Europe/Berlin' } as const;
    const rules: readonly (readonly [RecurrencePattern, string])[] = [
      [{ type: 'weekly', interval: 2, daysOfWeek: ['monday'] }, 'FREQ=WEEKLY;INTERVAL=2'],
      [{ type: 'weekly', interval: 1, daysOfWeek: ['tuesday'] }, 'FREQ=WEEKLY;BYDAY=TU;WKST=SU'],
      [{ type: 'absoluteMonthly', interval: 1, dayOfMonth: 12 }, 'FREQ=MONTHLY'],
      [{ type: 'absoluteMonthly', interval: 1, dayOfMonth: 13 }, 'FREQ=MONTHLY;BYMONTHDAY=13'],
      [{ type: 'absoluteYearly', interval: 1, dayOfMonth: 12, month: 10 }, 'FREQ=YEARLY'],
      [
        { type: 'absoluteYearly', interval: 1, dayOfMonth: 12, month: 9 },
        'FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=12',
      ],
    ];

    for (const [pattern, rule] of rules)
      assert.deepEqual(toRecurrence({ pattern, range: FOREVER }, [], start)?.rrules, [rule]);
  });

  it('ends a Graph recurrence after a number of occurrences or at the end of a day', () => {
    const daily: RecurrencePattern = { type: 'daily', interval: 1 };

    assert.equal(
      convertRule(daily, { type: 'numbered', numberOfOccurrences: 5, endDate: '0001-01-01' }),
      'FREQ=DAILY;COUNT=5',
    );
    assert.equal(
      convertRule(daily, { type: 'endDate', numberOfOccurrences: 0, endDate: '2026-03-31' }),
      'FREQ=DAILY;UNTIL=20260331',
    );
    assert.equal(convertRule(daily, { type: 'noEnd', endDate: '0001-01-01' }), 'FREQ=DAILY');
  });

  it('ignores a Graph recurrence of an unknown type', () => {
    assert.equal(toRecurrence({ pattern: { type: null }, range: FOREVER }, []), undefined);
    assert.equal(toRecurrence({ pattern: null, range: FOREVER }, []), undefined);
  });

  it('puts a Graph recurrence on day 31 on the last day of shorter months', () => {
    const dates = listDates({ type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 }, '2026-01-31');

    assert.deepEqual(dates.slice(0, 4), ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']);
    assert.equal(dates.length, 24);
  });

  it('puts a Graph recurrence on 29 February on the 28th in other years', () => {
    const yearly: RecurrencePattern = { type: 'absoluteYearly', interval: 1, dayOfMonth: 29, month: 2 };

    assert.deepEqual(listDates(yearly, '2024-02-29'), ['2026-02-28', '2027-02-28']);
  });

  it('puts a Graph recurrence on several weekdays of a month on the first of them', () => {
    const pattern: RecurrencePattern = {
      type: 'relativeMonthly',
      interval: 1,
      daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
      index: 'last',
    };

    assert.deepEqual(listDates(pattern, '2026-01-30').slice(0, 3), [
      '2026-01-30',
      '2026-02-27',
      '2026-03-31',
    ]);
  });

  it('leaves out the deleted days of a Graph recurrence', () => {
    const daily: RecurrencePattern = { type: 'daily', interval: 1 };

    assert.deepEqual(listDates(daily, '2027-12-29', ['2027-12-30']), ['2027-12-29', '2027-12-31']);
  });
});
