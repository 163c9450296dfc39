import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { formatLocal } from './civil.ts';
import {
  allDayStart,
  localOn,
  movedEnd,
  timeLike,
  toInstant,
  toLocalMs,
  toOriginalStart,
} from './event-instant.ts';
import type { EventTime } from './event-time.ts';
import { boundLength, endLasting, measureLength, toEndInstant } from './master-clock.ts';

const HOUR = 3_600_000;
/** The zone of floating times: 3 hours east of UTC in 2026. */
const ZONE = 'Europe/Istanbul';
/** `2026-11-02` is a date, `2026-11-02T10:00` floats, and `2026-11-02T10:00 Europe/Paris` is in a zone. */
function time(text: string): EventTime {
  const [local = '', zone] = text.split(' ');
  if (!local.includes('T')) return { type: 'date', date: local };
  const whole = `${local}:00`;
  return zone === undefined ? { type: 'floating', local: whole } : { type: 'zoned', local: whole, zone };
}
const wallClock = (local: number): string => formatLocal(local).slice(0, 16);

describe('the instant of a time', () => {
  it('uses its zone; a date is midnight UTC, and a floating time is in the calendar’s zone', () => {
    const iso = (text: string) => new Date(toInstant(time(text), ZONE)).toISOString().slice(0, 16);

    assert.equal(iso('2026-11-02T10:00 Asia/Tokyo'), '2026-11-02T01:00');
    assert.equal(iso('2026-11-02T10:00'), '2026-11-02T07:00');
    assert.equal(iso('2026-11-02'), '2026-11-02T00:00');
  });

  it('fails for an invalid date or time', () => {
    assert.throws(() => toLocalMs({ type: 'date', date: '2026-02-30' }), RangeError);
    assert.throws(
      () => toInstant({ type: 'floating', local: '2026-02-28T24:00:00' }, 'UTC'),
      /2026-02-28T24:00:00/,
    );
  });
});

describe('a RECURRENCE-ID, RDATE or EXDATE (RFC 5545 §3.8.4.4, §3.8.5)', () => {
  /** The start of the series | the name of an occurrence | its place on the clock of the series | the start named */
  const CASES = {
    'is on the clock of the series': '2026-11-02T10:00 Asia/Tokyo | 2026-11-05T01:00 UTC | 2026-11-05T10:00',
    'keeps its time in the zone of the series':
      '2026-11-02T10:00 Asia/Tokyo | 2026-11-05T11:00 Asia/Tokyo | 2026-11-05T11:00',
    'is found in summer time as well':
      '2026-06-02T10:00 Europe/Paris | 2026-07-01T08:00 UTC | 2026-07-01T10:00',
    'floats in the zone of the calendar': '2026-11-02T10:00 Asia/Tokyo | 2026-11-05T04:00 | 2026-11-05T10:00',
    'names a floating series in a zone': '2026-11-02T10:00 | 2026-11-05T07:00 UTC | 2026-11-05T10:00',
    'keeps the day of a date on an all-day series': '2026-11-02 | 2026-11-05 | 2026-11-05T00:00',
    'is the UTC day of midnight UTC on an all-day series':
      '2026-11-02 | 2026-11-05T00:00 UTC | 2026-11-05T00:00',
    'is the day in the zone of the calendar of another time in UTC':
      '2026-11-02 | 2026-11-04T21:00 UTC | 2026-11-05T00:00',
    'is the day in its own zone of another time':
      '2026-11-02 | 2026-11-05T23:00 America/New_York | 2026-11-05T00:00',
    'is the day of midnight in its own zone':
      '2026-11-02 | 2026-11-05T00:00 Pacific/Auckland | 2026-11-05T00:00',
    'is the day of a floating time': '2026-11-02 | 2026-11-05T23:00 | 2026-11-05T00:00',
  };
  for (const [rule, row] of Object.entries(CASES))
    it(rule, () => {
      const [start = '', name = '', local = ''] = row.split(' | ');

      assert.equal(wallClock(localOn(time(start), time(name), ZONE)), local);
      const original = toOriginalStart(time(start), time(name), ZONE);
      assert.deepEqual(original, timeLike(time(start), toLocalMs(time(local))));
    });

  it('names the occurrence at the series’ time of day if it is a date in a timed series', () => {
    const original = toOriginalStart(time('2026-11-02T10:30 Asia/Tokyo'), time('2026-11-05'), ZONE);

    assert.deepEqual(original, time('2026-11-05T10:30 Asia/Tokyo'));
    assert.equal(wallClock(allDayStart(time('2026-11-04T20:59 UTC'), ZONE)), '2026-11-04T00:00');
  });
});

describe('the length of an event (RFC 5545 §3.8.2.2, §3.3.6)', () => {
  /** Start | end | days and hours. Clocks in Paris go forward on March 29 and back on October 25. */
  const CASES = {
    'is whole days by the clock': '2026-03-28T12:00 Europe/Paris | 2026-03-30T12:00 Europe/Paris | 2 0',
    'is exact hours over a change of clocks':
      '2026-03-28T12:00 Europe/Paris | 2026-03-29T13:00 Europe/Paris | 0 24',
    'is a day of 25 hours': '2026-10-24T12:00 Europe/Paris | 2026-10-25T12:00 Europe/Paris | 1 0',
    'is days on the clock of the start if the end is in another zone':
      '2026-11-02T10:00 Asia/Tokyo | 2026-11-03T01:00 UTC | 1 0',
    'is exact to the second of two equal local times':
      '2026-10-25T02:30 Europe/Paris | 2026-10-25T01:30 UTC | 0 1',
    'is exact to the second of two equal local times of another day':
      '2026-10-24T02:30 Europe/Paris | 2026-10-25T01:30 UTC | 0 25',
    'is days to the first of two equal local times':
      '2026-10-24T02:30 Europe/Paris | 2026-10-25T00:30 UTC | 1 0',
    'is nothing if the end is the start': '2026-11-02T10:00 UTC | 2026-11-02T10:00 UTC | 0 0',
    'is nothing if the end is before': '2026-11-02T10:00 UTC | 2026-11-02T09:00 UTC | 0 0',
    'is nothing if the end is days before': '2026-11-02T10:00 UTC | 2026-10-31T10:00 UTC | 0 0',
    'is whole days from a date on, whatever the time of its end': '2026-11-02 | 2026-11-02T10:00 UTC | 0 0',
    'is whole days between dates': '2026-11-02 | 2026-11-05 | 3 0',
  };
  for (const [rule, row] of Object.entries(CASES))
    it(rule, () => {
      const [start = '', end = '', length = ''] = row.split(' | ');
      const [days, hours = Number.NaN] = length.split(' ').map(Number);

      assert.deepEqual(measureLength(time(start), time(end), ZONE), { days, milliseconds: hours * HOUR });
    });

  it('adds days on the clock first, then exact time', () => {
    const start = time('2026-03-28T12:00 Europe/Paris');
    const placed = { zone: 'Europe/Paris', local: toLocalMs(start), startsAt: toInstant(start, ZONE) };

    const lasting = (days: number, hours: number) =>
      (toEndInstant(placed, { days, milliseconds: hours * HOUR }) - placed.startsAt) / HOUR;

    assert.deepEqual([lasting(0, 24), lasting(1, 0), lasting(1, 2), lasting(2, 0)], [24, 23, 25, 47]);
    assert.equal(lasting(-1, 1), 0);
  });

  it('is bounded by one more day than it has', () => {
    assert.equal(boundLength({ days: 0, milliseconds: HOUR }), HOUR);
    assert.equal(boundLength({ days: 2, milliseconds: HOUR }), 73 * HOUR);
  });

  it('ends on the clock of its start, or in UTC if that clock shows the time twice and it is the second', () => {
    const endAfter = (start: string, hours: number) =>
      endLasting(time(start), { days: 0, milliseconds: hours * HOUR }, ZONE);

    assert.deepEqual(endAfter('2026-10-25T00:00 Europe/Paris', 2), time('2026-10-25T02:00 Europe/Paris'));
    assert.deepEqual(endAfter('2026-10-25T00:00 Europe/Paris', 3), time('2026-10-25T01:00 UTC'));
    assert.deepEqual(endAfter('2026-10-25T00:00 Europe/Paris', 4), time('2026-10-25T03:00 Europe/Paris'));
    assert.deepEqual(endLasting(time('2026-11-02'), { days: 2, milliseconds: 0 }, ZONE), time('2026-11-04'));
    assert.deepEqual(endAfter('2026-11-02T10:00', 1), time('2026-11-02T11:00'));
  });

  it('stays the same if a series begins at the first of two equal local times', () => {
    const second = time('2026-10-25T01:30 UTC');
    const first = time('2026-10-25T02:30 Europe/Paris');

    assert.deepEqual(
      movedEnd(time('2026-10-25T01:45 UTC'), second, first),
      time('2026-10-25T02:45 Europe/Paris'),
    );
    assert.deepEqual(movedEnd(time('2026-10-25T02:00 UTC'), second, first), time('2026-10-25T01:00 UTC'));
    assert.deepEqual(movedEnd(second, first, first), second);
  });
});
