import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import { recurrenceObject } from './recurrence-object.ts';

const paris: EventTime = { type: 'zoned', local: '2026-10-05T09:00:00', zone: 'Europe/Paris' };
const day: EventTime = { type: 'date', date: '2026-10-05' };
const rules = (...rrules: string[]): Recurrence => ({ rrules, rdates: [], exdates: [] });

describe('the recurrence object of a response', () => {
  const table: [string, EventTime, string, object][] = [
    [
      'its parts',
      paris,
      'FREQ=MONTHLY;INTERVAL=2;COUNT=5;BYDAY=2MO,-1FR',
      { byDay: ['2MO', '-1FR'], count: 5 },
    ],
    [
      'the months and days',
      paris,
      'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=1,31',
      { byMonth: [3], byMonthDay: [1, 31] },
    ],
    ['an end in UTC', paris, 'FREQ=DAILY;UNTIL=20261101T080000Z', { until: '20261101T080000Z' }],
    ['a local end in UTC', paris, 'FREQ=DAILY;UNTIL=20261101T090000', { until: '20261101T080000Z' }],
    ['an end by date, that day included', paris, 'FREQ=DAILY;UNTIL=20261101', { until: '20261101T225959Z' }],
    ['the last date of an all-day series', day, 'FREQ=DAILY;UNTIL=20261101', { until: '20261101T000000Z' }],
    [
      'positions and first days of weeks',
      paris,
      'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1;WKST=SU',
      { bySetPos: [-1], weekStart: 'SU' },
    ],
  ];
  for (const [what, start, rule, expected] of table) {
    it(`the recurrence object has ${what}`, () => {
      const object: Record<string, unknown> = recurrenceObject(rules(rule), start, 'UTC');

      for (const [name, value] of Object.entries(expected)) assert.deepEqual(object[name], value, name);
      assert.equal(object.rrules, undefined);
    });
  }

  it('the recurrence object has excluded and additional starts as instants, dates at the series’ time of day', () => {
    const object = recurrenceObject(
      {
        ...rules('FREQ=WEEKLY'),
        exdates: [{ type: 'date', date: '2026-10-26' }],
        rdates: [{ start: paris }],
      },
      paris,
      'UTC',
    );

    assert.deepEqual(object.exDates, ['2026-10-26T08:00:00.000Z']);
    assert.deepEqual(object.rDates, ['2026-10-05T07:00:00.000Z']);
  });

  it('the recurrence object has the original rules if it cannot express them', () => {
    const hourly = recurrenceObject(rules('FREQ=HOURLY'), paris, 'UTC');
    const hebrew = recurrenceObject(rules('RSCALE=HEBREW;FREQ=YEARLY'), paris, 'UTC');
    const two = recurrenceObject(rules('FREQ=DAILY', 'FREQ=WEEKLY'), paris, 'UTC');
    const timed = recurrenceObject(rules('FREQ=DAILY;BYHOUR=9,17'), paris, 'UTC');

    assert.deepEqual(hourly, { rrules: ['FREQ=HOURLY'] });
    assert.deepEqual(hebrew, { rrules: ['RSCALE=HEBREW;FREQ=YEARLY'] });
    assert.deepEqual(two, { frequency: 'DAILY', interval: 1, rrules: ['FREQ=DAILY', 'FREQ=WEEKLY'] });
    assert.deepEqual(timed.rrules, ['FREQ=DAILY;BYHOUR=9,17']);
  });

  it('the recurrence object has the original rule beside the parts that could be read', () => {
    const object = recurrenceObject(rules('FREQ=DAILY;COUNT=-1'), paris, 'UTC');

    assert.deepEqual(object, { frequency: 'DAILY', interval: 1, rrules: ['FREQ=DAILY;COUNT=-1'] });
  });
});
