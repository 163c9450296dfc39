/**
 * The occurrences of a series in a window of time. Rules run on the wall clock of the series, and each occurrence is
 * then placed in time by its zone, so that 9 o'clock stays 9 o'clock over a DST change. If the clock skips a start,
 * that occurrence alone moves forward by the gap; the series keeps its time of day.
 *
 * If RFC 5545 leaves it open: DTSTART is an occurrence even if its rule does not name it (§3.8.5.3 calls the result
 * undefined; common calendars show it), but not if all rules ended before it. An override takes place even if no rule
 * names its original, or an EXDATE does. A rule that cannot be followed counts as absent and is reported.
 */
import { DAY, dayNumberOf, dayOfLocal, LAST_YEAR, type LocalMs } from './civil.ts';
import { timeLike } from './event-instant.ts';
import {
  expandRule,
  type RecurrenceBudget,
  RecurrenceBudgetError,
  spendOccurrence,
  spendSteps,
} from './expand-rule.ts';
import { endOf, lengthOfInstances, type MasterClock } from './master-clock.ts';
import {
  type PreparedSeries,
  prepared,
  questionCharge,
  shapeFor,
  stepsToPrepare,
} from './prepared-series.ts';
import type { Expansion, Instance, Series, SeriesMaster, TimeWindow } from './series.ts';
import { instantOfLocal, localOfInstant } from './zone.ts';

/**
 * Returns the occurrences that overlap the window. One without length counts at its start. Floating times are read in
 * `calendarZone`, an IANA name. The cost is taken from `budget`; throws RecurrenceBudgetError if that is exceeded. Work
 * that does not depend on the window is done once for each series object, so pass the same object for several windows.
 */
export function expand<T>(
  series: Series<T>,
  window: TimeWindow,
  calendarZone: string,
  budget: RecurrenceBudget,
): Expansion<T> {
  const bounded = { start: Math.max(window.start, EARLIEST), end: Math.min(window.end, LATEST) };
  const plan = prepared(series, calendarZone, budget);
  const found: Found<T>[] = [];
  spendSteps(budget, plan.overrides.length);
  for (const { override, original, originalLocal, startsAt, endsAt } of plan.overrides) {
    if (override.cancelled || !overlaps(startsAt, endsAt, bounded)) continue;
    spendOccurrence(budget);
    const { payload } = override;
    const instance = { startsAt, endsAt, originalStart: original, payload, isOverride: true };
    found.push({ instance, originalLocal });
  }
  const { master } = series;
  const { clock } = plan;
  if (master !== undefined && clock !== undefined)
    addRegular(found, { plan, master, clock, window: bounded, calendarZone, budget });
  return {
    instances: found.sort(byStart).map(({ instance }) => instance),
    unsupported: clock?.unsupported ?? false,
  };
}

/**
 * Estimates the cost of expanding the series over a window, in steps, from its parts and the frequency of its rules.
 * Cheap, and not a bound: the budget is the bound.
 */
export function weightOf(series: Series<unknown>, window: TimeWindow): number {
  const days = Math.max(0, Math.min(window.end, LATEST) - Math.max(window.start, EARLIEST)) / DAY + 4;
  const { rrules = [], rdates = [] } = series.master?.recurrence ?? {};
  const ofRules = rrules.reduce((sum, rrule) => {
    const timesInDay = /BY(?:HOUR|MINUTE|SECOND)=([^;]*)/i.exec(rrule)?.[1]?.split(',').length ?? 1;
    return sum + days * frequencyOf(rrule) * timesInDay * STEPS_OF_INSTANCE;
  }, 0);
  return Math.ceil(stepsToPrepare(series) + ofRules + rdates.length + series.overrides.length);
}

/**
 * Estimates how many occurrences a rule has in a day. A day of another calendar costs as much as several occurrences.
 */
function frequencyOf(rrule: string): number {
  if (/RSCALE=|SKIP=/i.test(rrule)) return 4;
  const name = /FREQ=(HOURLY|MINUTELY|DAILY)/i.exec(rrule)?.[1]?.toUpperCase();
  if (name === undefined) return 0.3;
  if (name === 'DAILY') return 1;
  const interval = Number(/INTERVAL=(\d+)/i.exec(rrule)?.[1] ?? 1) || 1;
  return Math.max(0.3, (name === 'HOURLY' ? 24 : 1440) / interval);
}

/** The cost of placing and returning one start, and of moving it as an override says, in steps. */
const STEPS_OF_INSTANCE = 40;
const STEPS_OF_SHAPE = 60;

/** An occurrence, and its sort key besides its start. */
type Found<T> = { readonly instance: Instance<T>; readonly originalLocal: LocalMs };

type ExpansionInput<T> = {
  readonly plan: PreparedSeries<T>;
  readonly master: SeriesMaster<T>;
  readonly clock: MasterClock;
  readonly window: TimeWindow;
  readonly calendarZone: string;
  readonly budget: RecurrenceBudget;
};

/** Times have the years 1 to 9999; a day is reserved for offsets. */
const EARLIEST = dayNumberOf(1, 1, 2) * DAY;
const LATEST = dayNumberOf(LAST_YEAR, 12, 31) * DAY;

function overlaps(startsAt: number, endsAt: number, { start, end }: TimeWindow): boolean {
  return startsAt < end && (endsAt > start || (endsAt === startsAt && startsAt >= start));
}

function byStart(a: Found<unknown>, b: Found<unknown>): number {
  return a.instance.startsAt - b.instance.startsAt || a.originalLocal - b.originalLocal;
}

/** Adds every occurrence in the window that has no override of its own. */
function addRegular<T>(found: Found<T>[], input: ExpansionInput<T>): void {
  const { plan, master, clock, calendarZone, window, budget } = input;
  const { zone, start } = clock;
  const { instants, days } = plan.exclusions;
  const length = lengthOfInstances(master, calendarZone);
  const chargeQuestions = questionCharge(budget);

  const starts = originals(input);
  const moved = new Set<number>();
  for (const [local, endOfPeriod] of starts) {
    const startsAt = instantOfLocal(zone, local);
    spendSteps(budget, STEPS_OF_INSTANCE);
    chargeQuestions();
    // A start that the clock skips is dropped if another start has the resulting time: they would be the same
    // occurrence.
    const shown = localOfInstant(zone, startsAt);
    if (shown !== local && (starts.has(shown) || moved.has(startsAt))) continue;
    if (shown !== local) moved.add(startsAt);
    if (plan.overridden.has(startsAt) || instants.has(startsAt) || days.has(dayOfLocal(local))) continue;
    const shape = shapeFor(plan.shapes, startsAt);
    if (shape?.cancelled === true) continue;
    if (shape !== undefined) spendSteps(budget, STEPS_OF_SHAPE);
    const place = shape?.place(timeLike(start, local)) ?? {
      startsAt,
      endsAt: endOfPeriod ?? endOf({ zone, local, startsAt }, length),
    };
    if (!overlaps(place.startsAt, place.endsAt, window)) continue;
    spendOccurrence(budget);
    const { payload } = shape ?? master;
    const instance = { ...place, originalStart: timeLike(start, local), payload };
    found.push({ instance: { ...instance, isOverride: shape !== undefined }, originalLocal: local });
  }
}

/** Local starts, each once, with the end if it has its own. */
type Originals = ReadonlyMap<LocalMs, number | undefined>;

/** Limits a rule's starts in the margins of a window. */
const MARGIN_STARTS = 10_000;

/** Returns DTSTART if it is one, and the starts of rules and RDATEs near the window. */
function originals({ plan, clock, window, budget }: ExpansionInput<unknown>): Originals {
  const from = localOfInstant(clock.zone, window.start) - plan.reach.start;
  const to = localOfInstant(clock.zone, window.end) + plan.reach.end;
  const endsByStart = new Map<LocalMs, number | undefined>();
  if (clock.hasStart) endsByStart.set(clock.startLocal, undefined);
  for (const { rule, until } of clock.rules) {
    const starts = expandRule(rule, clock.startLocal, { from, to, until }, budget);
    if (starts.length > budget.occurrences + MARGIN_STARTS) throw new RecurrenceBudgetError();
    for (const local of starts) endsByStart.set(local, undefined);
  }
  spendSteps(budget, plan.rdates.length);
  for (const { local, endsAt } of plan.rdates) {
    const isNear = local < to && (local >= from || (endsAt !== undefined && endsAt >= window.start));
    if (isNear) endsByStart.set(local, endsAt);
  }
  return endsByStart;
}
