import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventTime } from './event-time.ts';
import { createShift, shiftWithSeries } from './shift-series.ts';

/** `09` is a day of March 2026, `09T10:00` floats, and `09T10:00 Europe/Paris` is in a zone. */
function time(text: string): EventTime {
  const [day = '', zone] = text.split(' ');
  if (!day.includes('T')) return { type: 'date', date: `2026-03-${day}` };
  const local = `2026-03-${day}:00`;
  return zone === undefined ? { type: 'floating', local } : { type: 'zoned', local, zone };
}

/** By rule: the instance | the old start of its series | the new start | the new instance. */
const CASES = {
  'moves by as much as the series':
    '09T10:00 Europe/Paris | 02T10:00 Europe/Paris | 03T11:30 Europe/Paris | 10T11:30 Europe/Paris',
  'keeps its time of day behind a change of clocks':
    '30T10:00 Europe/Paris | 02T10:00 Europe/Paris | 02T09:00 Europe/Paris | 30T09:00 Europe/Paris',
  'has the series’ time of day in another zone, also while only one of the two has summer time':
    '16T10:00 Europe/Paris | 02T10:00 Europe/Paris | 02T09:00 America/New_York | 16T09:00 America/New_York',
  'moves to the day before in a zone where the series begins the day before':
    '10T01:00 Europe/Paris | 03T01:00 Europe/Paris | 02T19:00 America/New_York | 09T19:00 America/New_York',
  'is found by its instant when it is named in UTC':
    '30T08:00 UTC | 02T10:00 Europe/Paris | 02T12:00 Europe/Paris | 30T12:00 Europe/Paris',
  'is the one of its day when it is named by a date':
    '09 | 02T10:00 Europe/Paris | 03T11:00 Europe/Paris | 10T11:00 Europe/Paris',
  'moves by whole days while it stays all-day': '09 | 02 | 04 | 11',
  'keeps its distance in days, whatever its time of day, when the series becomes all-day':
    '09T08:00 Europe/Paris | 02T10:00 Europe/Paris | 03 | 10',
  'takes the series’ time of day when the series is all-day no longer':
    '09 | 02 | 03T09:00 Europe/Paris | 10T09:00 Europe/Paris',
  'keeps its wall-clock time when the series floats no longer':
    '30T10:00 | 02T10:00 | 02T10:00 Asia/Tokyo | 30T10:00 Asia/Tokyo',
};

describe('an instance of a series that is shifted', () => {
  for (const [rule, row] of Object.entries(CASES)) {
    it(`an instance of a shifted series ${rule}`, () => {
      const [original = '', before = '', after = '', shifted = ''] = row.split(' | ');
      const shift = { before: time(before), after: time(after), floatingZone: 'Asia/Tokyo', byMonth: false };
      assert.deepEqual(shiftWithSeries(time(original), shift), time(shifted));
    });
  }
});

/** By rule: its text | the instance | the old start of its series | the new start | the new instance. */
const MONTHS = {
  'stays as many months after its start': 'FREQ=MONTHLY | 2027-03-05 | 2027-01-05 | 2027-02-07 | 2027-04-07',
  'goes back by months': 'FREQ=MONTHLY;INTERVAL=2 | 2027-03-31 | 2027-01-31 | 2026-12-01 | 2027-02-01',
  'takes the day of its series in a shorter month':
    'FREQ=MONTHLY | 2027-02-05 | 2027-01-05 | 2027-01-28 | 2027-02-28',
  'counts on into the next month if its month lacks the day':
    'FREQ=MONTHLY | 2027-02-05 | 2027-01-05 | 2027-01-31 | 2027-03-03',
  'stays as many years after its start over a leap day':
    'FREQ=YEARLY;COUNT=4 | 2028-02-10 | 2027-02-10 | 2027-03-12 | 2028-03-12',
  'stays as many days after the day of its series, as an end of a rule does':
    'FREQ=MONTHLY | 2027-04-03 | 2027-01-05 | 2027-03-05 | 2027-06-03',
  'stays as many days after its start if the rule names days':
    'FREQ=MONTHLY;BYDAY=1TU | 2027-02-02 | 2027-01-05 | 2027-01-06 | 2027-02-03',
  'stays as many days after its start if the series also runs by week':
    'FREQ=MONTHLY,FREQ=WEEKLY | 2027-02-05 | 2027-01-05 | 2027-02-07 | 2027-03-10',
};

describe('an instance of a series that is shifted by months', () => {
  for (const [rule, row] of Object.entries(MONTHS)) {
    it(`an instance of a series by month ${rule}`, () => {
      const [rrules = '', ...dates] = row.split(' | ');
      const [original, before, after, shifted] = dates.map((date): EventTime => ({ type: 'date', date }));
      assert.ok(original && before && after);
      const recurrence = { rrules: rrules.split(','), rdates: [], exdates: [] };
      const shift = createShift({ recurrence }, { before, after, floatingZone: 'UTC' });
      assert.deepEqual(shiftWithSeries(original, shift), shifted);
    });
  }
});
