/**
 * Random series with RDATEs and EXDATEs in several zones, from the text of their calendar to their instances, against
 * python3-dateutil, which has countries' zones of its own. What it does otherwise is left out, as in
 * against-dateutil.test.ts; besides, it knows no dates on a timed series, and no zones of a calendar's own.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import type { Moment } from '../../../sandbox/core/occurrences.ts';
import { DAY, type Rule, timesOf, weekdayOf } from '../../../sandbox/core/rule-times.ts';
import { rounds, scale } from '../../harness/rounds.ts';
import { ourInstances } from './our-instances.ts';
import { askScript, withDateutil } from './python-programs.ts';
import { CALENDAR_ZONE, calendarText, type RandomEvent, randomEvents, ruleText } from './random-events.ts';

/** 100,000 in `npm run soak`. */
const ROUNDS = rounds(scale() < 20 ? 300 : 5_000);
/** The number of cases for one process. */
const BATCH = 5_000;
const seed = Number(process.env.KALENDS_TEST_SEED ?? 5545);

test(`a series has the instances that dateutil finds, for ${ROUNDS} series`, withDateutil(), () => {
  for (let done = 0; done < ROUNDS; done += BATCH) {
    const cases = casesOf(Math.min(BATCH, ROUNDS - done), seed + done);
    const expected = expandWithDateutil(cases);

    const different = cases.flatMap((event, i) => {
      const window = windowOf(event);
      const isBehind = (at: number) => at * 1000 >= window.start;
      const { instances } = ourInstances(event, window);
      const ours = instances.map(({ startsAt }) => startsAt / 1000).filter(isBehind);
      const theirs = (expected[i] ?? []).filter(isBehind);
      const onlyIn = (some: readonly number[], others: readonly number[]) =>
        some.filter((at) => !others.includes(at)).map((at) => new Date(at * 1000).toISOString());
      if (ours.join() === theirs.join()) return [];
      return { text: calendarText(event), ours: onlyIn(ours, theirs), theirs: onlyIn(theirs, ours) };
    });

    assert.deepEqual(different.slice(0, 5), [], `${different.length} series differ, seed ${seed + done}`);
  }
});

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

/** Its rules change every few years: two sets of data are seldom the same. */
const UNSURE = 'Africa/Casablanca';

/** The event with a DTSTART that its rules name, and without what dateutil does otherwise. */
function comparable(event: RandomEvent): RandomEvent | [] {
  const { start, rules, rdates, exdates } = event.series;
  const { clock } = start;
  if (typeof clock !== 'string' || clock === 'date' || clock === UNSURE) return [];
  const known = rules.map((rule) => ({
    ...rule,
    byDay: daysOf(rule, start.local).some(({ ordinal }) => ordinal !== 0)
      ? rule.byDay.filter(({ ordinal }) => ordinal !== 0)
      : daysOf(rule, start.local),
    bySetPos: rule.freq === 'WEEKLY' ? [] : rule.bySetPos,
  }));
  const firstOf = (rule: Rule, from: number) =>
    timesOf({ ...rule, count: undefined, until: undefined }, from, from + 500 * DAY)[0];
  const [rule] = known;
  const local = rule === undefined ? start.local : firstOf(rule, start.local);
  if (local === undefined || known.some((one) => firstOf(one, local) !== local)) return [];
  const hasTime = ({ clock }: Moment) => clock !== 'date';
  const series = {
    ...event.series,
    start: { clock, local },
    rules: known,
    rdates: rdates.filter(({ at }) => hasTime(at)),
    exdates: exdates.filter(hasTime),
  };
  return { ...event, series };
}

/** In dateutil a numbered week without days means all of them, and its days can have numbers of their own. */
function daysOf({ byWeekNo, byDay }: Rule, start: number): Rule['byDay'] {
  if (byWeekNo.length === 0) return byDay;
  const weekdays = byDay.length === 0 ? [weekdayOf(start)] : byDay.map(({ weekday }) => weekday);
  return weekdays.map((weekday) => ({ ordinal: 0, weekday }));
}

/** In seconds since 1970. */
function expandWithDateutil(cases: readonly RandomEvent[]): number[][] {
  const timeOf = (local: number) => new Date(local).toISOString().slice(0, 19);
  const named = ({ clock, local }: Moment) => [timeOf(local), clock];
  const inputs = cases.map((event) => {
    const { start, rules, rdates, exdates } = event.series;
    return {
      start: timeOf(start.local),
      zone: event.floating ? CALENDAR_ZONE : start.clock,
      rules: rules.map((rule) => ruleText(rule, start, false)),
      rdates: rdates.map(({ at }) => named(at)),
      exdates: exdates.map(named),
      to: windowOf(event).end / 1000,
    };
  });
  return askScript('dateutil-set.py', inputs);
}
