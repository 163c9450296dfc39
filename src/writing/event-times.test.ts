import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { newTimes, parseTimeInput } from './event-times.ts';

/** Returns the dates of an all-day event in London. */
function datesOf(from: string, to: string): string[] {
  const [start, end] = [parseTimeInput(from), parseTimeInput(to)];
  assert.ok(start !== undefined && end !== undefined);
  const input = { start, end, allDay: true, timeZone: undefined };
  const { value, mistakes } = newTimes(input, { calendarZone: 'Europe/London', recurs: false });
  assert.deepEqual(mistakes, []);
  return [value.start, value.end].map((time) => (time.type === 'date' ? time.date : time.type));
}

describe('the dates of an all-day event in London', () => {
  const table: readonly [string, string, string, string][] = [
    ['2026-10-24T23:00:00.000Z', '2026-10-26T00:00:00.000Z', '2026-10-25', '2026-10-26'],
    ['2026-03-29T00:00:00Z', '2026-03-29T23:00:00Z', '2026-03-29', '2026-03-30'],
    ['2026-03-28T00:00:00Z', '2026-03-31T23:00:00Z', '2026-03-28', '2026-04-01'],
    ['2026-06-01T00:00:00+01:00', '2026-06-01T23:00:00Z', '2026-06-01', '2026-06-02'],
  ];
  for (const [from, to, first, end] of table)
    it(`are those of the local midnights ${from} and ${to}`, () => {
      assert.deepEqual(datesOf(from, to), [first, end]);
    });

  it('are the date parts of midnights as written and of other times', () => {
    assert.deepEqual(datesOf('2026-06-01T00:00:00Z', '2026-06-02T00:00:00Z'), ['2026-06-01', '2026-06-02']);
    assert.deepEqual(datesOf('2026-05-31T23:00:00Z', '2026-06-02T00:00:00Z'), ['2026-05-31', '2026-06-02']);
    assert.deepEqual(datesOf('2026-06-01T09:00:00Z', '2026-06-02T09:00:00Z'), ['2026-06-01', '2026-06-02']);
  });
});
