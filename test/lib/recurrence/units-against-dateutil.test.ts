/**
 * Hourly and minutely rules against python3-dateutil, an independent program. Nothing is left out but BYWEEKNO, which
 * RFC 5545 §3.3.10 allows in yearly rules only, and BYSETPOS, which Kalends does not follow below a day.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { DAY, formatLocal, parseLocal } from '../../../src/lib/recurrence/civil.ts';
import { expandRule, recurrenceBudget } from '../../../src/lib/recurrence/expand-rule.ts';
import { parseRule } from '../../../src/lib/recurrence/rule.ts';
import { rounds } from '../../harness/rounds.ts';
import { type ExpandedRule, expandWithDateutil, withDateutil } from './python-programs.ts';

const ROUNDS = rounds(300);
const LIMIT = 40;
const HORIZON = 24 * 366 * DAY;

test(`a rule below a day names the times that dateutil names, for ${ROUNDS} rules`, withDateutil(), () => {
  const seed = Number(process.env.KALENDS_TEST_SEED ?? 5545);
  const cases = fc.sample(fc.record({ start: starts, rrule: rules }), { numRuns: ROUNDS * 3, seed });

  const compared = expandWithDateutil(cases, { limit: LIMIT, rounds: ROUNDS }).map((one) => ({
    ...one,
    ours: ourTimes(one),
  }));

  assert.equal(compared.length, ROUNDS);
  const different = compared.filter(({ occurrences, ours }) => occurrences.join() !== ours.join());
  assert.deepEqual(different.slice(0, 5), [], `${different.length} rules differ, seed ${seed}`);
});

function ourTimes({ rrule, dtstart }: ExpandedRule): string[] {
  const rule = parseRule(rrule);
  const start = parseLocal(dtstart);
  assert.ok(rule !== undefined && start !== undefined, rrule);
  const times: string[] = [];
  // In parts, since a rule can name 500,000 minutes a year.
  for (let from = start; times.length < LIMIT && from < start + HORIZON; from += 30 * DAY) {
    const to = Math.min(from + 30 * DAY, start + HORIZON + 1);
    const window = { from, to, until: rule.until?.local };
    const budget = recurrenceBudget(Number.MAX_SAFE_INTEGER, 50_000_000);
    times.push(...expandRule(rule, start, window, budget).map(formatLocal));
  }
  return times.slice(0, LIMIT);
}

const pad = (value: number) => String(value).padStart(2, '0');
const between = (min: number, max: number) => fc.integer({ min, max });
const some = <T>(values: fc.Arbitrary<T>, maxLength: number) =>
  fc.uniqueArray(values, { minLength: 1, maxLength });
const maybe = <T>(values: fc.Arbitrary<T>, freq: number) => fc.option(values, { nil: undefined, freq });

const starts = fc
  .tuple(between(1975, 2095), between(1, 12), between(1, 28), between(0, 23), fc.constantFrom(0, 15, 30, 59))
  .map(
    ([year, month, day, hour, minute]) => `${year}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:15`,
  );

const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const end = fc.oneof(
  fc.constant(''),
  between(1, 40).map((count) => `;COUNT=${count}`),
  between(2000, 2100).map((year) => `;UNTIL=${year}0615T120000`),
);

const rules = fc
  .record({
    FREQ: fc.constantFrom('HOURLY', 'MINUTELY'),
    INTERVAL: maybe(fc.constantFrom(2, 3, 5, 7, 25, 45, 90, 1000, 5000), 3),
    BYMONTH: maybe(some(between(1, 12), 4), 2),
    BYMONTHDAY: maybe(some(fc.constantFrom(-30, -7, -1, 1, 2, 8, 15, 29, 31), 4), 2),
    BYYEARDAY: maybe(some(between(1, 366), 20), 1),
    BYDAY: maybe(some(weekday, 4), 2),
    BYHOUR: maybe(some(between(0, 23), 4), 2),
    BYMINUTE: maybe(some(between(0, 59), 4), 2),
    BYSECOND: maybe(some(between(0, 59), 2), 2),
    end,
  })
  .map(({ end: bound, ...parts }) => {
    const texts = Object.entries(parts).filter(([, values]) => values !== undefined);
    return texts.map(([name, values]) => `${name}=${values}`).join(';') + bound;
  });
