/**
 * Random rules of the sandbox's model against ical.js. The rules leave out the differences of ical.js:
 * - BYMONTH in monthly rules does not respect INTERVAL and COUNT;
 * - BYMONTHDAY of a year means DTSTART's month, does not count beside BYDAY, and counts from the end in months only: in daily
 *   rules it never ends;
 * - BYDAY with and without ordinals does not mix;
 * - BYHOUR, BYMINUTE and BYSECOND in months and years find the first time only;
 * - BYSETPOS is followed in months with BYDAY only, BYYEARDAY alone only, and BYWEEKNO misses weeks;
 * - in a month without that day, a yearly rule means a day of the next month;
 * - lists have to be in order.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import ICAL from 'ical.js';

import { DAY, type Rule, timesOf } from '../../../sandbox/core/rule-times.ts';
import { rounds, scale } from '../../harness/rounds.ts';
import { randomEvents, ruleText } from './random-events.ts';

/** 20,000 in `npm run soak`. */
const ROUNDS = rounds(scale() < 20 ? 400 : 1_000);
const seed = Number(process.env.KALENDS_TEST_SEED ?? 5545);
const UTC = { clock: 'UTC', local: 0 };
/** A rule is compared over this long. */
const LENGTH = 900 * DAY;

test(`a rule of the model has the times that ical.js finds, for ${ROUNDS} rules`, () => {
  const different = rulesOf(ROUNDS).flatMap(({ rule, start }) => {
    const ours = timesOf(rule, start, start + LENGTH).filter((at) => at < start + LENGTH);
    const theirs = icalTimes(rule, start);
    if (ours.join() === theirs.join()) return [];
    const onlyIn = (some: readonly number[], others: readonly number[]) =>
      some.filter((at) => !others.includes(at)).map((at) => new Date(at).toISOString());
    const text = `${new Date(start).toISOString()} ${ruleText(rule, UTC, false)}`;
    return { text, ours: onlyIn(ours, theirs).slice(0, 3), theirs: onlyIn(theirs, ours).slice(0, 3) };
  });

  assert.deepEqual(different.slice(0, 5), [], `${different.length} rules differ, seed ${seed}`);
});

type Case = { readonly rule: Rule; readonly start: number };

/** Each starts at a time that the rule names. */
function rulesOf(count: number): Case[] {
  const cases: Case[] = [];
  for (let more = 0; cases.length < count; more += 1) {
    const events = fc.sample(randomEvents({ overrides: false }), {
      numRuns: count,
      seed: seed * 1000 + more,
    });
    for (const { series } of events) {
      const rule = series.rules[0] && asIcalReads(series.rules[0]);
      const endless = rule && { ...rule, count: undefined, until: undefined };
      const start = endless && timesOf(endless, series.start.local, series.start.local + LENGTH)[0];
      const isInEachMonth = new Date(start ?? 0).getUTCDate() <= 28;
      if (rule !== undefined && start !== undefined && isInEachMonth) cases.push({ rule, start });
    }
  }
  return cases.slice(0, count);
}

function asIcalReads(rule: Rule): Rule {
  const { freq, byMonth, byMonthDay, byDay, byHour, byMinute, bySecond } = rule;
  const inOrder = (values: readonly number[]) => [...values].sort((one, other) => one - other);
  const isLong = freq === 'MONTHLY' || freq === 'YEARLY';
  const hasOrdinal = byDay.some(({ ordinal }) => ordinal !== 0);
  const days = byDay.filter(({ ordinal }) => (ordinal !== 0) === hasOrdinal);
  const isOfMonth = days.length === 0 && (freq !== 'YEARLY' || byMonth.length > 0);
  const fromStart = freq === 'MONTHLY' ? byMonthDay : byMonthDay.filter((day) => day > 0);
  const others = byMonth.length + byMonthDay.length + days.length;
  return {
    ...rule,
    byMonth: freq === 'MONTHLY' ? [] : inOrder(byMonth),
    byMonthDay: isOfMonth ? inOrder(fromStart) : [],
    byWeekNo: [],
    byYearDay: others > 0 ? [] : inOrder(rule.byYearDay),
    byDay: days.sort((one, other) => one.ordinal - other.ordinal || one.weekday - other.weekday),
    byHour: isLong ? [] : inOrder(byHour),
    byMinute: isLong ? [] : inOrder(byMinute),
    bySecond: isLong ? [] : inOrder(bySecond),
    bySetPos: freq === 'MONTHLY' && days.length > 0 ? rule.bySetPos : [],
  };
}

function icalTimes(rule: Rule, start: number): number[] {
  const dtstart = ICAL.Time.fromData({ year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0 });
  dtstart.adjust(0, 0, 0, start / 1000);
  const times: number[] = [];
  const iterator = ICAL.Recur.fromString(ruleText(rule, UTC, false)).iterator(dtstart);
  for (let next = iterator.next(); next; next = iterator.next()) {
    const { year, month, day, hour, minute, second } = next;
    const at = Date.UTC(year, month - 1, day, hour, minute, second);
    if (at >= start + LENGTH) break;
    times.push(at);
  }
  return times;
}
