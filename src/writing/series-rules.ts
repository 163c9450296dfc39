/** The rules of a series: those of a request, and how they change when the series moves, ends earlier or is split. */
import type { CalendarEvent } from '../calendars/event.ts';
import { type Checked, type Mistake, SENTENCES } from '../http/request-fields.ts';
import { DAY, dayOfLocal, formatLocal, type LocalMs, parseLocal } from '../lib/recurrence/civil.ts';
import {
  instantOf,
  localOf,
  localOn,
  originalStartOf,
  timeLike,
  zoneOf,
} from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence, Zone } from '../lib/recurrence/event-time.ts';
import { expandRule, recurrenceBudget } from '../lib/recurrence/expand-rule.ts';
import { masterClock } from '../lib/recurrence/master-clock.ts';
import { parseRule, type Rule } from '../lib/recurrence/rule.ts';
import { type SeriesShift, shiftWithSeries } from '../lib/recurrence/shift-series.ts';
import { instantOfLocal } from '../lib/recurrence/zone.ts';
import { instantOfInput, type TimeInput } from './event-times.ts';

/** A rule without its end, which depends on the zone and on whether the event is all-day. */
export type RuleInput = {
  /** `FREQ=…`, with every part but COUNT and UNTIL. */
  readonly rule: string;
  readonly count: number | undefined;
  readonly until: UntilInput | undefined;
};

/** `hasTime`: else the whole day is meant. */
export type UntilInput = TimeInput & { readonly hasTime: boolean };

/** What a request says of a rule. */
type RuleRequest = { readonly recurrence: RuleInput | undefined; readonly timeZone: Zone | undefined };

/** The rule of a series that starts so, with its end as RFC 5545 §3.3.10 wants it; `undefined` where none is given. */
export function ruleText(
  { recurrence, timeZone }: RuleRequest,
  start: EventTime,
  calendarZone: string,
): Checked<string | undefined> {
  const { rule, count, until } = recurrence ?? {};
  if (count !== undefined) return { value: `${rule};COUNT=${count}`, mistakes: [] };
  if (until === undefined) return { value: rule, mistakes: [] };
  const mistakes = (isTooEarly: boolean): Mistake[] =>
    isTooEarly ? [{ field: 'recurrence.until', problem: SENTENCES.reversed }] : [];
  if (start.type === 'date') {
    return { value: `${rule};UNTIL=${bare(until.date)}`, mistakes: mistakes(until.date < start.date) };
  }
  const wholeDay = dayOfLocal(until.local) * DAY + DAY - 1000;
  const isClock = until.offset === undefined && timeZone !== undefined;
  const timed = isClock ? instantOfLocal(timeZone, until.local) : instantOfInput(until);
  const last = until.hasTime ? timed : instantOfLocal(timeZone ?? zoneOf(start, calendarZone), wholeDay);
  const value = `${rule};UNTIL=${bare(formatLocal(last))}Z`;
  return { value, mistakes: mistakes(last < instantOf(start, calendarZone)) };
}

const bare = (time: string): string => time.replace(/[-:]/g, '');

/** A mistake when a series moves to another day and its rule names days, which would not move with it. */
export function mistakesOfOtherDays(
  { recurrence }: CalendarEvent,
  { before, after, floatingZone }: SeriesShift,
): Mistake[] {
  const dayOf = (time: EventTime) => Math.floor(localOn(after, time, floatingZone) / DAY);
  const namesDays = (recurrence?.rrules ?? []).some((text) => {
    const rule = parseRule(text);
    if (rule === undefined) return true;
    return [rule.byDay, rule.byMonthDay, rule.byMonth, rule.byYearDay].some((by) => by.length > 0);
  });
  if (!namesDays || dayOf(before) === dayOf(after)) return [];
  return [{ field: 'start', problem: 'moves the series to another day: give its recurrence as well' }];
}

/** The rules of a shifted series. Dates of single instances move with it. */
export function shiftedRules(rules: Recurrence, shift: SeriesShift): Recurrence {
  if (JSON.stringify(shift.before) === JSON.stringify(shift.after)) return rules;
  const move = (time: EventTime) => shiftWithSeries(time, shift);
  return {
    rrules: rules.rrules.map((rule) => shiftedRule(rule, shift)),
    rdates: rules.rdates.map(({ start, end }) =>
      end === undefined ? { start: move(start) } : { start: move(start), end: move(end) },
    ),
    exdates: rules.exdates.map(move),
  };
}

/** A rule whose UNTIL names the same instance as before. */
function shiftedRule(rule: string, shift: SeriesShift): string {
  const until = parseRule(rule)?.until;
  if (until === undefined) return rule;
  // The date of a timed series cannot be moved without guessing.
  if (until.form === 'date' && shift.before.type !== 'date') return rule;
  const time: EventTime =
    until.form === 'utc'
      ? { type: 'zoned', local: formatLocal(until.local), zone: 'UTC' }
      : timeLike(shift.before, until.local);
  return withUntil(rule, shiftWithSeries(time, shift), shift.floatingZone);
}

/** The rule with this end in the place of whatever end it has; UNTIL has the type of the start (RFC 5545 §3.3.10). */
function withUntil(rule: string, last: EventTime, calendarZone: string): string {
  const isInstant = last.type === 'zoned';
  const text =
    last.type === 'date' ? last.date : formatLocal(isInstant ? instantOf(last, calendarZone) : localOf(last));
  return `${withoutEnd(rule)};UNTIL=${bare(text)}${isInstant ? 'Z' : ''}`;
}

const withoutEnd = (rule: string): string =>
  rule.replace(/;?\b(?:UNTIL|COUNT)=[^;]*/gi, '').replace(/^;/, '');

/** The moment before `start` in which a series before it ends: a second earlier, or the day before. */
function justBefore(start: EventTime, calendarZone: string): EventTime {
  if (start.type === 'date') return timeLike(start, localOf(start) - DAY);
  if (start.type === 'floating') return timeLike(start, localOf(start) - 1000);
  const instant = instantOfLocal(zoneOf(start, calendarZone), parseLocal(start.local) ?? 0) - 1000;
  return { type: 'zoned', local: formatLocal(instant), zone: 'UTC' };
}

export const rulesOf = ({ recurrence }: CalendarEvent): Recurrence =>
  recurrence ?? { rrules: [], rdates: [], exdates: [] };

/** Where a series is split: `at` is the original start of the first later instance. */
export type Cut = { readonly at: EventTime; readonly calendarZone: string };

/** The rules of a series that is to end before the cut. */
export function trimmedRules(master: CalendarEvent, cut: Cut): Recurrence {
  const { rrules, rdates, exdates } = rulesOf(master);
  const clock = masterClock({ ...master, payload: undefined }, cut.calendarZone);
  const split = localOf(cut.at);
  return {
    // A rule that ends before anyway keeps its own end.
    rrules: rrules.map((rule, i) => {
      const until = clock.unsupported ? undefined : clock.rules[i]?.until;
      const isOver = until !== undefined && until < split;
      return isOver ? rule : withUntil(rule, justBefore(cut.at, cut.calendarZone), cut.calendarZone);
    }),
    rdates: rdates.filter(({ start }) => !isBehind(start, master, cut)),
    exdates: exdates.filter((time) => !isBehind(time, master, cut)),
  };
}

/** Whether no rule of the series names the cut or anything later. */
export function isTrimmed(master: CalendarEvent, { at, calendarZone }: Cut): boolean {
  const { rules } = masterClock({ ...master, payload: undefined }, calendarZone);
  const split = localOf(at);
  const rdates = rulesOf(master).rdates.map(({ start }) => localOn(at, start, calendarZone));
  return (
    rules.every(({ until }) => until !== undefined && until < split) && rdates.every((local) => local < split)
  );
}

/** What is left of the rules from the cut on: COUNT is reduced, UNTIL kept. */
export function laterRules(master: CalendarEvent, cut: Cut): Recurrence {
  const { rrules, rdates, exdates } = rulesOf(master);
  const clock = masterClock({ ...master, payload: undefined }, cut.calendarZone);
  const split = localOf(cut.at);
  const later = rrules.flatMap((text, i) => {
    const bounded = clock.rules[i];
    if (bounded === undefined || (bounded.until !== undefined && bounded.until < split)) return [];
    if (bounded.rule.count === undefined) return [text];
    const before = startsBefore(bounded.rule, clock.startLocal, split);
    return bounded.rule.count > before ? [`${withoutEnd(text)};COUNT=${bounded.rule.count - before}`] : [];
  });
  return {
    rrules: later,
    rdates: rdates.filter(({ start }) => isBehind(start, master, cut)),
    exdates: exdates.filter((time) => isBehind(time, master, cut)),
  };
}

/** Whether that instance of the series begins at the cut or later, on the clock of the series. */
function isBehind(time: EventTime, { start }: CalendarEvent, { at, calendarZone }: Cut): boolean {
  return localOn(at, originalStartOf(start, time, calendarZone), calendarZone) >= localOf(at);
}

/** How many instances COUNT has used up before `split`. The first start counts even where the rule does not produce it. */
function startsBefore(rule: Rule, start: LocalMs, split: LocalMs): number {
  const budget = recurrenceBudget(0, 20_000_000);
  const starts = expandRule(rule, start, { from: start, to: split }, budget);
  return starts.length + (starts[0] === start ? 0 : 1);
}
