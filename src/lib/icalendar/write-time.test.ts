import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { EventTime } from '../recurrence/event-time.ts';
import { parseContentLine } from './content-line.ts';
import { instanceLine, movement, recurrenceLines, timeLine, withUntilLike } from './write-time.ts';

const zoned = (local: string, zone = 'Europe/Berlin'): EventTime => ({ type: 'zoned', local, zone });
const day = (date: string): EventTime => ({ type: 'date', date });
const floating = (local: string): EventTime => ({ type: 'floating', local });
const START = zoned('2026-10-12T09:00:00');

describe('a time', () => {
  const rows: [EventTime, string][] = [
    [day('2026-11-15'), 'DTSTART;VALUE=DATE:20261115'],
    [START, 'DTSTART;TZID=Europe/Berlin:20261012T090000'],
    [zoned('2026-10-12T09:00:00', 'UTC'), 'DTSTART:20261012T090000Z'],
    [floating('2026-10-12T09:00:00'), 'DTSTART:20261012T090000'],
  ];
  for (const [time, line] of rows)
    it(`is written as ${line}`, () =>
      assert.equal(
        timeLine('DTSTART', time, () => undefined),
        line,
      ));
});

describe('UNTIL', () => {
  // RFC 5545 §3.3.10: of DTSTART's type, in UTC if that has a zone. Summer time ends on October 25.
  const rows: [string, EventTime, string][] = [
    ['20261109', START, '20261109T225959Z'],
    ['20261012', START, '20261012T215959Z'],
    ['20261109T080000Z', START, '20261109T080000Z'],
    ['20261109T090000', START, '20261109T080000Z'],
    ['20261109T080000Z', day('2026-10-12'), '20261109'],
    ['20261109', day('2026-10-12'), '20261109'],
    ['20261109', floating('2026-10-12T09:00:00'), '20261109T235959'],
    ['nonsense', START, 'nonsense'],
  ];
  for (const [until, start, expected] of rows)
    it(`${until} of a series that starts with a ${start.type} time is written as ${expected}`, () =>
      assert.equal(
        withUntilLike(`FREQ=DAILY;UNTIL=${until};INTERVAL=2`, start),
        `FREQ=DAILY;UNTIL=${expected};INTERVAL=2`,
      ));
});

describe('the name of an occurrence', () => {
  const parseDtstart = (line: string) => {
    const property = parseContentLine(line);
    assert.ok(property);
    return property;
  };

  it('has the type, zone and TZID of DTSTART, whatever its own were', () => {
    const dtstart = parseDtstart('DTSTART;TZID=W. Europe Standard Time:20261012T090000');

    for (const time of [zoned('2026-10-26T09:00:00'), zoned('2026-10-26T08:00:00', 'UTC'), day('2026-10-26')])
      assert.equal(
        instanceLine('EXDATE', dtstart, START, time),
        'EXDATE;TZID=W. Europe Standard Time:20261026T090000',
      );
  });

  it('is a date in an all-day series, and a time without zone in a floating one', () => {
    const time = zoned('2026-10-26T00:00:00', 'UTC');

    assert.equal(
      instanceLine('EXDATE', parseDtstart('DTSTART;VALUE=DATE:20261012'), day('2026-10-12'), time),
      'EXDATE;VALUE=DATE:20261026',
    );
    assert.equal(
      instanceLine('EXDATE', parseDtstart('DTSTART:20261012T090000'), START, zoned('2026-10-26T09:00:00')),
      'EXDATE:20261026T090000',
    );
  });

  it('may have its own length', () => {
    const rdate = { start: zoned('2026-10-27T09:00:00'), end: zoned('2026-10-27T11:00:00') };
    const recurrence = { rrules: [], rdates: [rdate], exdates: [] };

    assert.deepEqual(
      recurrenceLines(recurrence, parseDtstart('DTSTART;TZID=Europe/Berlin:20261012T090000'), START),
      ['RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20261027T090000/20261027T110000'],
    );
  });
});

const seriesAt = (start: EventTime, namesDays: boolean) => ({
  start,
  recurrence: { rrules: [`FREQ=WEEKLY${namesDays ? ';BYDAY=MO' : ''}`], rdates: [], exdates: [] },
});

describe('a series that moves', () => {
  const original = zoned('2026-10-26T09:00:00');
  const rows: [EventTime, boolean, EventTime][] = [
    [zoned('2026-10-13T14:00:00'), false, zoned('2026-10-27T14:00:00')],
    [zoned('2026-10-13T14:00:00'), true, zoned('2026-10-26T14:00:00')],
    [zoned('2026-10-12T09:00:00', 'Asia/Tokyo'), false, zoned('2026-10-26T09:00:00', 'Asia/Tokyo')],
    [day('2026-10-13'), false, day('2026-10-27')],
  ];
  for (const [to, keepsDays, moved] of rows)
    it(`a series that moves to ${JSON.stringify(to)}${keepsDays ? ' by a rule that names its days' : ''} moves its occurrences`, () =>
      assert.deepEqual(movement(seriesAt(START, keepsDays), to)(original), moved));

  it('gives each occurrence the new time of day when it changes from all-day to timed', () =>
    assert.deepEqual(movement(seriesAt(day('2026-10-12'), false), START)(day('2026-10-26')), original));
});
