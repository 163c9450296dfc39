/**
 * The instances of a series in a window of time. Rules run on the wall clock of the series and each instance
 * is then placed in time by its zone, so that 9 o'clock stays 9 o'clock over a DST change. A start that the clock
 * skips moves that instance alone forward by the gap; the series keeps its time of day.
 *
 * Where RFC 5545 leaves it open: DTSTART is an instance even where its rule does not name it (§3.8.5.3 calls the
 * result undefined; common calendars show it), but not where all rules ended before it. An override takes place even
 * where no rule, or an EXDATE, names its original. A rule that cannot be followed counts as absent and is reported.
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
 * The instances that overlap the window; one without length counts where it starts. Floating times are read in
 * `calendarZone`, an IANA name. What the call uses up is taken from `budget`; RecurrenceBudgetError when
 * that is not enough. What does not depend on the window is reckoned once for each series object: windows of one series
 * are best asked of the same object.
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
 * About what expanding the series over a window takes, in steps, without doing it: what is placed of it, and its rules as
 * often as their frequency has it. Cheap, and no bound: a budget is that.
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

/** About how often a rule is in a day. A day of another calendar takes as long as several instances. */
function frequencyOf(rrule: string): number {
  if (/RSCALE=|SKIP=/i.test(rrule)) return 4;
  const name = /FREQ=(HOURLY|MINUTELY|DAILY)/i.exec(rrule)?.[1]?.toUpperCase();
  if (name === undefined) return 0.3;
  if (name === 'DAILY') return 1;
  const interval = Number(/INTERVAL=(\d+)/i.exec(rrule)?.[1] ?? 1) || 1;
  return Math.max(0.3, (name === 'HOURLY' ? 24 : 1440) / interval);
}

/** What placing one start in time and answering it takes, and what moving it as an override says does. */
const STEPS_OF_INSTANCE = 40;
const STEPS_OF_SHAPE = 60;

/** An instance, and what it is ordered by besides its start. */
type Found<T> = { readonly instance: Instance<T>; readonly originalLocal: LocalMs };

type ExpansionInput<T> = {
  readonly plan: PreparedSeries<T>;
  readonly master: SeriesMaster<T>;
  readonly clock: MasterClock;
  readonly window: TimeWindow;
  readonly calendarZone: string;
  readonly budget: RecurrenceBudget;
};

/** The years 1 to 9999 are all that times are written in; a day is left for offsets. */
const EARLIEST = dayNumberOf(1, 1, 2) * DAY;
const LATEST = dayNumberOf(LAST_YEAR, 12, 31) * DAY;

function overlaps(startsAt: number, endsAt: number, { start, end }: TimeWindow): boolean {
  return startsAt < end && (endsAt > start || (endsAt === startsAt && startsAt >= start));
}

function byStart(a: Found<unknown>, b: Found<unknown>): number {
  return a.instance.startsAt - b.instance.startsAt || a.originalLocal - b.originalLocal;
}

/** Adds every instance in the window that has no override of its own. */
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
    // A start that the clock skips gives way to one that is where it moves to: they would be the same instance.
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

/** Local starts, each once, with the end of those that have one of their own. */
type Originals = ReadonlyMap<LocalMs, number | undefined>;

/** The margins of a window hold no more starts of a rule than this. */
const MARGIN_STARTS = 10_000;

/** DTSTART where it is one, what the rules name near the window, and what RDATEs name near it. */
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
