/**
 * Random series, from the text of their calendar to their instances, against libical, an independent library. The
 * series avoid its deviations (docs/calendars.md says why Kalends does not share them):
 * - a DTSTART that its rule does not name is no instance there, and does not count;
 * - an RDATE in a zone is read in UTC, a period not at all, and a date on a timed series means midnight;
 * - an EXDATE that is a date on a timed series means its day in UTC;
 * - BYHOUR, BYMINUTE and BYSECOND on a series of days count, and BYMONTHDAY does not count from the end of the month in daily rules;
 * - BYSETPOS is followed in months and years only, and not beside BYHOUR; BYMONTHDAY of a year means DTSTART's month; lists
 *   have to be in order, and a day that is named twice is there twice;
 * - BYWEEKNO misses weeks, BYYEARDAY does not count beside BYMONTH, and WKST moves weeks that it should not;
 * - a time that the clock skips is read with the offset after the gap;
 * - countries' zones follow its own data, and a time that comes twice there is its second: some EXDATEs differ.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import { instancesOf, isIn, type Moment } from '../../../sandbox/core/occurrences.ts';
import { DAY, MINUTE, type Rule, timesOf } from '../../../sandbox/core/rule-times.ts';
import { instantOfLocal, localOfInstant } from '../../../src/lib/recurrence/zone.ts';
import { rounds, scale } from '../../harness/rounds.ts';
import { ourInstances } from './our-instances.ts';
import { askScript, withLibical } from './python-programs.ts';
import { calendarText, type RandomEvent, randomEvents } from './random-events.ts';

/** 100,000 in `npm run soak`. */
const ROUNDS = rounds(scale() < 20 ? 400 : 5_000);
/** The number of cases for one process. */
const BATCH = 5_000;
const seed = Number(process.env.KALENDS_TEST_SEED ?? 5545);

test(
  `a series has the instances that libical finds, in the sandbox as well, for ${ROUNDS} series`,
  withLibical(),
  () => {
    for (let done = 0; done < ROUNDS; done += BATCH) {
      const cases = casesOf(Math.min(BATCH, ROUNDS - done), seed + done);
      const expected = expandWithLibical(cases);

      const different = cases.flatMap((event, i) => {
        const window = windowOf(event);
        const isBehind = (at: number) => at * 1000 >= window.start;
        const { instances } = ourInstances(event, window);
        const ours = instances.map(({ startsAt }) => startsAt / 1000).filter(isBehind);
        // The model of the sandbox does not depend on the code that is compared first.
        const model = instancesOf(event.series, window.end)
          .filter((instance) => isIn(instance, window.start, window.end))
          .map(({ startsAt }) => startsAt / 1000)
          .filter(isBehind);
        const theirs = (expected[i] ?? []).filter(isBehind);
        const onlyIn = (some: readonly number[], others: readonly number[]) =>
          some.filter((at) => !others.includes(at)).map((at) => new Date(at * 1000).toISOString());
        if (ours.join() === theirs.join() && model.join() === theirs.join()) return [];
        return { text: calendarText(event), ours: onlyIn(ours, theirs), theirs: onlyIn(theirs, ours) };
      });

      assert.deepEqual(different.slice(0, 5), [], `${different.length} series differ, seed ${seed + done}`);
    }
  },
);

const HOUR = 60 * MINUTE;

const windowOf = ({ series }: RandomEvent) => ({
  start: series.start.local - 40 * DAY,
  end: series.start.local + 500 * DAY,
});

function casesOf(count: number, from: number): RandomEvent[] {
  const cases: RandomEvent[] = [];
  for (let more = 0; cases.length < count; more += 1) {
    const events = fc.sample(randomEvents({ overrides: false }), {
      numRuns: count,
      seed: from * 1000 + more,
    });
    cases.push(...events.flatMap(comparable));
  }
  return cases.slice(0, count);
}

/** The event with a DTSTART that its rules name, and without what libical does otherwise; nothing where little is left. */
function comparable(event: RandomEvent): RandomEvent | [] {
  const { start, rules, rdates, exdates } = event.series;
  const { clock } = start;
  if (typeof clock === 'string' && clock !== 'UTC' && clock !== 'date') return [];
  const timeOfDay = start.local % DAY;
  const isEarly = clock !== 'date' && timeOfDay < 4 * HOUR;
  const begin = isEarly ? start.local + 4 * HOUR : start.local;
  const known = rules.map((rule) => asLibicalReads(rule, clock === 'date'));
  const firstOf = (rule: Rule, from: number) =>
    timesOf({ ...rule, count: undefined, until: undefined }, from, from + 500 * DAY)[0];
  const [rule] = known;
  const local = rule === undefined ? begin : firstOf(rule, begin);
  if (local === undefined || known.some((one) => firstOf(one, local) !== local)) return [];
  const series = {
    ...event.series,
    start: { clock, local },
    rules: known,
    rdates: rdates.filter(({ at, period }) => at.clock === (clock === 'date' ? 'date' : 'UTC') && !period),
    exdates: exdates.filter((exdate) => (clock === 'date' || exdate.clock !== 'date') && !comesTwice(exdate)),
  };
  return { ...event, series };
}

/** Whether the clocks of a country show the time twice, as they are set back by half an hour or more. */
function comesTwice({ clock, local }: Moment): boolean {
  if (typeof clock !== 'string' || clock === 'date' || clock === 'UTC') return false;
  const first = instantOfLocal(clock, local);
  return [HOUR / 2, HOUR].some((later) => localOfInstant(clock, first + later) === local);
}

function asLibicalReads(rule: Rule, isDate: boolean): Rule {
  const { freq, byMonth, byMonthDay, byDay, byHour, bySetPos } = rule;
  const inOrder = (values: readonly number[]) => [...values].sort((one, other) => one - other);
  const daysOfMonth = inOrder(freq === 'DAILY' ? byMonthDay.filter((day) => day > 0) : byMonthDay);
  const mayNameTwice = byMonthDay.some((day) => day > 0) && byMonthDay.some((day) => day < 0);
  const times = byHour.length + rule.byMinute.length + rule.bySecond.length;
  const isPicked = (freq === 'MONTHLY' || freq === 'YEARLY') && times === 0 && !mayNameTwice;
  return {
    ...rule,
    byMonth: inOrder(byMonth),
    byMonthDay: freq === 'YEARLY' && byMonth.length === 0 ? [] : daysOfMonth,
    byWeekNo: [],
    byYearDay: byMonth.length > 0 ? [] : inOrder(rule.byYearDay),
    weekStart: 0,
    byDay: [...byDay].sort((one, other) => one.ordinal - other.ordinal || one.weekday - other.weekday),
    // Behind the hours in which clocks change.
    byHour: isDate ? [] : inOrder(byHour.filter((hour) => hour > 3)),
    byMinute: isDate ? [] : inOrder(rule.byMinute),
    bySecond: isDate ? [] : inOrder(rule.bySecond),
    bySetPos: isPicked ? bySetPos : [],
  };
}

/** In seconds since 1970. */
function expandWithLibical(cases: readonly RandomEvent[]): number[][] {
  const inputs = cases.map((event) => ({ icalendar: calendarText(event), to: windowOf(event).end / 1000 }));
  return askScript('libical-expand.py', inputs);
}
