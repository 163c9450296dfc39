import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { DAY, formatLocal, parseLocal } from './civil.ts';
import { expand } from './expand.ts';
import { expandRule, findLastTime, recurrenceBudget } from './expand-rule.ts';
import { parseRule } from './rule.ts';

const local = (text: string): number => parseLocal(text) ?? Number.NaN;

function listTimes(rrule: string, start: string, days = 2, budget = recurrenceBudget()): string[] {
  const rule = parseRule(rrule);
  assert.ok(rule !== undefined);
  const from = local(start);
  return expandRule(rule, from, { from, to: from + days * DAY }, budget).map(formatLocal);
}

/** Returns the steps for a window far after the start. */
function stepsFarAway(rrule: string, years: number): number {
  const rule = parseRule(rrule);
  assert.ok(rule !== undefined);
  const budget = recurrenceBudget();
  const from = local('2026-01-01T00:30:15') + years * 365 * DAY;
  expandRule(rule, local('2026-01-01T00:30:15'), { from, to: from + DAY }, budget);
  return recurrenceBudget().steps - budget.steps;
}

describe('a rule below a day', () => {
  it('names every n-th hour from its start', () => {
    assert.deepEqual(listTimes('FREQ=HOURLY;INTERVAL=7;COUNT=4', '2026-03-01T20:30:15'), [
      ...['2026-03-01T20:30:15', '2026-03-02T03:30:15', '2026-03-02T10:30:15', '2026-03-02T17:30:15'],
    ]);
  });

  it('names several minutes of an hour, none before its start', () => {
    assert.deepEqual(listTimes('FREQ=HOURLY;BYMINUTE=0,30;COUNT=3', '2026-03-01T20:30:00'), [
      ...['2026-03-01T20:30:00', '2026-03-01T21:00:00', '2026-03-01T21:30:00'],
    ]);
  });

  it('names minutes of some hours and days only', () => {
    const rule = 'FREQ=MINUTELY;INTERVAL=25;BYDAY=TU;BYHOUR=9,11;BYMINUTE=0,5,15,50;COUNT=4';

    assert.deepEqual(listTimes(rule, '2026-03-03T09:00:00', 30), [
      ...['2026-03-03T09:00:00', '2026-03-03T09:50:00', '2026-03-03T11:05:00', '2026-03-10T11:00:00'],
    ]);
  });

  it('names several seconds of a minute', () => {
    assert.deepEqual(listTimes('FREQ=MINUTELY;BYSECOND=10,40;COUNT=3', '2026-03-01T00:00:40'), [
      ...['2026-03-01T00:00:40', '2026-03-01T00:01:10', '2026-03-01T00:01:40'],
    ]);
  });

  for (const rrule of [
    'FREQ=HOURLY',
    'FREQ=MINUTELY;INTERVAL=30',
    'FREQ=MINUTELY;INTERVAL=30;COUNT=99999999',
  ])
    it(`reaches a window after 900 years as soon as one after a year: ${rrule}`, () => {
      assert.equal(stepsFarAway(rrule, 900), stepsFarAway(rrule, 1));
    });

  it('has its last time by division if no part filters', () => {
    const rule = parseRule('FREQ=MINUTELY;INTERVAL=7;BYSECOND=0,15;COUNT=1000001');
    assert.ok(rule !== undefined);
    const budget = recurrenceBudget(0, 200);

    const last = findLastTime(rule, local('2026-01-01T00:00:15'), budget);

    assert.equal(formatLocal(last), formatLocal(local('2026-01-01T00:00:15') + 500_000 * 7 * 60_000));
  });

  it('counts its start if it does not name it', () => {
    assert.deepEqual(listTimes('FREQ=HOURLY;BYMINUTE=10;COUNT=3', '2026-03-01T20:30:00'), [
      ...['2026-03-01T21:10:00', '2026-03-01T22:10:00'],
    ]);
  });

  it('skips a day or an hour that it does not name in one step', () => {
    const budget = recurrenceBudget(0, 4000);

    assert.deepEqual(
      listTimes('FREQ=MINUTELY;BYDAY=MO;BYHOUR=9;BYMINUTE=59', '2026-03-03T09:59:00', 14, budget),
      [...['2026-03-09T09:59:00', '2026-03-16T09:59:00']],
    );
  });

  it('runs on the wall clock: a skipped hour has no occurrence, and one that comes twice has one', () => {
    const startsIn = (local: string) => {
      const start = { type: 'zoned', local, zone: 'Europe/Berlin' } as const;
      const recurrence = { rrules: ['FREQ=HOURLY;COUNT=4'], rdates: [], exdates: [] };
      const series = { master: { start, end: start, recurrence, payload: '' }, overrides: [] };
      const { instances } = expand(
        series,
        { start: 0, end: Date.parse('2027-01-01') },
        'UTC',
        recurrenceBudget(),
      );
      return instances.map(({ startsAt }) => new Date(startsAt).toISOString().slice(8, 13));
    };

    assert.deepEqual(startsIn('2026-03-29T01:00:00'), ['29T00', '29T01', '29T02']);
    assert.deepEqual(startsIn('2026-10-25T01:00:00'), ['24T23', '25T00', '25T02', '25T03']);
  });

  it('is not followed in an all-day series', () => {
    const start = { type: 'date', date: '2026-03-29' } as const;
    const recurrence = { rrules: ['FREQ=HOURLY'], rdates: [], exdates: [] };
    const series = { master: { start, end: start, recurrence, payload: '' }, overrides: [] };

    const { instances, unsupported } = expand(
      series,
      { start: 0, end: Date.parse('2027-01-01') },
      'UTC',
      recurrenceBudget(),
    );

    assert.equal(instances.length, 1);
    assert.equal(unsupported, true);
  });

  for (const rrule of [
    'FREQ=SECONDLY',
    'FREQ=HOURLY;BYSETPOS=1',
    'FREQ=HOURLY;RSCALE=HEBREW',
    'FREQ=MINUTELY;SKIP=FORWARD',
  ])
    it(`is not followed: ${rrule}`, () => {
      assert.equal(parseRule(rrule), undefined);
    });
});
