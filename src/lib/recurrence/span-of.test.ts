import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DAY } from './civil.ts';
import type { CustomZone, EventTime } from './event-time.ts';
import { expand } from './expand.ts';
import { recurrenceBudget } from './expand-rule.ts';
import { computeSpan } from './place-of.ts';
import type { Series, SeriesOverride } from './series.ts';

const at = (local: string): EventTime => ({ type: 'zoned', local, zone: 'Europe/Brussels' });
const iso = (instant: number) => new Date(instant).toISOString().slice(0, 16);

function createSeries(rrules: string[], overrides: SeriesOverride<string>[] = []): Series<string> {
  const recurrence = { rrules, rdates: [{ start: at('2026-01-05T09:00:00') }], exdates: [] };
  const master = {
    start: at('2026-03-02T09:00:00'),
    end: at('2026-03-02T10:00:00'),
    recurrence,
    payload: '',
  };
  return { master, overrides };
}

const future = (start: string, end: string): SeriesOverride<string> => ({
  recurrenceId: at('2026-03-09T09:00:00'),
  start: at(start),
  end: at(end),
  thisAndFuture: true,
  cancelled: false,
  payload: '',
});

describe('the span of a series', () => {
  it('is the event if it is single', () => {
    const master = { start: at('2026-03-02T09:00:00'), end: at('2026-03-02T10:00:00'), payload: '' };

    const { startsAt, endsAt } = computeSpan({ master, overrides: [] }, 'UTC');

    assert.deepEqual([iso(startsAt), iso(endsAt)], ['2026-03-02T08:00', '2026-03-02T09:00']);
  });

  it('has no end if the series has none', () => {
    assert.equal(computeSpan(createSeries(['FREQ=WEEKLY']), 'UTC').endsAt, Number.MAX_SAFE_INTEGER);
    assert.equal(
      computeSpan(createSeries(['FREQ=DAILY;COUNT=99999999']), 'UTC').endsAt,
      Number.MAX_SAFE_INTEGER,
    );
  });

  it('ends within days of the last instance with COUNT or UNTIL', () => {
    for (const rrule of ['FREQ=WEEKLY;COUNT=4', 'FREQ=WEEKLY;UNTIL=20260324T000000Z']) {
      assert.match(iso(computeSpan(createSeries([rrule]), 'UTC').endsAt), /^2026-03-2[3-6]/, rrule);
    }
  });

  it('is at most four days wider than the instances', () => {
    const window = { start: Date.parse('1990-01-01'), end: Date.parse('2100-01-01') };
    const rrules = ['FREQ=DAILY;COUNT=3', 'FREQ=DAILY;UNTIL=20260401', 'FREQ=YEARLY;COUNT=2;BYMONTHDAY=5'];
    for (const rrule of rrules) {
      const series = createSeries([rrule]);
      const { startsAt, endsAt } = computeSpan(series, 'UTC');
      const { instances } = expand(series, window, 'UTC', recurrenceBudget());

      const first = Math.min(...instances.map((instance) => instance.startsAt));
      const last = Math.max(...instances.map((instance) => instance.endsAt));
      assert.ok(first - startsAt <= 4 * DAY && endsAt - last <= 4 * DAY, rrule);
    }
  });

  it('is exact without rules, except for three days on either side of RDATEs', () => {
    const [start, end] = [at('2026-03-02T09:00:00'), at('2026-03-02T10:00:00')];
    const exact = { recurrenceId: at('2026-03-02T09:00:00'), cancelled: false, payload: '' };
    const early = { ...exact, start: at('2026-02-01T09:00:00'), end: at('2026-02-01T08:00:00') };
    const late = { ...exact, start: at('2026-04-01T09:00:00'), end: at('2026-04-02T09:00:00') };
    const bounds = (series: Series<string>) => {
      const { startsAt, endsAt } = computeSpan(series, 'UTC');
      return [iso(startsAt), iso(endsAt)];
    };
    const master = { start, end, payload: '' };

    assert.deepEqual(bounds({ master, overrides: [early] }), ['2026-02-01T08:00', '2026-03-02T09:00']);
    assert.deepEqual(bounds({ master, overrides: [late] }), ['2026-03-02T08:00', '2026-04-02T07:00']);
    assert.deepEqual(bounds({ overrides: [late] }), ['2026-03-02T08:00', '2026-04-02T07:00']);
    assert.deepEqual(bounds({ overrides: [early] }), ['2026-02-01T08:00', '2026-02-01T08:00']);
    const reversed = { start, end: at('2026-03-01T10:00:00'), payload: '' };
    assert.deepEqual(bounds({ master: reversed, overrides: [] }), ['2026-03-02T08:00', '2026-03-02T08:00']);
    const rdates = [
      { start: at('2026-03-20T09:00:00') },
      { start: at('2026-01-20T09:00:00'), end: at('2026-05-20T10:00:00') },
      { start: at('2026-03-20T09:00:00'), end: at('2026-01-01T09:00:00') },
    ];
    const spanWith = (rdate: (typeof rdates)[number] | undefined) =>
      bounds({
        master: { ...master, recurrence: { rrules: [], rdates: rdate ? [rdate] : [], exdates: [] } },
        overrides: [],
      });
    assert.deepEqual(spanWith(rdates[0]), ['2026-03-02T08:00', '2026-03-23T09:00']);
    assert.deepEqual(spanWith(rdates[1]), ['2026-01-17T08:00', '2026-05-23T08:00']);
    assert.deepEqual(spanWith(rdates[2]), ['2026-03-02T08:00', '2026-03-23T08:00']);
  });

  it('begins two days before DTSTART and ends two days after the last instance with a rule', () => {
    const series = (rrule: string) => ({
      master: {
        start: at('2026-03-02T09:00:00'),
        end: at('2026-03-02T10:00:00'),
        recurrence: { rrules: [rrule], rdates: [], exdates: [] },
        payload: '',
      },
      overrides: [],
    });
    for (const rrule of ['FREQ=DAILY;COUNT=3', 'FREQ=DAILY;UNTIL=20260304T080000Z']) {
      const { startsAt, endsAt } = computeSpan(series(rrule), 'UTC');
      assert.deepEqual([iso(startsAt), iso(endsAt)], ['2026-02-28T08:00', '2026-03-06T09:00'], rrule);
    }
    const end = (rrule: string) => computeSpan(series(rrule), 'UTC').endsAt;
    assert.equal(end('FREQ=DAILY;UNTIL=99991231T235959Z'), Number.MAX_SAFE_INTEGER);
    // Its margin reaches the last day of the year 9999.
    assert.equal(end('FREQ=DAILY;UNTIL=99991229T090000Z'), Number.MAX_SAFE_INTEGER);
    assert.equal(end('FREQ=DAILY;UNTIL=99991201T090000Z'), Date.parse('9999-12-03T10:00Z'));
    assert.equal(end('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;COUNT=2'), Number.MAX_SAFE_INTEGER);
    const future1 = future('2026-03-09T11:00:00', '2026-03-09T14:00:00');
    const widened = computeSpan({ ...series('FREQ=WEEKLY;COUNT=3'), overrides: [future1] }, 'UTC');
    // Two hours later, three hours long, and three days for clocks.
    assert.deepEqual([iso(widened.startsAt), iso(widened.endsAt)], ['2026-02-25T03:00', '2026-03-21T14:00']);
  });

  /** Includes the hour that clocks in Brussels skip on March 29, and its first minute: 02:50 is after 03:00 then. */
  const overGap = (first: string, rrule: string): Series<string> => {
    const master = { start: at(first), end: at(first), payload: '' };
    return {
      master: { ...master, recurrence: { rrules: [rrule], rdates: [], exdates: [] } },
      overrides: [],
    };
  };

  /** A custom zone whose clocks change by 28 hours on November 1. */
  const wild: CustomZone = {
    tzid: 'Wild',
    observances: [
      { start: '2026-03-01T02:00:00', offsetFrom: 86_340, offsetTo: -14_400, rrules: [], rdates: [] },
      { start: '2026-11-01T02:00:00', offsetFrom: -14_400, offsetTo: 86_340, rrules: [], rdates: [] },
    ],
  };
  const inWild = (local: string): EventTime => ({ type: 'zoned', local, zone: wild });

  const all: readonly Series<string>[] = [
    overGap('2026-03-29T01:50:00', 'FREQ=DAILY;BYHOUR=1,2,3;BYMINUTE=0,50;COUNT=4'),
    overGap('2026-03-29T02:50:00', 'FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,50;COUNT=2'),
    {
      master: {
        start: inWild('2026-10-30T10:00:00'),
        end: inWild('2026-10-30T11:00:00'),
        recurrence: { rrules: ['FREQ=DAILY;COUNT=4'], rdates: [], exdates: [] },
        payload: '',
      },
      overrides: [],
    },
    createSeries([]),
    createSeries(['FREQ=WEEKLY;COUNT=4']),
    createSeries(['FREQ=DAILY;UNTIL=20260401']),
    createSeries(['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=5']),
    createSeries(['FREQ=WEEKLY;COUNT=4'], [future('2026-06-01T09:00:00', '2026-08-01T10:00:00')]),
    createSeries(['FREQ=WEEKLY;COUNT=4'], [future('2025-06-01T09:00:00', '2025-06-01T10:00:00')]),
    { overrides: [future('2026-06-01T09:00:00', '2026-08-01T10:00:00')] },
  ];
  for (const [index, series] of all.entries()) {
    it(`contains every instance: ${index}`, () => {
      const window = { start: Date.parse('1990-01-01'), end: Date.parse('2100-01-01') };

      const { startsAt, endsAt } = computeSpan(series, 'UTC');
      const { instances } = expand(series, window, 'UTC', recurrenceBudget());

      assert.ok(instances.length > 0);
      for (const instance of instances) {
        assert.ok(instance.startsAt >= startsAt && instance.endsAt <= endsAt, iso(instance.startsAt));
      }
    });
  }
});
