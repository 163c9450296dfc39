/**
 * Random rules of RFC 7529 in six calendars against libical, an independent program. Its differences are left out of the
 * rules or of what is compared:
 * - the Chinese calendar of ICU begins some months a day beside the new moon in Beijing and had its leap month of 1987 too
 *   late: days on which Temporal and ICU differ are not compared, and Chinese rules have no COUNT;
 * - outside the Gregorian calendar an INTERVAL counts from the period behind DTSTART there;
 * - a thirteenth month loses the month after it or the rest of the series: Ethiopic rules are weekly or yearly;
 * - SKIP beside BYDAY: the days that take the place of missing ones are not tested, or the whole month is lost;
 * - a leap month that a year lacks is not omitted beside BYDAY in yearly rules, and one that takes its place is another
 *   in a Chinese year with a leap month of its own; a Chinese year with one has another length;
 * - a day that no month or year of the calendar has makes the whole rule invalid, and so does BYYEARDAY beside BYMONTH;
 * - as in against-libical.test.ts, BYMONTHDAY of a year means DTSTART's month, and does not count from the end in daily rules.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';

import { DAY, formatLocal, type LocalMs } from '../../../src/lib/recurrence/civil.ts';
import { expandRule, recurrenceBudget } from '../../../src/lib/recurrence/expand-rule.ts';
import { parseRule } from '../../../src/lib/recurrence/rule.ts';
import { rounds, scale } from '../../harness/rounds.ts';
import { askScript, withLibical } from './python-programs.ts';

/** libical takes a tenth of a second for a rule. */
const ROUNDS = rounds(scale() < 20 ? 60 : 300);
const seed = Number(process.env.KALENDS_TEST_SEED ?? 7529);
/** How long each series is followed. */
const HORIZON = 12 * 366 * DAY;

const CHINESE = new Intl.DateTimeFormat('en-u-ca-chinese', {
  month: 'numeric',
  day: 'numeric',
  timeZone: 'UTC',
});

test(
  `a rule of another calendar names the days that libical names, for ${ROUNDS} rules`,
  withLibical(),
  () => {
    const cases = casesOf(ROUNDS);
    const expected = expandWithLibical(cases);

    const different = cases.flatMap(({ rrule, start }, i) => {
      const isCompared = (at: LocalMs) => !rrule.includes('CHINESE') || !isDisputed(at);
      const ours = ourTimes(rrule, start).filter(isCompared).map(formatLocal);
      const theirs = (expected[i] ?? [])
        .map((at) => at * 1000)
        .filter(isCompared)
        .map(formatLocal);
      const onlyIn = (some: readonly string[], others: readonly string[]) =>
        some.filter((at) => !others.includes(at)).slice(0, 5);
      if (ours.join() === theirs.join()) return [];
      return { rrule, start: formatLocal(start), ours: onlyIn(ours, theirs), theirs: onlyIn(theirs, ours) };
    });

    assert.deepEqual(different.slice(0, 5), [], `${different.length} rules differ, seed ${seed}`);
  },
);

/** Days around which the Chinese calendar of ICU, which libical uses, differs from Temporal's. */
const disputed = new Set(
  Array.from({ length: 52 * 366 }, (_, index) => Date.parse('1979-01-01') + index * DAY).filter((day) => {
    const { monthCode, day: dayOfMonth } = new Temporal.PlainDateTime(1970, 1, 1)
      .add({ milliseconds: day })
      .withCalendar('chinese');
    const month = monthCode.replace(/^M0?/, '').replace('L', 'bis');
    return CHINESE.format(day) !== `${month}/${dayOfMonth}`;
  }),
);
const isDisputed = (at: LocalMs) =>
  [-30, -15, 0, 15, 30].some((days) => disputed.has((Math.floor(at / DAY) + days) * DAY));

type Parts = {
  readonly RSCALE: string;
  readonly FREQ: string;
  readonly SKIP: string;
  readonly INTERVAL: number | undefined;
  readonly COUNT: number | undefined;
  readonly BYMONTH: readonly string[] | undefined;
  readonly BYMONTHDAY: readonly number[] | undefined;
  readonly BYYEARDAY: readonly number[] | undefined;
  readonly BYDAY: readonly string[] | undefined;
};
type Case = { readonly rrule: string; readonly start: LocalMs };

/** Cases whose rule names their start, since libical does not show another DTSTART. */
function casesOf(count: number): Case[] {
  const cases: Case[] = [];
  for (const { rrule, start } of fc.sample(fc.record({ rrule: rules, start: starts }), {
    numRuns: count * 3,
    seed,
  })) {
    const [first] = ourTimes(rrule.replace(/;COUNT=\d+/, ''), start);
    if (first !== undefined && ourTimes(rrule, first)[0] === first) cases.push({ rrule, start: first });
    if (cases.length === count) return cases;
  }
  throw new Error('Too few rules name a day');
}

function ourTimes(rrule: string, start: LocalMs): LocalMs[] {
  const rule = parseRule(rrule);
  assert.ok(rule !== undefined, rrule);
  const window = { from: start, to: start + HORIZON };
  return expandRule(rule, start, window, recurrenceBudget(Number.MAX_SAFE_INTEGER, 50_000_000));
}

/** In seconds since 1970. */
function expandWithLibical(cases: readonly Case[]): number[][] {
  const bare = (local: LocalMs) => formatLocal(local).replace(/[-:]/g, '');
  const inputs = cases.map(({ rrule, start }) => {
    const lines = [`DTSTART:${bare(start)}Z`, `RRULE:${rrule}`];
    const icalendar = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join(
      '\r\n',
    );
    return { icalendar, to: (start + HORIZON) / 1000 };
  });
  return askScript('libical-expand.py', inputs);
}

const between = (min: number, max: number) => fc.integer({ min, max });
const some = <T>(values: fc.Arbitrary<T>, maxLength: number) =>
  fc.uniqueArray(values, { minLength: 1, maxLength });
const maybe = <T>(values: fc.Arbitrary<T>, freq: number) => fc.option(values, { nil: undefined, freq });
const inOrder = (values: fc.Arbitrary<number[]>) => values.map((list) => [...list].sort((a, b) => a - b));
const fromFirst = (most: number) => inOrder(some(between(1, most), 3));
const eitherEnd = (most: number) => fc.oneof(fromFirst(most), inOrder(some(between(-most, -1), 3)));

const starts = between(0, 30 * 365).map((day) => (3653 + day) * DAY + 9 * 3_600_000);

const LEAP_MONTHS: Partial<Record<string, readonly string[]>> = {
  CHINESE: ['2L', '4L', '5L', '6L'],
  HEBREW: ['5L'],
};

const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const ordinalDay = (most: number) =>
  fc.tuple(between(1, most), fc.constantFrom('', '-'), weekday).map(([n, sign, day]) => `${sign}${n}${day}`);

/** A rule without the parts that libical reads otherwise. */
function asLibicalReads(parts: Parts): Parts {
  const { RSCALE, FREQ, SKIP, BYMONTH, BYMONTHDAY, BYDAY } = parts;
  const isEthiopic = RSCALE === 'ETHIOPIC';
  const isYearly = FREQ === 'YEARLY' || (isEthiopic && FREQ !== 'WEEKLY');
  const isChinese = RSCALE === 'CHINESE';
  const hasLeapMonths = isChinese ? SKIP === 'OMIT' && BYDAY === undefined : !isYearly || BYDAY === undefined;
  // A day that a leap month lacks has none in its place there.
  const daysOfMonth = isChinese ? BYMONTHDAY?.filter((day) => day > -30) : BYMONTHDAY;
  const daysOfYear = isChinese ? parts.BYYEARDAY?.filter((day) => day > 0) : parts.BYYEARDAY;
  return {
    ...parts,
    FREQ: isYearly ? 'YEARLY' : FREQ,
    SKIP: BYDAY === undefined ? SKIP : 'OMIT',
    BYMONTH: hasLeapMonths ? BYMONTH : BYMONTH?.filter((month) => !month.endsWith('L')),
    INTERVAL: RSCALE === 'GREGORIAN' ? parts.INTERVAL : undefined,
    COUNT: isChinese ? undefined : parts.COUNT,
    BYMONTHDAY: FREQ === 'WEEKLY' || (isYearly && BYMONTH === undefined) ? undefined : daysOfMonth,
    BYYEARDAY: isYearly && BYMONTH === undefined ? daysOfYear : undefined,
  };
}

const rules = fc
  .tuple(
    fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    fc.constantFrom('GREGORIAN', 'CHINESE', 'HEBREW', 'ETHIOPIC', 'ISLAMIC-CIVIL', 'PERSIAN'),
  )
  .chain(([FREQ, RSCALE]) => {
    const isCounted = FREQ === 'MONTHLY' || FREQ === 'YEARLY';
    const longestMonth = RSCALE === 'GREGORIAN' || RSCALE === 'PERSIAN' ? 31 : 30;
    const month = fc.constantFrom('1', '3', '6', '7', '11', '12', ...(LEAP_MONTHS[RSCALE] ?? []));
    return fc.record({
      RSCALE: fc.constant(RSCALE),
      FREQ: fc.constant(FREQ),
      SKIP: fc.constantFrom('OMIT', 'BACKWARD', 'FORWARD'),
      INTERVAL: maybe(between(2, 5), 2),
      COUNT: maybe(between(1, 30), 2),
      BYMONTH: maybe(some(month, 2), 2),
      BYMONTHDAY: maybe(isCounted ? eitherEnd(longestMonth) : fromFirst(longestMonth), 2),
      BYYEARDAY: maybe(eitherEnd(354), 2),
      BYDAY: maybe(isCounted ? fc.oneof(some(weekday, 3), some(ordinalDay(4), 1)) : some(weekday, 3), 3),
    });
  })
  .map((parts) =>
    Object.entries(asLibicalReads(parts))
      .filter(([, value]) => value !== undefined && `${value}` !== '')
      .map(([name, value]) => `${name}=${value}`)
      .join(';'),
  );
