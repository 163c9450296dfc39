import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import fc from 'fast-check';
import { freeSlots, type SlotRules, type WorkingHours, workingTime } from './availability.ts';
import { parseAvailability } from './availability-request.ts';
import { common, gaps, type Interval, merged } from './intervals.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds;
const RUNS = { numRuns: 300 };

/** Within a day, in minutes. */
const interval = fc
  .tuple(fc.integer({ min: 0, max: 1440 }), fc.integer({ min: 0, max: 300 }))
  .map(([start, length]) => ({ start: start * MINUTE, end: (start + length) * MINUTE }));
const intervals = fc.array(interval, { maxLength: 12 });
const rulesOf = fc.record({
  window: fc.constant({ start: 0, end: 1440 * MINUTE }),
  duration: fc.integer({ min: 1, max: 180 }).map((minutes) => minutes * MINUTE),
  bufferBefore: fc.integer({ min: 0, max: 30 }).map((minutes) => minutes * MINUTE),
  bufferAfter: fc.integer({ min: 0, max: 30 }).map((minutes) => minutes * MINUTE),
  earliest: fc.integer({ min: -100, max: 2000 * MINUTE }),
  step: fc.integer({ min: 1, max: 120 }).map((minutes) => minutes * MINUTE),
  limit: fc.constant(100_000),
}) satisfies fc.Arbitrary<SlotRules>;

const overlap = (a: Interval, b: Interval) => a.start < b.end && b.start < a.end;
const isIn = (inner: Interval, outer: Interval) => inner.start >= outer.start && inner.end <= outer.end;

describe('free slots', () => {
  it('free slots never overlap busy time with its buffers, and stay within hours, window and notice', () => {
    fc.assert(
      fc.property(intervals, intervals.map(merged), rulesOf, (busy, open, rules) => {
        for (const slot of freeSlots(busy, open, rules)) {
          const buffered = { start: slot.start - rules.bufferBefore, end: slot.end + rules.bufferAfter };
          assert.equal(slot.end - slot.start, rules.duration);
          assert.ok(!busy.some((block) => block.end > block.start && overlap(buffered, block)));
          assert.ok(open.some((hours) => isIn(slot, hours)));
          assert.ok(isIn(slot, rules.window) && slot.start >= rules.earliest);
        }
      }),
      RUNS,
    );
  });

  it('free slots are in order without duplicates', () => {
    fc.assert(
      fc.property(intervals, intervals.map(merged), rulesOf, (busy, open, rules) => {
        const starts = freeSlots(busy, open, rules).map(({ start }) => start);
        assert.deepEqual(
          starts,
          [...new Set(starts)].toSorted((a, b) => a - b),
        );
      }),
      RUNS,
    );
  });

  it('free slots are offered in every gap that is long enough', () => {
    fc.assert(
      fc.property(intervals, intervals.map(merged), rulesOf, (busy, open, rules) => {
        const slots = freeSlots(busy, open, rules);
        const { bufferBefore, bufferAfter, window, earliest, duration } = rules;
        const padded = busy.map(({ start, end }) => ({
          start: start - bufferAfter,
          end: end + bufferBefore,
        }));
        const from = { start: Math.max(window.start, earliest), end: window.end };
        const free = from.start < from.end ? common(open, gaps(padded, from)) : [];
        for (const gap of free.filter(({ start, end }) => end - start >= duration)) {
          assert.ok(
            slots.some((slot) => isIn(slot, gap)),
            JSON.stringify({ gap, slots }),
          );
        }
      }),
      RUNS,
    );
  });

  it('free slots are those of each open interval, in turn', () => {
    fc.assert(
      fc.property(intervals, intervals.map(merged), rulesOf, (busy, open, rules) => {
        const slots = open.flatMap((hours) => freeSlots(busy, [hours], rules));
        assert.deepEqual(freeSlots(busy, open, rules), slots);
      }),
      RUNS,
    );
  });

  it('the work for free slots grows only as fast as the open intervals and the busy ones', () => {
    const countReads = (size: number): number => {
      let reads = 0;
      const list = (offset: number) =>
        Array.from({ length: size }, (_, i) => ({
          start: i * HOUR + offset,
          get end() {
            reads += 1;
            return i * HOUR + offset + 20 * MINUTE;
          },
        }));
      const window = { start: 0, end: size * HOUR };
      const rules = { duration: HOUR, bufferBefore: 0, bufferAfter: 0, earliest: 0, step: HOUR, limit: 50 };
      assert.deepEqual(freeSlots(list(10 * MINUTE), list(0), { ...rules, window }), []);
      return reads;
    };

    assert.ok(countReads(400) <= 2.1 * countReads(200), `${countReads(200)} and ${countReads(400)} reads`);
  });

  it('free slots begin at steps from the start of the hours if one fits, and end at the limit', () => {
    const day = { start: at('2026-11-02T09:00:00Z'), end: at('2026-11-02T17:00:00Z') };
    const rules = {
      window: day,
      duration: HOUR,
      bufferBefore: 0,
      bufferAfter: 0,
      earliest: 0,
      step: HOUR / 2,
      limit: 3,
    };
    const busy = [{ start: at('2026-11-02T09:00:00Z'), end: at('2026-11-02T10:07:00Z') }];

    const starts = freeSlots(busy, [day], rules).map(({ start }) =>
      new Date(start).toISOString().slice(11, 16),
    );

    assert.deepEqual(starts, ['10:30', '11:00', '11:30']);
  });
});

describe('intervals', () => {
  it('the time in two lists is that of each pair of their intervals', () => {
    fc.assert(
      fc.property(intervals.map(merged), intervals.map(merged), (one, other) => {
        const pairs = one.flatMap((within) =>
          other.map(({ start, end }) => ({
            start: Math.max(start, within.start),
            end: Math.min(end, within.end),
            within,
          })),
        );
        assert.deepEqual(
          common(one, other),
          pairs.filter(({ start, end }) => start < end),
        );
      }),
      RUNS,
    );
  });

  it('busy and free intervals cover the whole window and never overlap', () => {
    fc.assert(
      fc.property(intervals, (busy) => {
        const window = { start: 0, end: 1440 * MINUTE };
        const free = gaps(busy, window);
        const length = (list: readonly Interval[]) =>
          list.reduce((sum, { start, end }) => sum + end - start, 0);
        assert.deepEqual(common(merged(busy), free), []);
        assert.equal(length(common(merged(busy), [window])) + length(free), 1440 * MINUTE);
      }),
      RUNS,
    );
  });
});

describe('working hours', () => {
  const hours = (change: Partial<WorkingHours> = {}): WorkingHours => ({
    days: [0, 1, 2, 3, 4],
    start: 9 * 60,
    end: 17 * 60,
    timeZone: 'Europe/Vienna',
    ...change,
  });
  const isoTimes = (list: readonly Interval[]) =>
    list.map(({ start, end }) => [new Date(start).toISOString(), new Date(end).toISOString()]);
  const week = { start: at('2026-10-23T00:00:00Z'), end: at('2026-10-27T00:00:00Z') };

  it('working hours have each of their days once, however often a request repeats it', () => {
    const window = { start: '2026-11-02T00:00:00Z', end: '2026-11-03T00:00:00Z', duration: 30 };
    const workingHours = [{ days: ['TU', 'MO', 'TU', 'MO'], start: '09:00', end: '17:00' }];

    assert.deepEqual(parseAvailability({ ...window, workingHours }).workingHours?.[0]?.days, [1, 0]);
  });

  it('working hours follow the clock of their zone across a DST change', () => {
    assert.deepEqual(isoTimes(workingTime([hours()], week)), [
      ['2026-10-23T07:00:00.000Z', '2026-10-23T15:00:00.000Z'],
      ['2026-10-26T08:00:00.000Z', '2026-10-26T16:00:00.000Z'],
    ]);
  });

  it('working hours are an hour longer or shorter through the night in which the clock changes', () => {
    const night = hours({ days: [5, 6], start: 22 * 60, end: 6 * 60 });
    const length = ({ start, end }: Interval) => (end - start) / HOUR;
    const autumn = workingTime([night], {
      start: at('2026-10-24T12:00:00Z'),
      end: at('2026-10-25T12:00:00Z'),
    });
    const spring = workingTime([night], {
      start: at('2026-03-28T12:00:00Z'),
      end: at('2026-03-29T12:00:00Z'),
    });

    assert.deepEqual([autumn.map(length), spring.map(length)], [[9], [7]]);
  });

  it('working hours of several zones are merged, and whole days are joined', () => {
    const tokyo = hours({ timeZone: 'Asia/Tokyo' });
    const monday = { start: at('2026-11-01T12:00:00Z'), end: at('2026-11-02T23:00:00Z') };
    const always = hours({ days: [0, 1, 2, 3, 4, 5, 6], start: 0, end: 24 * 60 });

    assert.deepEqual(isoTimes(workingTime([hours(), tokyo], monday)), [
      ['2026-11-02T00:00:00.000Z', '2026-11-02T16:00:00.000Z'],
    ]);
    assert.deepEqual(isoTimes(workingTime([always], week)), isoTimes([week]));
  });
});
