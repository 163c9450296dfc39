import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  DAY,
  dayOfYear,
  daysInMonth,
  formatDate,
  formatLocal,
  isLeapYear,
  parseLocal,
  timeOfDay,
  toCivil,
  toDayNumber,
  weekdayOf,
} from './civil.ts';

/** Years of every length, century and remainder by 400, and both ends of the calendar. */
const YEARS = [1, 3, 4, 99, 100, 101, 400, 1582, 1600, 1699, 1700, 1899, 1900, 1901, 1969, 1970, 1999, 2000];
const LATER_YEARS = [2001, 2024, 2026, 2100, 2399, 2400, 9998, 9999];

/** Every day of those years, from Temporal. */
function* everyDay(): Generator<Temporal.PlainDate> {
  for (const year of [...YEARS, ...LATER_YEARS]) {
    const first = new Temporal.PlainDate(year, 1, 1);
    for (let day = 0; day < first.daysInYear; day += 1) yield first.add({ days: day });
  }
}
const EPOCH = new Temporal.PlainDate(1970, 1, 1);

describe('the Gregorian calendar', () => {
  it('has the same days as Temporal', () => {
    for (const date of everyDay()) {
      const { year, month, day, daysInMonth: length, inLeapYear } = date;
      const number = toDayNumber(year, month, day);
      const text = date.toString();
      assert.equal(number, EPOCH.until(date).days, text);
      assert.deepEqual(toCivil(number), { year, month, day });
      assert.equal(weekdayOf(number), date.dayOfWeek - 1, text);
      assert.equal(dayOfYear({ year, month, day }), date.dayOfYear, text);
      assert.deepEqual([daysInMonth(year, month), isLeapYear(year)], [length, inLeapYear], text);
      assert.equal(formatDate(number), text);
      assert.equal(parseLocal(text), number * DAY);
    }
  });

  it('continues month numbers beyond either end of a year', () => {
    for (let month = -30; month <= 30; month += 1)
      assert.equal(toDayNumber(2026, month, 1), Date.UTC(2026, month - 1, 1) / DAY, `${month}`);
  });

  it('formats years before 0 and after 9999 as plain numbers', () => {
    assert.equal(formatDate(toDayNumber(10_000, 1, 1)), '10000-01-01');
    assert.equal(formatDate(toDayNumber(-1, 12, 31)), '-1-12-31');
  });
});

describe('a time on the wall clock', () => {
  it('is parsed and formatted for every second of a day, without a fraction', () => {
    const midnight = Date.UTC(2026, 1, 28);
    for (let second = 0; second < 86_400; second += 7) {
      const local = midnight + second * 1000;
      const text = new Date(local).toISOString().slice(0, 19);
      assert.equal(parseLocal(text), local);
      assert.equal(formatLocal(local + 999), text);
    }
    assert.equal(parseLocal('2026-02-28T23:59:59'), midnight + DAY - 1000);
    assert.equal(parseLocal('0000-03-01'), toDayNumber(0, 3, 1) * DAY);
    assert.equal(formatLocal(midnight - 1), '2026-02-27T23:59:59');
  });

  it('has the ranges of RFC 5545 §3.3.4 and §3.3.12', () => {
    for (const text of [
      ...['2026-00-10', '2026-13-10', '2026-10-00', '2026-10-32', '2026-04-31', '2026-02-29', '1900-02-29'],
      ...['2026-10-10T24:00:00', '2026-10-10T10:60:00', '2026-10-10T10:00:60', '2026-10-10T24:59:59'],
      ...['', '2026', '2026-10-1', '2026-10-100', '2026-10-10T10:00', '2026-10-10T10:00:00Z'],
    ])
      assert.equal(parseLocal(text), undefined, text);
  });

  it('is invalid if any of its characters is wrong', () => {
    for (const text of ['2026-11-19', '2026-09-20T19:09:29', '0000-10-10T00:00:00'])
      for (let at = 0; at < text.length; at += 1)
        for (const other of ['/', ':', ' ', 'a', 'T', '-', '+', '.', '٣'].filter((one) => one !== text[at])) {
          const changed = text.slice(0, at) + other + text.slice(at + 1);
          assert.equal(parseLocal(changed), undefined, changed);
        }
  });

  it('ends a day at 24:00 and no later', () => {
    const minutes = (text: string) => timeOfDay(text.slice(0, 2), text.slice(2, 4), text.slice(4));

    assert.equal(minutes('2400'), DAY);
    assert.equal(minutes('240000'), DAY);
    assert.equal(minutes('000000'), 0);
    assert.equal(minutes('235959'), DAY - 1000);
    assert.equal(minutes('235960'), DAY - 1000);
    assert.equal(minutes('010203'), 3_723_000);
    for (const text of ['240001', '240100', '240101', '2430', '250000', '2500', '006000', '0160'])
      assert.equal(minutes(text), undefined, text);
  });
});
