import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { UnsupportedByProvider } from '../../calendars/provider-error.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { expand } from '../../lib/recurrence/expand.ts';
import { recurrenceBudget } from '../../lib/recurrence/expand-rule.ts';
import { toGraphRecurrence } from './body-recurrence.ts';
import { toRecurrence } from './recurrence.ts';

const berlin = (local: string): EventTime => ({ type: 'zoned', local, zone: 'Europe/Berlin' });
const date = (text: string): EventTime => ({ type: 'date', date: text });
const rule = (text: string) => ({ rrules: [text], rdates: [], exdates: [] });
const convertPattern = (text: string, start: EventTime) => toGraphRecurrence(rule(text), start).pattern;
const convertRange = (text: string, start: EventTime) => toGraphRecurrence(rule(text), start).range;

const MONDAY = berlin('2026-10-12T09:00:00');
const LAST = berlin('2026-10-31T09:00:00');

/** Starts of ten years by a rule, as epoch milliseconds. */
function starts(text: string, start: EventTime): number[] {
  const series = { master: { start, end: start, recurrence: rule(text), payload: undefined }, overrides: [] };
  const window = { start: Date.UTC(2026, 0), end: Date.UTC(2036, 0) };
  return expand(series, window, 'UTC', recurrenceBudget(50_000, 50_000_000)).instances.map(
    ({ startsAt }) => startsAt,
  );
}

describe('a rule as a Graph pattern', () => {
  const EXPRESSIBLE: readonly (readonly [rule: string, start: EventTime, pattern: object])[] = [
    ['FREQ=DAILY;INTERVAL=3', MONDAY, { type: 'daily', interval: 3 }],
    [
      'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR',
      MONDAY,
      {
        type: 'weekly',
        interval: 1,
        daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
        firstDayOfWeek: 'monday',
      },
    ],
    [
      'FREQ=WEEKLY',
      MONDAY,
      { type: 'weekly', interval: 1, daysOfWeek: ['monday'], firstDayOfWeek: 'monday' },
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU',
      MONDAY,
      { type: 'weekly', interval: 2, daysOfWeek: ['monday', 'sunday'], firstDayOfWeek: 'sunday' },
    ],
    ['FREQ=MONTHLY', MONDAY, { type: 'absoluteMonthly', interval: 1, dayOfMonth: 12 }],
    [
      'FREQ=MONTHLY;BYMONTHDAY=12;BYHOUR=9;BYMINUTE=0',
      MONDAY,
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 12 },
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', LAST, { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 }],
    [
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
      LAST,
      { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 },
    ],
    [
      'FREQ=MONTHLY;BYDAY=2MO',
      MONDAY,
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'second' },
    ],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1',
      berlin('2026-10-30T09:00:00'),
      {
        type: 'relativeMonthly',
        interval: 1,
        daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
        index: 'last',
      },
    ],
    ['FREQ=YEARLY', LAST, { type: 'absoluteYearly', interval: 1, month: 10, dayOfMonth: 31 }],
    [
      'FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=12',
      MONDAY,
      { type: 'absoluteYearly', interval: 1, month: 10, dayOfMonth: 12 },
    ],
    [
      'FREQ=YEARLY;INTERVAL=2;BYMONTH=10;BYDAY=2MO',
      MONDAY,
      { type: 'relativeYearly', interval: 2, month: 10, daysOfWeek: ['monday'], index: 'second' },
    ],
  ];
  for (const [text, start, pattern] of EXPRESSIBLE)
    it(`converts ${text} to a Graph pattern that reads back as the same occurrences`, () => {
      const result = toGraphRecurrence(rule(text), start);

      assert.deepEqual(result.pattern, pattern);
      for (const back of [toRecurrence(result, []), toRecurrence(result, [], start)])
        assert.deepEqual(starts(back?.rrules[0] ?? '', start), starts(text, start));
    });

  const REFUSED: readonly (readonly [rule: string, start: EventTime, about: RegExp])[] = [
    ['FREQ=HOURLY', MONDAY, /below days/],
    ['RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD', MONDAY, /another calendar/],
    ['FREQ=DAILY;BYHOUR=9,15', MONDAY, /times of day/],
    ['FREQ=DAILY;INTERVAL=2;BYDAY=MO', MONDAY, /daily rule/],
    ['FREQ=DAILY;INTERVAL=1000', MONDAY, /interval/],
    ['FREQ=DAILY;COUNT=1000', MONDAY, /count/],
    ['FREQ=WEEKLY;BYDAY=TU', MONDAY, /first day/],
    ['FREQ=WEEKLY;BYMONTH=10', MONDAY, /weekly rule/],
    ['FREQ=WEEKLY;UNTIL=20261001T000000Z', MONDAY, /ends before/],
    ['FREQ=MONTHLY;BYMONTHDAY=12,13', MONDAY, /several days/],
    ['FREQ=MONTHLY;BYMONTHDAY=-20', MONDAY, /from the end/],
    ['FREQ=MONTHLY;BYMONTHDAY=12,13;BYSETPOS=1', MONDAY, /BYSETPOS/],
    ['FREQ=MONTHLY', LAST, /only day 31/],
    ['FREQ=MONTHLY;BYDAY=MO', MONDAY, /BYDAY/],
    ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1,2', MONDAY, /BYSETPOS/],
    ['FREQ=MONTHLY;BYDAY=2MO,3MO', MONDAY, /numbered/],
    ['FREQ=MONTHLY;BYDAY=-2MO', MONDAY, /BYDAY/],
    ['FREQ=MONTHLY;BYDAY=MO;BYMONTHDAY=12', MONDAY, /certain days/],
    ['FREQ=MONTHLY;BYMONTH=10', MONDAY, /BYMONTH/],
    ['FREQ=YEARLY;BYMONTH=10,11', MONDAY, /several months/],
    ['FREQ=YEARLY;BYMONTHDAY=12', MONDAY, /without their month/],
    ['FREQ=YEARLY;BYWEEKNO=42', MONDAY, /BYWEEKNO/],
    ['FREQ=YEARLY;BYYEARDAY=285', MONDAY, /BYYEARDAY/],
    ['FREQ=YEARLY', date('2028-02-29'), /only day 29/],
  ];
  for (const [text, start, about] of REFUSED)
    it(`refuses as a Graph pattern, with the reason, ${text} on ${start.type === 'date' ? start.date : JSON.stringify(start).slice(25, 35)}`, () => {
      assert.throws(
        () => convertPattern(text, start),
        (refusal) =>
          refusal instanceof UnsupportedByProvider &&
          refusal.reason === 'recurrence_not_supported_by_provider' &&
          about.test(refusal.message),
      );
    });

  it('refuses several rules and additional dates as a Graph pattern', () => {
    const two = { rrules: ['FREQ=DAILY', 'FREQ=WEEKLY'], rdates: [], exdates: [] };
    const dates = { ...rule('FREQ=DAILY'), rdates: [{ start: berlin('2026-10-20T11:00:00') }] };

    assert.throws(() => toGraphRecurrence(two, MONDAY), /more than one rule/);
    assert.throws(() => toGraphRecurrence(dates, MONDAY), /dates outside/);
  });

  const RANGES: readonly (readonly [until: string, start: EventTime, endDate: string])[] = [
    // Nine o'clock in Berlin is seven in UTC: the occurrence of that day counts.
    ['20261019T070000Z', MONDAY, '2026-10-19'],
    ['20261019T065959Z', MONDAY, '2026-10-18'],
    // Eleven at night there is the next day already, but before that day's occurrence.
    ['20261019T220000Z', MONDAY, '2026-10-19'],
    ['20261019', MONDAY, '2026-10-19'],
    ['20261103', date('2026-11-01'), '2026-11-03'],
  ];
  for (const [until, start, endDate] of RANGES)
    it(`ends a Graph range on the day of the last occurrence before UNTIL=${until} of ${JSON.stringify(start)}`, () => {
      assert.equal(convertRange(`FREQ=DAILY;UNTIL=${until}`, start)?.endDate, endDate);
    });

  it('gives a Graph range the Windows name of the zone of its start', () => {
    const { recurrenceTimeZone, startDate, type } = convertRange('FREQ=DAILY', MONDAY) ?? {};

    assert.deepEqual(
      [recurrenceTimeZone, startDate, type],
      ['W. Europe Standard Time', '2026-10-12', 'noEnd'],
    );
    assert.equal(convertRange('FREQ=DAILY', date('2026-11-01'))?.recurrenceTimeZone, 'UTC');
  });
});
