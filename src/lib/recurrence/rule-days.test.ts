import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DAY, formatDate, formatLocal, parseLocal, toDayNumber } from './civil.ts';
import { expandRule, recurrenceBudget } from './expand-rule.ts';
import { parseRule } from './rule.ts';

const FROM = toDayNumber(2000, 1, 1) * DAY;
const TO = toDayNumber(2060, 1, 1) * DAY;

function listTimes(text: string, start = '2000-01-01T00:00:00'): string[] {
  const rule = parseRule(text);
  const local = parseLocal(start);
  assert.ok(rule !== undefined && local !== undefined, text);
  return expandRule(rule, local, { from: FROM, to: TO }, recurrenceBudget(0, 10_000_000)).map(formatLocal);
}

/** Returns the days of those years that pass a test. Temporal has its own ISO weeks. */
function daysWhere(test: (date: Temporal.PlainDate) => boolean): string[] {
  const days = Array.from({ length: (TO - FROM) / DAY }, (_, index) => formatDate(FROM / DAY + index));
  return days.filter((day) => test(Temporal.PlainDate.from(day))).map((day) => `${day}T00:00:00`);
}

const weeksIn = (date: Temporal.PlainDate) =>
  new Temporal.PlainDate(date.yearOfWeek ?? 0, 12, 28).weekOfYear ?? 0;

describe('week numbers', () => {
  const everyDay = 'BYDAY=MO,TU,WE,TH,FR,SA,SU';

  for (const week of [1, 2, 30, 52, 53]) {
    it(`are those of ISO 8601 if weeks begin on Monday: ${week}`, () => {
      assert.deepEqual(
        listTimes(`FREQ=YEARLY;BYWEEKNO=${week};${everyDay}`),
        daysWhere(({ weekOfYear }) => weekOfYear === week),
      );
    });
  }

  for (const week of [-1, -2, -52, -53]) {
    it(`count back from the last week of the year: ${week}`, () => {
      assert.deepEqual(
        listTimes(`FREQ=YEARLY;BYWEEKNO=${week};${everyDay}`),
        daysWhere((date) => (date.weekOfYear ?? 0) - weeksIn(date) - 1 === week),
      );
    });
  }

  it('use DTSTART’s weekday if no day is named', () => {
    const times = listTimes('FREQ=YEARLY;BYWEEKNO=20', '2024-05-15T09:00:00');

    assert.deepEqual(times.slice(0, 3), [
      '2024-05-15T09:00:00',
      '2025-05-14T09:00:00',
      '2026-05-13T09:00:00',
    ]);
  });
});

describe('weekdays', () => {
  it('are combined with and without ordinals', () => {
    assert.deepEqual(listTimes('FREQ=MONTHLY;BYDAY=MO,1TU,-1WE', '2026-11-02T00:00:00').slice(0, 8), [
      '2026-11-02T00:00:00',
      '2026-11-03T00:00:00',
      '2026-11-09T00:00:00',
      '2026-11-16T00:00:00',
      '2026-11-23T00:00:00',
      '2026-11-25T00:00:00',
      '2026-11-30T00:00:00',
      '2026-12-01T00:00:00',
    ]);
  });
});

describe('a rule', () => {
  it('ends its search at the window if no day matches', () => {
    assert.deepEqual(listTimes('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'), []);
  });

  it('is not followed if it names every second or has an unknown frequency or calendar', () => {
    const unusable = [
      '',
      'FREQ=SECONDLY;COUNT=3',
      'INTERVAL=2',
      'FREQ=DAILYISH;COUNT=3',
      'FREQ=YEARLY;RSCALE=KLINGON',
      'FREQ=YEARLY;RSCALE=HEBREW;BYWEEKNO=3',
      'FREQ=MONTHLY;SKIP=SIDEWAYS;BYMONTHDAY=31',
      `FREQ=DAILY;BYHOUR=${'1,'.repeat(10_000)}`,
    ];

    for (const text of unusable) assert.equal(parseRule(text), undefined, text.slice(0, 40));
  });

  it('is followed without its invalid parts and values, and lists them', () => {
    const read = (text: string) => {
      const { frequency, count, until, byMonthDay, byDay, leftOut } = parseRule(text) ?? {};
      return { frequency, count, until, byMonthDay, byDay: byDay?.length, leftOut };
    };
    const daily = { frequency: 'DAILY', count: undefined, until: undefined, byMonthDay: [], byDay: 0 };

    assert.deepEqual(read('FREQ=DAILY;COUNT=-1'), { ...daily, leftOut: ['COUNT'] });
    assert.deepEqual(read('FREQ=DAILY;COUNT=x;UNTIL=soon'), { ...daily, leftOut: ['COUNT', 'UNTIL'] });
    assert.deepEqual(read('FREQ=DAILY;BYMONTHDAY=32'), { ...daily, leftOut: ['BYMONTHDAY'] });
    assert.deepEqual(read('FREQ=DAILY;BYMONTHDAY=32,9'), {
      ...daily,
      byMonthDay: [9],
      leftOut: ['BYMONTHDAY'],
    });
    assert.deepEqual(read('FREQ=DAILY;BYDAY=MO,XX,TU,'), { ...daily, byDay: 2, leftOut: ['BYDAY'] });
    assert.deepEqual(read('FREQ=DAILY;BYEASTER=0;X-OWN=1'), { ...daily, leftOut: ['BYEASTER'] });
    assert.deepEqual(read('FREQ=DAILY;COUNT=3;WKST=SU'), { ...daily, count: 3, leftOut: [] });
  });

  it('ends at its UNTIL in any spelling, or on its day if the time is invalid', () => {
    const utc = (text: string) => ({ form: 'utc', local: Date.parse(text) });
    const untils = {
      '20250131T235960Z': [utc('2025-01-31T23:59:59Z'), []],
      '20250131T240000Z': [utc('2025-02-01T00:00:00Z'), []],
      '20250131T2359Z': [utc('2025-01-31T23:59:00Z'), []],
      '20250131T2359': [{ form: 'local', local: Date.parse('2025-01-31T23:59:00Z') }, []],
      '20250131T235959+0100': [{ form: 'date', local: Date.parse('2025-01-31T00:00:00Z') }, ['UNTIL']],
      '20250131235959Z': [{ form: 'date', local: Date.parse('2025-01-31T00:00:00Z') }, ['UNTIL']],
      '20251331': [undefined, ['UNTIL']],
    };
    for (const [text, [until, leftOut]] of Object.entries(untils)) {
      const rule = parseRule(`FREQ=WEEKLY;UNTIL=${text}`);
      assert.deepEqual([rule?.until, rule?.leftOut], [until, leftOut], text);
    }
  });

  it('is parsed despite the escapes of a text', () => {
    assert.equal(parseRule('FREQ=DAILY\\;COUNT=10')?.count, 10);
    assert.deepEqual(parseRule('FREQ=MONTHLY\\;BYMONTHDAY=1\\,15')?.byMonthDay, [1, 15]);
  });

  it('ends on the last day of a month if its UNTIL is a 31st that does not exist', () => {
    assert.deepEqual(
      parseRule('FREQ=DAILY;UNTIL=20110931')?.until,
      parseRule('FREQ=DAILY;UNTIL=20110930')?.until,
    );
  });

  it('is parsed in any case and order, with spaces', () => {
    const rule = parseRule(' interval=2; byday=mo , -1fr ;freq=monthly;INTERVAL=0');

    assert.equal(rule?.frequency, 'MONTHLY');
    assert.equal(rule?.interval, 1);
    assert.deepEqual(rule?.byDay, [
      { ordinal: 0, weekday: 0 },
      { ordinal: -1, weekday: 4 },
    ]);
  });
});
