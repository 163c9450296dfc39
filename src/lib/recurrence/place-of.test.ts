import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { computePlaces, computeSpan, isSeries } from './place-of.ts';
import { buildSeries, type PlacedTimes } from './series.ts';

const at = (hour: number, length = 1): PlacedTimes => ({
  start: { type: 'zoned', local: `2026-11-02T${String(hour).padStart(2, '0')}:00:00`, zone: 'UTC' },
  end: { type: 'zoned', local: `2026-11-02T${String(hour + length).padStart(2, '0')}:00:00`, zone: 'UTC' },
});
const NINE = Date.parse('2026-11-02T09:00Z');
const HOUR = 3_600_000;
const recurrence = { rrules: ['FREQ=DAILY;COUNT=2'], rdates: [], exdates: [] };
const override = { ...at(12), recurrenceId: at(9).start };

describe('the place of an event', () => {
  it('is that of a series if a main event has a rule or an override', () => {
    assert.equal(isSeries([at(9)]), false);
    assert.equal(isSeries([{ ...at(9), recurrence }]), true);
    assert.equal(isSeries([at(9), override]), true);
  });

  it('is that of single events without a main event', () => {
    const other = { ...at(13), recurrenceId: at(10).start };

    assert.equal(isSeries([override, other]), false);
    assert.deepEqual(computePlaces([override, other], 'UTC'), [
      { shape: 'short', startsAt: NINE + 3 * HOUR, endsAt: NINE + 4 * HOUR },
      { shape: 'short', startsAt: NINE + 4 * HOUR, endsAt: NINE + 5 * HOUR },
    ]);
  });

  it('lasts at least a millisecond and never ends before it starts', () => {
    const [moment, reversed] = [at(9, 0), at(9, -1)].map((timing) => computePlaces([timing], 'UTC')[0]);

    assert.deepEqual(moment, { shape: 'short', startsAt: NINE, endsAt: NINE + 1 });
    assert.deepEqual(reversed, moment);
  });

  it('is long if it lasts more than 25 hours', () => {
    const until = (local: string) => ({ ...at(9), end: { type: 'zoned', local, zone: 'UTC' } as const });

    assert.equal(computePlaces([until('2026-11-03T10:00:00')], 'UTC')[0]?.shape, 'short');
    assert.equal(computePlaces([until('2026-11-03T10:00:01')], 'UTC')[0]?.shape, 'long');
  });

  it('is hidden if the event or the series of an override is cancelled', () => {
    const cancelled = { ...at(9), cancelled: true } as const;

    assert.deepEqual(
      [[cancelled], [{ ...cancelled, recurrence }, override]].map((timings) =>
        computePlaces(timings, 'UTC').map(({ shape }) => shape),
      ),
      [['hidden'], ['hidden', 'hidden']],
    );
  });

  it('contains the overrides of a series, which also have their own places', () => {
    const moved = { ...at(1), recurrenceId: at(9).start };

    const [master, own] = computePlaces([{ ...at(9), recurrence }, moved], 'UTC');

    assert.deepEqual([master?.shape, own?.shape], ['series', 'override']);
    const span = computeSpan(
      buildSeries({ ...at(9), recurrence }, [moved], () => ''),
      'UTC',
    );
    assert.deepEqual([master?.startsAt, master?.endsAt], [span.startsAt, span.endsAt + 1]);
    assert.ok(master !== undefined && master.startsAt <= NINE - 8 * HOUR && master.endsAt > NINE + 25 * HOUR);
    assert.deepEqual([own?.startsAt, own?.endsAt], [NINE - 8 * HOUR, NINE - 7 * HOUR]);
    const moment = { ...at(1, 0), recurrenceId: at(9).start };
    assert.equal(computePlaces([{ ...at(9), recurrence }, moment], 'UTC')[1]?.endsAt, NINE - 8 * HOUR + 1);
  });
});
