import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isExtended, parseRule, plainRule, type Rule } from './rule.ts';

const read = (text: string): Rule => {
  const rule = parseRule(text);
  assert.ok(rule !== undefined, text);
  return rule;
};

describe('the values of a rule (RFC 5545 §3.3.10)', () => {
  const ranges: readonly (readonly [part: string, name: keyof Rule, least: number, most: number])[] = [
    ['BYSECOND', 'bySecond', 0, 59],
    ['BYMINUTE', 'byMinute', 0, 59],
    ['BYHOUR', 'byHour', 0, 23],
    ['BYMONTH', 'byMonth', 1, 12],
    ['BYMONTHDAY', 'byMonthDay', -31, 31],
    ['BYYEARDAY', 'byYearDay', -366, 366],
    ['BYWEEKNO', 'byWeekNo', -53, 53],
    ['BYSETPOS', 'bySetPos', -366, 366],
  ];
  for (const [part, name, least, most] of ranges)
    it(`are in the range of ${part}, in order and each once; others are left out`, () => {
      const rule = read(`FREQ=YEARLY;${part}=${most},${most + 1},+1,${least},${least - 1},1,${most}`);

      const inside = [...new Set([least, 1, most])].sort((a, b) => a - b);
      assert.deepEqual([rule[name], rule.leftOut], [inside, [part]]);
      const zero = read(`FREQ=YEARLY;${part}=0`);
      assert.deepEqual([zero[name], zero.leftOut], least === 0 ? [[0], []] : [[], [part]]);
      assert.deepEqual(read(`FREQ=YEARLY;${part}=1.5,0x1,1000,1e0,--1`).leftOut, [part]);
    });

  it('of BYYEARDAY reach 385 in other calendars, whose years are longer (RFC 7529 §4.2)', () => {
    const rule = read('RSCALE=HEBREW;FREQ=YEARLY;BYYEARDAY=-386,-385,385,386');

    assert.deepEqual([rule.byYearDay, rule.leftOut], [[-385, 385], ['BYYEARDAY']]);
  });

  it('of BYMONTH are month numbers with an L for a leap month in other calendars (RFC 7529 §4.2)', () => {
    const months = (list: string) => {
      const { scale, byMonth, leftOut } = read(`RSCALE=HEBREW;FREQ=YEARLY;BYMONTH=${list}`);
      assert.deepEqual(byMonth, []);
      return [scale?.months, leftOut];
    };

    assert.deepEqual(months('1,5L,13,5l,01'), [['M01', 'M05L', 'M13'], []]);
    assert.deepEqual(months(' 9 ,10,12L,'), [['M09', 'M10', 'M12L'], []]);
    for (const wrong of ['0', '14', '20', '1LL', 'L', '-1', '00']) assert.deepEqual(months(wrong)[0], []);
    for (const wrong of ['0', '14', '3,14', '1LL']) assert.deepEqual(months(wrong)[1], ['BYMONTH']);
  });

  it('of BYDAY have an ordinal of at most 53 in either direction', () => {
    const rule = read('FREQ=YEARLY;BYDAY=53MO,+1TU,-53WE,54TH,-54FR,0SA,SU,0SU,1TU');

    assert.deepEqual(rule.byDay, [
      { ordinal: 53, weekday: 0 },
      { ordinal: 1, weekday: 1 },
      { ordinal: -53, weekday: 2 },
      { ordinal: 0, weekday: 5 },
      { ordinal: 0, weekday: 6 },
    ]);
    assert.deepEqual(rule.leftOut, ['BYDAY']);
    for (const wrong of ['100MO', 'MOO', 'M', '1', '--1MO'])
      assert.deepEqual(read(`FREQ=YEARLY;BYDAY=${wrong}`).byDay, [], wrong);
  });

  it('of COUNT and INTERVAL are whole numbers from 1 to nine digits', () => {
    for (const [text, value] of Object.entries({ '1': 1, '+12': 12, '007': 7, '999999999': 999_999_999 })) {
      const { count, interval, leftOut } = read(`FREQ=DAILY;COUNT=${text};INTERVAL=${text}`);
      assert.deepEqual([count, interval, leftOut], [value, value, []]);
    }
    for (const text of ['0', '-1', '1000000000', '1.5', 'x', '1 2']) {
      const { count, interval, leftOut } = read(`FREQ=DAILY;COUNT=${text};INTERVAL=${text}`);
      assert.deepEqual([count, interval, leftOut], [undefined, 1, ['INTERVAL', 'COUNT']], text);
    }
  });

  it('of WKST are weekdays, Monday by default', () => {
    const weekStarts = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'].map(
      (day) => read(`FREQ=WEEKLY;WKST=${day}`).weekStart,
    );

    assert.deepEqual(weekStarts, [0, 1, 2, 3, 4, 5, 6]);
    assert.equal(read('FREQ=WEEKLY').weekStart, 0);
    assert.deepEqual(read('FREQ=WEEKLY;WKST=1SU').leftOut, ['WKST']);
  });

  it('of UNTIL are existing dates and times; an invalid time leaves its day', () => {
    const until = (text: string) => {
      const rule = read(`FREQ=DAILY;UNTIL=${text}`);
      const { form, local } = rule.until ?? { form: 'none', local: Number.NaN };
      return `${form} ${Number.isNaN(local) ? '' : new Date(local).toISOString().slice(0, 19)} ${rule.leftOut}`;
    };

    assert.equal(until('2026-02-28T10:20:30.5Z'), 'utc 2026-02-28T10:20:30 ');
    assert.equal(until('20260228T102030,25'), 'local 2026-02-28T10:20:30 ');
    assert.equal(until('2026-02-28'), 'date 2026-02-28T00:00:00 ');
    assert.equal(until('20260231'), 'date 2026-02-28T00:00:00 ');
    assert.equal(until('20280230'), 'date 2028-02-29T00:00:00 ');
    assert.equal(until('20260431T120000Z'), 'utc 2026-04-30T12:00:00 ');
    assert.equal(until('20260228T250000Z'), 'date 2026-02-28T00:00:00 UNTIL');
    assert.equal(until('20260228T240001Z'), 'date 2026-02-28T00:00:00 UNTIL');
    assert.equal(until('20260232'), 'none  UNTIL');
    assert.equal(until('20260200'), 'none  UNTIL');
    assert.equal(until('20261301T000000Z'), 'none  UNTIL');
    assert.equal(until('soon'), 'none  UNTIL');
  });
});

describe('the text of a rule', () => {
  it('is refused beyond 10,000 characters', () => {
    const rule = 'FREQ=DAILY;X-LONG=';

    assert.ok(parseRule(rule.padEnd(10_000, 'x')) !== undefined);
    assert.equal(parseRule(rule.padEnd(10_001, 'x')), undefined);
  });

  it('is parsed without a second name, spaces and escapes', () => {
    assert.equal(plainRule(' rrule:FREQ=DAILY\\;COUNT=2\\,3 '), 'FREQ=DAILY;COUNT=2,3');
    assert.equal(plainRule('FREQ=DAILY;X-A=RRULE:\\n'), 'FREQ=DAILY;X-A=RRULE:\\n');
  });

  it('may have empty parts and X- parts; unknown ones are reported', () => {
    assert.deepEqual(read('FREQ=DAILY;;COUNT=;BYDAY;X-OWN=1;').leftOut, []);
    assert.deepEqual(read('FREQ=DAILY;OWN=1;BYEASTER=2').leftOut, ['OWN', 'BYEASTER']);
  });
});

describe('a rule of another calendar or with SKIP (RFC 7529)', () => {
  const parseScale = (text: string) => parseRule(text)?.scale;

  it('has the given calendar and SKIP, by default Gregorian and OMIT', () => {
    assert.deepEqual(parseScale('RSCALE=hebrew;FREQ=DAILY'), {
      calendar: 'hebrew',
      skip: 'OMIT',
      months: [],
    });
    assert.deepEqual(parseScale('SKIP=BACKWARD;FREQ=DAILY'), {
      calendar: 'gregory',
      skip: 'BACKWARD',
      months: [],
    });
    assert.deepEqual(parseScale('RSCALE=GREGORIAN;SKIP=FORWARD;FREQ=DAILY')?.skip, 'FORWARD');
    assert.equal(parseScale('RSCALE=HEBREW;SKIP=NEVER;FREQ=DAILY'), undefined);
  });

  it('is a plain RFC 5545 rule if it is Gregorian and skips nothing', () => {
    const { scale, byMonth, byWeekNo } = read('RSCALE=GREGORIAN;SKIP=OMIT;FREQ=YEARLY;BYMONTH=3;BYWEEKNO=9');

    assert.deepEqual([scale, byMonth, byWeekNo], [undefined, [3], [9]]);
    assert.equal(read('RSCALE=GREGORIAN;FREQ=HOURLY').unit, 3_600_000);
  });

  it('has no SKIP with BYWEEKNO, and no BYWEEKNO in another calendar', () => {
    const rule = read('RSCALE=GREGORIAN;SKIP=FORWARD;FREQ=YEARLY;BYWEEKNO=9;BYDAY=8');

    assert.deepEqual([rule.scale, rule.byWeekNo, rule.leftOut], [undefined, [9], ['BYDAY', 'SKIP']]);
    assert.equal(parseRule('RSCALE=PERSIAN;FREQ=YEARLY;BYWEEKNO=9'), undefined);
  });

  it('has days or longer periods', () => {
    assert.equal(parseRule('RSCALE=GREGORIAN;SKIP=FORWARD;FREQ=HOURLY'), undefined);
    assert.equal(parseRule('RSCALE=PERSIAN;FREQ=MINUTELY'), undefined);
  });

  it('goes beyond the rule object of the wire, as a rule below a day does', () => {
    const extended = ['FREQ=DAILY', 'FREQ=HOURLY', 'SKIP=FORWARD;FREQ=DAILY', 'RSCALE=ROC;FREQ=DAILY'];

    assert.deepEqual(extended.map(read).map(isExtended), [false, true, true, true]);
  });
});

describe('a rule below a day', () => {
  it('counts hours or minutes and has no BYSETPOS', () => {
    const units = ['FREQ=HOURLY', 'FREQ=MINUTELY', 'FREQ=DAILY'].map((text) => read(text).unit);

    assert.deepEqual(units, [3_600_000, 60_000, undefined]);
    assert.equal(read('FREQ=MINUTELY').frequency, 'DAILY');
    assert.equal(parseRule('FREQ=MINUTELY;BYSETPOS=2'), undefined);
    assert.equal(parseRule('FREQ=SECONDLY'), undefined);
  });
});
