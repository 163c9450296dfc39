/** The rules of a series: in requests, and after it moves, ends earlier or is split. */
import type { CalendarEvent } from '../calendars/event.ts';
import { type Checked, type Mistake, refuseMistakes } from '../http/fields.ts';
import {
  DAY,
  type DayNumber,
  dayOfLocal,
  formatDate,
  formatLocal,
  type LocalMs,
} from '../lib/recurrence/civil.ts';
import {
  localOn,
  resolveClockZone,
  timeLike,
  toInstant,
  toLocalMs,
  toOriginalStart,
} from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence, Zone } from '../lib/recurrence/event-time.ts';
import { effectiveOverrides, expand } from '../lib/recurrence/expand.ts';
import {
  expandRule,
  type RecurrenceBudget,
  RecurrenceBudgetError,
  seriesBudget,
} from '../lib/recurrence/expand-rule.ts';
import { type MasterClock, type MasterRule, masterClock } from '../lib/recurrence/master-clock.ts';
import { parseRule } from '../lib/recurrence/rule.ts';
import { type SeriesShift, shiftWithSeries } from '../lib/recurrence/shift-series.ts';
import { instantOfLocal, localOfInstant } from '../lib/recurrence/zone.ts';
import { END, instantOfInput, isInRange, REVERSED, type TimeInput } from './event-times.ts';

/** A rule without its end, which depends on the zone and on whether the event is all-day. */
export type RuleInput = {
  /** `FREQ=…`, with all parts except COUNT and UNTIL. */
  readonly rule: string;
  readonly count: number | undefined;
  readonly until: UntilInput | undefined;
};

/** `hasTime` is false for a whole day. */
export type UntilInput = TimeInput & { readonly hasTime: boolean };

type RuleRequest = { readonly recurrence: RuleInput | undefined; readonly timeZone: Zone | undefined };

/** Returns the rule for a series from `start`, with an end as in RFC 5545 §3.3.10; `undefined` without a rule. */
export function ruleText(
  { recurrence, timeZone }: RuleRequest,
  start: EventTime,
  calendarZone: string,
): Checked<string | undefined> {
  const { rule, count, until } = recurrence ?? {};
  if (count !== undefined) return { value: `${rule};COUNT=${count}`, mistakes: [] };
  if (until === undefined) return { value: rule, mistakes: [] };
  const mistakes = (isTooEarly: boolean): Mistake[] =>
    isTooEarly ? [{ field: 'recurrence.until', problem: REVERSED }] : [];
  if (start.type === 'date') {
    return { value: `${rule};UNTIL=${bare(until.date)}`, mistakes: mistakes(until.date < start.date) };
  }
  const wholeDay = dayOfLocal(until.local) * DAY + DAY - 1000;
  const isClock = until.offset === undefined && timeZone !== undefined;
  const timed = isClock ? instantOfLocal(timeZone, until.local) : instantOfInput(until);
  const last = until.hasTime
    ? timed
    : instantOfLocal(timeZone ?? resolveClockZone(start, calendarZone), wholeDay);
  const value = `${rule};UNTIL=${bare(formatLocal(last))}Z`;
  return { value, mistakes: mistakes(last < toInstant(start, calendarZone)) };
}

const bare = (time: string): string => time.replace(/[-:]/g, '');

/** Returns a mistake if a series moves to another day but its rule names days. */
export function mistakesOfOtherDays(
  { recurrence }: CalendarEvent,
  { before, after, floatingZone }: SeriesShift,
): Mistake[] {
  const toDay = (time: EventTime) => Math.floor(localOn(after, time, floatingZone) / DAY);
  const namesDays = (recurrence?.rrules ?? []).some((text) => {
    const rule = parseRule(text);
    if (rule === undefined) return true;
    const months = rule.scale?.months ?? rule.byMonth;
    return [rule.byDay, rule.byMonthDay, months, rule.byYearDay].some((by) => by.length > 0);
  });
  if (!namesDays || toDay(before) === toDay(after)) return [];
  return [{ field: 'start', problem: 'moves the series to another day: send recurrence as well' }];
}

/** Returns a date of a series that moves. Throws 400 if its year is out of range. */
export function shiftedTime(time: EventTime, shift: SeriesShift): EventTime {
  const moved = shiftWithSeries(time, shift);
  refuseOutOfRange(moved, shift.floatingZone);
  return moved;
}

/** Throws 400 if a series moves and this time, which moved with it, is not in the years of `isInRange`. */
export function refuseOutOfRange(moved: EventTime, floatingZone: string): void {
  if (!isInRange(moved, floatingZone))
    refuseMistakes([{ field: 'start', problem: 'moves a date of the series outside the years 2 to 9998' }]);
}

/** Returns the rules of a series that moves, with dates of single occurrences. Throws 400 like shiftedTime. */
export function shiftedRules(rules: Recurrence, shift: SeriesShift): Recurrence {
  if (JSON.stringify(shift.before) === JSON.stringify(shift.after)) return rules;
  const move = (time: EventTime) => shiftedTime(time, shift);
  return {
    rrules: rules.rrules.map((rule) => shiftedRule(rule, shift)),
    rdates: rules.rdates.map(({ start, end }) =>
      end === undefined ? { start: move(start) } : { start: move(start), end: move(end) },
    ),
    exdates: rules.exdates.map(move),
  };
}

/** Returns the rule with an UNTIL that means the same occurrence as before. */
function shiftedRule(rule: string, shift: SeriesShift): string {
  const until = parseRule(rule)?.until;
  if (until === undefined) return rule;
  // An end in the last year means no end.
  if (until.local >= END) return withoutEnd(rule);
  if (until.form === 'date' && shift.before.type !== 'date') {
    // The date moves with an occurrence on its day, and includes the whole day as before.
    const day = dayOfLocal(until.local);
    const lastDay = dayOfLocal(toLocalMs(shiftedTime(toDate(day), shift)));
    return lastDay === day ? rule : withUntil(rule, toDate(lastDay), shift.floatingZone);
  }
  const time: EventTime =
    until.form === 'utc'
      ? { type: 'zoned', local: formatLocal(until.local), zone: 'UTC' }
      : timeLike(shift.before, until.local);
  return withUntil(rule, shiftedTime(time, shift), shift.floatingZone);
}

const toDate = (day: DayNumber): EventTime => ({ type: 'date', date: formatDate(day) });

/** Replaces the end of the rule. UNTIL has the type of the start (RFC 5545 §3.3.10). */
function withUntil(rule: string, last: EventTime, calendarZone: string): string {
  const isInstant = last.type === 'zoned';
  const text =
    last.type === 'date'
      ? last.date
      : formatLocal(isInstant ? toInstant(last, calendarZone) : toLocalMs(last));
  return `${withoutEnd(rule)};UNTIL=${bare(text)}${isInstant ? 'Z' : ''}`;
}

const withoutEnd = (rule: string): string =>
  rule.replace(/;?\b(?:UNTIL|COUNT)=[^;]*/gi, '').replace(/^;/, '');

/** Returns a second, or for dates a day, before `start`; before the gap if the clock skips `start`. */
function justBefore(start: EventTime, calendarZone: string): EventTime {
  if (start.type === 'date') return timeLike(start, toLocalMs(start) - DAY);
  if (start.type === 'floating') return timeLike(start, toLocalMs(start) - 1000);
  const zone = resolveClockZone(start, calendarZone);
  const local = toLocalMs(start);
  let instant = instantOfLocal(zone, local) - 1000;
  // A skipped start moves behind the gap, where the clock shows later times.
  while (localOfInstant(zone, instant) >= local) instant -= 1000;
  return { type: 'zoned', local: formatLocal(instant), zone: 'UTC' };
}

export const readRules = ({ recurrence }: CalendarEvent): Recurrence =>
  recurrence ?? { rrules: [], rdates: [], exdates: [] };

/** The point of a split. `at` is the original start of the first later occurrence. */
export type Cut = { readonly at: EventTime; readonly calendarZone: string };

/** Returns the rules of a series that ends before the cut. */
export function trimmedRules(master: CalendarEvent, cut: Cut): Recurrence {
  const { rrules, rdates, exdates } = readRules(master);
  const clock = masterClock({ ...master, payload: undefined }, cut.calendarZone);
  const before = beforeCut(clock, cut);
  return {
    // An earlier end stays: a later one would add occurrences.
    rrules: rrules.map((rule, i) => {
      const bounded = clock.unsupported ? undefined : clock.rules[i];
      const isOver = bounded !== undefined && endsBefore(bounded, before);
      return isOver ? rule : withUntil(rule, justBefore(cut.at, cut.calendarZone), cut.calendarZone);
    }),
    rdates: rdates.filter(({ start }) => !isBehind(start, master, cut)),
    exdates: exdates.filter((time) => !isBehind(time, master, cut)),
  };
}

/** Returns whether no rule has the cut or a later time. False for unsupported rules. */
export function isTrimmed(master: CalendarEvent, cut: Cut): boolean {
  const clock = masterClock({ ...master, payload: undefined }, cut.calendarZone);
  if (clock.unsupported) return false;
  const before = beforeCut(clock, cut);
  const rdates = readRules(master).rdates.map(({ start }) => localOn(cut.at, start, cut.calendarZone));
  try {
    return (
      clock.rules.every((rule) => endsBefore(rule, before)) && rdates.every((local) => local < before.split)
    );
  } catch (error) {
    // Beyond the budget, the series was changed since its split.
    if (error instanceof RecurrenceBudgetError) return false;
    throw error;
  }
}

/** The time of a series before `split`, and the budget for counting its occurrences by all its rules. */
type Before = { readonly start: LocalMs; readonly split: LocalMs; readonly budget: RecurrenceBudget };

const beforeCut = ({ startLocal }: MasterClock, { at }: Cut): Before => ({
  start: startLocal,
  split: toLocalMs(at),
  budget: seriesBudget(),
});

/** Returns whether the rule ends before the cut, by UNTIL or COUNT. Throws RecurrenceBudgetError. */
const endsBefore = (bounded: MasterRule, before: Before): boolean => countLeft(bounded, before) === 0;

/** Returns how many occurrences COUNT leaves from the cut on; 0 after UNTIL. Throws RecurrenceBudgetError. */
function countLeft({ rule, until }: MasterRule, { start, split, budget }: Before): number {
  if (until !== undefined && until < split) return 0;
  if (rule.count === undefined) return Number.POSITIVE_INFINITY;
  const starts = expandRule(rule, start, { from: start, to: split }, budget);
  // The first start counts even outside the rule.
  return Math.max(0, rule.count - starts.length - (starts[0] === start ? 0 : 1));
}

/** Returns the rules from the cut on: COUNT is reduced, UNTIL stays. Throws RecurrenceBudgetError. */
export function laterRules(master: CalendarEvent, cut: Cut): Recurrence {
  const { rrules, rdates, exdates } = readRules(master);
  const clock = masterClock({ ...master, payload: undefined }, cut.calendarZone);
  const before = beforeCut(clock, cut);
  const later = rrules.flatMap((text, i) => {
    const bounded = clock.rules[i];
    const left = bounded === undefined ? 0 : countLeft(bounded, before);
    if (left === 0) return [];
    return [left === Number.POSITIVE_INFINITY ? text : `${withoutEnd(text)};COUNT=${left}`];
  });
  return {
    rrules: later,
    rdates: rdates.filter(({ start }) => isBehind(start, master, cut)),
    exdates: exdates.filter((time) => isBehind(time, master, cut)),
  };
}

/**
 * Returns whether a rule continues after the cut without having it, for example if the cut is an RDATE. The rule's
 * days, times and intervals would then count from a wrong start.
 */
export function goesOnBesides(master: CalendarEvent, cut: Cut): boolean {
  const clock = masterClock({ ...master, payload: undefined }, cut.calendarZone);
  const before = beforeCut(clock, cut);
  const { start, split } = before;
  return clock.rules.some(({ rule, until }) => {
    if (endsBefore({ rule, until }, before)) return false;
    // COUNT leaves occurrences from the cut on, so it need not be counted again.
    const endless = { ...rule, count: undefined };
    return expandRule(endless, start, { from: split, to: split + 1, until }, seriesBudget()).length === 0;
  });
}

/** Returns whether the occurrence begins at the cut or later, on the clock of the series. */
function isBehind(time: EventTime, { start }: CalendarEvent, { at, calendarZone }: Cut): boolean {
  return localOn(at, toOriginalStart(start, time, calendarZone), calendarZone) >= toLocalMs(at);
}

type RulesFrom = { readonly start: EventTime; readonly rules: Recurrence };

/** Returns whether rules have an occurrence, even an excluded one, at a start of `starts`; true if undecidable. */
export function hasInstances(
  { start, rules }: RulesFrom,
  starts: readonly EventTime[],
  calendarZone: string,
): (start: EventTime) => boolean {
  const at = (time: EventTime) => toInstant(time, calendarZone);
  const instants = starts.map(at).sort((a, b) => a - b);
  const [first, last] = [instants.at(0), instants.at(-1)];
  if (first === undefined || last === undefined) return () => true;
  const master = { start, end: start, recurrence: { ...rules, exdates: [] }, payload: undefined };
  const window = { start: first - DAY, end: last + DAY };
  try {
    const series = { master, overrides: [] };
    const { instances, unsupported } = expand(series, window, calendarZone, seriesBudget());
    const originalStarts = new Set(instances.map(({ originalStart }) => at(originalStart)));
    return (time) => unsupported || originalStarts.has(at(time));
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return () => true;
    throw error;
  }
}

/** Returns the effective overrides among the items of a series that starts at `start`: see effectiveOverrides. */
export function effectiveAmong<Item extends { readonly event: CalendarEvent }>(
  start: EventTime | undefined,
  items: readonly Item[],
  calendarZone: string,
) {
  const overrides = items.flatMap((item) => {
    const { recurrenceId, status } = item.event;
    return recurrenceId === undefined ? [] : [{ item, recurrenceId, cancelled: status === 'cancelled' }];
  });
  return effectiveOverrides(start, overrides, calendarZone);
}
