/**
 * Rules against python3-dateutil, an independent library: generated rules whose DTSTART fits its rule, 0 differences.
 * Deviations of dateutil from RFC 5545 §3.3.10 are left out of the rules or corrected beside it:
 * - BYWEEKNO alone is every day of the week there, DTSTART's weekday by the RFC: it comes with days.
 * - Weeks across New Year: it counts the weeks of the year before by this year's length, and looks for negative numbers
 *   in one direction only (its source says TODO): BYWEEKNO is from -51 to 51; rule-days.test.ts has the others.
 * - BYDAY mixing ordinals with plain weekdays is an intersection there, a union by the RFC: one or the other.
 * - BYSETPOS of the first week: see dateutil-expand.py.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { DAY, formatLocal, parseLocal } from '../../../src/lib/recurrence/civil.ts';
import { expandRule, recurrenceBudget } from '../../../src/lib/recurrence/expand-rule.ts';
import { parseRule } from '../../../src/lib/recurrence/rule.ts';
import { rounds } from '../../harness/rounds.ts';
import { expandWithDateutil, withDateutil } from './python-programs.ts';

const ROUNDS = rounds(500);
/** The number of times of a rule to compare, within the horizon that dateutil-expand.py has too. */
const LIMIT = 40;
const HORIZON = 24 * 366 * DAY;

test(`an expansion names the times that dateutil names, for ${ROUNDS} rules`, withDateutil(), () => {
  const seed = Number(process.env.KALENDS_TEST_SEED ?? 5545);
  // Some generated rules name nothing for years and are not used; there are enough of the others.
  const cases = fc.sample(fc.record({ start: starts, rrule: rules }), { numRuns: ROUNDS * 3, seed });

  const compared = expandWithDateutil(cases, { limit: LIMIT, rounds: ROUNDS })
    .slice(0, ROUNDS)
    .map(({ rrule, dtstart, occurrences }) => ({
      rrule,
      dtstart,
      occurrences,
      ours: ourTimes(rrule, dtstart),
    }));

  assert.equal(compared.length, ROUNDS);
  const different = compared.filter(({ occurrences, ours }) => occurrences.join() !== ours.join());
  assert.deepEqual(different.slice(0, 5), [], `${different.length} rules differ, seed ${seed}`);
});

function ourTimes(rrule: string, dtstart: string): string[] {
  const rule = parseRule(rrule);
  const start = parseLocal(dtstart);
  assert.ok(rule !== undefined && start !== undefined, rrule);
  const window = { from: start, to: start + HORIZON + 1, until: rule.until?.local };
  const budget = recurrenceBudget(Number.MAX_SAFE_INTEGER, 50_000_000);
  return expandRule(rule, start, window, budget).slice(0, LIMIT).map(formatLocal);
}

const pad = (value: number) => String(value).padStart(2, '0');
const between = (min: number, max: number) => fc.integer({ min, max });
const signed = (min: number, max: number) => between(min, max).filter((value) => value !== 0);
const some = <T>(values: fc.Arbitrary<T>, maxLength: number) =>
  fc.uniqueArray(values, { minLength: 1, maxLength });
const maybe = <T>(values: fc.Arbitrary<T>, freq: number) => fc.option(values, { nil: undefined, freq });
const no = fc.constant(undefined);

const starts = fc
  .tuple(between(1975, 2095), between(1, 12), between(1, 28), between(0, 23), fc.constantFrom(0, 15, 30, 59))
  .map(
    ([year, month, day, hour, minute]) => `${year}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:00`,
  );

const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const ordinalDays = (most: number) =>
  some(
    fc.tuple(signed(-most, most), weekday).map(([n, day]) => `${n}${day}`),
    4,
  );
const end = fc.oneof(
  fc.constant(''),
  between(1, 40).map((count) => `;COUNT=${count}`),
  between(1990, 2100).map((year) => `;UNTIL=${year}0615T120000`),
);

/** The parts of a rule by their names, as numbers and words. */
const rules = fc
  .constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY')
  .chain((freq) => {
    const yearly = freq === 'YEARLY';
    const weeks = yearly ? maybe(some(signed(-51, 51), 4), 5) : no;
    return weeks.chain((byweekno) => {
      const counted = byweekno === undefined && (freq === 'MONTHLY' || yearly);
      const plain = some(weekday, 4);
      const byday = counted ? fc.oneof(plain, ordinalDays(yearly ? 53 : 5)) : plain;
      return fc.record({
        FREQ: fc.constant([freq]),
        INTERVAL: maybe(fc.constantFrom([2], [3], [4], [5], [7], [13]), 2),
        end,
        BYMONTH: maybe(some(between(1, 12), 4), 3),
        BYWEEKNO: fc.constant(byweekno),
        BYYEARDAY: yearly ? maybe(some(signed(-366, 366), 4), 6) : no,
        BYMONTHDAY: freq === 'WEEKLY' ? no : maybe(some(signed(-31, 31), 4), 3),
        BYDAY: byweekno === undefined ? maybe(byday, 2) : byday,
        BYHOUR: maybe(some(between(0, 23), 3), 8),
        BYSETPOS: maybe(fc.tuple(fc.constantFrom(1, -1), signed(-6, 6)), 4),
        WKST: maybe(
          weekday.map((day) => [day]),
          3,
        ),
      });
    });
  })
  .map(({ end: bound, BYSETPOS, ...parts }) => {
    const positions = BYSETPOS === undefined || !picksFromMany(parts) ? undefined : [...new Set(BYSETPOS)];
    const texts = Object.entries({ ...parts, BYSETPOS: positions })
      .filter(([, values]) => values !== undefined)
      .map(([name, values]) => `${name}=${values?.join(',')}`);
    return texts.join(';') + bound;
  });

/** RFC 5545 §3.3.10: BYSETPOS "MUST only be used in conjunction with another BYxxx rule part". */
function picksFromMany(parts: {
  FREQ: readonly string[];
  BYDAY?: unknown;
  BYMONTHDAY?: unknown;
  BYHOUR?: unknown;
}): boolean {
  if (parts.FREQ[0] === 'WEEKLY') return parts.BYDAY !== undefined;
  return [parts.BYDAY, parts.BYMONTHDAY, parts.BYHOUR].some((part) => part !== undefined);
}
