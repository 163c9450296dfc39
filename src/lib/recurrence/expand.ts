/**
 * The occurrences of a series in a window of time. Rules run on the wall clock of the series, and each occurrence is
 * then placed in time by its zone, so that 9 o'clock stays 9 o'clock over a DST change. If the clock skips a start,
 * that occurrence alone moves forward by the gap; the series keeps its time of day.
 *
 * If RFC 5545 leaves it open: DTSTART is an occurrence even if its rule does not name it (§3.8.5.3 calls the result
 * undefined; common calendars show it), but not if all rules ended before it. An override takes place even if no rule
 * names its original, or an EXDATE does. A rule that cannot be followed counts as absent and is reported.
 */
import { DAY, type DayNumber, dayOfLocal, LAST_YEAR, type LocalMs, toDayNumber } from './civil.ts';
import {
  localOn,
  resolveClockZone,
  timeLike,
  toInstant,
  toLocalMs,
  toOriginalStart,
} from './event-instant.ts';
import type { Duration, EventTime } from './event-time.ts';
import { expandRule, RecurrenceBudgetError, spendOccurrence } from './expand-rule.ts';
import {
  boundLength,
  lengthOfInstances,
  type MasterClock,
  masterClock,
  measureLength,
  toEndInstant,
} from './master-clock.ts';
import { type RecurrenceBudget, spendSteps } from './rule-days.ts';
import type { Expansion, Instance, Series, SeriesMaster, SeriesOverride, TimeWindow } from './series.ts';
import {
  instantOfLocal,
  localOfInstant,
  MOST_BETWEEN_CLOCKS,
  stepsToKnow,
  temporalQuestions,
} from './zone.ts';

/**
 * Returns the occurrences that overlap the window; one without length counts at its start. Floating times are read in
 * `calendarZone`, an IANA name. Takes the cost from `budget` and throws RecurrenceBudgetError. Pass the same series
 * object for several windows: its preparation is done once.
 */
export function expand<T>(
  series: Series<T>,
  window: TimeWindow,
  calendarZone: string,
  budget: RecurrenceBudget,
): Expansion<T> {
  const bounded = { start: Math.max(window.start, EARLIEST), end: Math.min(window.end, LATEST) };
  const plan = prepared(series, calendarZone, budget);
  const occurrences: Found<T>[] = [];
  spendSteps(budget, plan.overrides.length);
  for (const { override, original, originalLocal, startsAt, endsAt } of plan.overrides) {
    if (override.cancelled || !overlaps(startsAt, endsAt, bounded)) continue;
    spendOccurrence(budget);
    const { payload } = override;
    const instance = { startsAt, endsAt, originalStart: original, payload, isOverride: true };
    occurrences.push({ instance, originalLocal });
  }
  const { master } = series;
  const { clock } = plan;
  if (master !== undefined && clock !== undefined)
    addRegular(occurrences, { plan, master, clock, window: bounded, calendarZone, budget });
  return {
    instances: occurrences.sort(byStart).map(({ instance }) => instance),
    unsupported: clock?.unsupported ?? false,
  };
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
const EARLIEST = toDayNumber(1, 1, 2) * DAY;
const LATEST = toDayNumber(LAST_YEAR, 12, 31) * DAY;

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
    const localStart = localOfInstant(zone, startsAt);
    if (localStart !== local && (starts.has(localStart) || moved.has(startsAt))) continue;
    if (localStart !== local) moved.add(startsAt);
    if (plan.overridden.has(startsAt) || instants.has(startsAt) || days.has(dayOfLocal(local))) continue;
    const shape = shapeFor(plan.shapes, startsAt);
    if (shape?.cancelled === true) continue;
    if (shape !== undefined) spendSteps(budget, STEPS_OF_SHAPE);
    const place = shape?.place(timeLike(start, local)) ?? {
      startsAt,
      endsAt: endOfPeriod ?? toEndInstant({ zone, local, startsAt }, length),
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

export type PreparedSeries<T> = {
  /** `undefined` without a master. */
  readonly clock: MasterClock | undefined;
  /** Ordered by the instant of their originals. */
  readonly overrides: readonly PlacedOverride<T>[];
  /** Instants of originals that have an override. */
  readonly overridden: ReadonlySet<number>;
  /** The effects of RANGE=THISANDFUTURE overrides on later occurrences, by `key`. */
  readonly shapes: readonly FutureShape<T>[];
  readonly rdates: readonly PlacedDate[];
  readonly exclusions: Exclusions;
  /** How far outside a window an original start can be while its instance is in it. */
  readonly reach: TimeWindow;
};

/** An override with its place in time; `key` is the instant of the original start. */
export type PlacedOverride<T> = {
  readonly override: SeriesOverride<T>;
  readonly key: number;
  readonly original: EventTime;
  readonly originalLocal: LocalMs;
  readonly startsAt: number;
  readonly endsAt: number;
};

export type FutureShape<T> = {
  readonly key: number;
  readonly cancelled: boolean;
  readonly payload: T;
  /** How far the wall clock of later occurrences moves. */
  readonly shift: number;
  readonly length: Duration;
  place(original: EventTime): { readonly startsAt: number; readonly endsAt: number };
};

/** An RDATE on the clock of the series; `endsAt` if it is a period. */
export type PlacedDate = { readonly local: LocalMs; readonly endsAt: number | undefined };

/** Instants of EXDATEs, and days of EXDATEs that are dates: a date excludes all starts of that day. */
export type Exclusions = { readonly instants: ReadonlySet<number>; readonly days: ReadonlySet<DayNumber> };

/** The cost of one of each, in steps. */
const STEPS = { override: 100, future: 200, rdate: 60, exdate: 30, character: 1 };
const STEPS_OF_QUESTION = 300;

type Prepared = { readonly calendarZone: string; readonly series: PreparedSeries<unknown> };
const preparedBySeries = new WeakMap<Series<unknown>, Prepared>();

/** Returns the prepared series, which costs steps only once. Throws RecurrenceBudgetError. */
export function prepared<T>(
  series: Series<T>,
  calendarZone: string,
  budget: RecurrenceBudget,
): PreparedSeries<T> {
  const before = preparedBySeries.get(series);
  // The stored result was created from this very series, so its payloads have type T.
  if (before?.calendarZone === calendarZone) return before.series as PreparedSeries<T>;
  const prepared = prepare(series, calendarZone, budget);
  preparedBySeries.set(series, { calendarZone, series: prepared });
  return prepared;
}

/** Returns a function that charges for calls to Temporal since its last call. It throws RecurrenceBudgetError. */
export function questionCharge(budget: RecurrenceBudget): () => void {
  let questionsBefore = temporalQuestions();
  return () => {
    const since = temporalQuestions() - questionsBefore;
    if (since > 0) spendSteps(budget, since * STEPS_OF_QUESTION);
    questionsBefore += since;
  };
}

/** Returns the cost of preparing the series, in steps, without its zones. */
function stepsToPrepare({ master, overrides }: Series<unknown>): number {
  const { rrules = [], rdates = [], exdates = [] } = master?.recurrence ?? {};
  const characters = rrules.reduce((sum, rrule) => sum + rrule.length, 0);
  const futures = overrides.reduce((sum, { thisAndFuture }) => sum + (thisAndFuture ? 1 : 0), 0);
  return (
    overrides.length * STEPS.override +
    futures * STEPS.future +
    rdates.length * STEPS.rdate +
    exdates.length * STEPS.exdate +
    characters * STEPS.character
  );
}

function prepare<T>(series: Series<T>, calendarZone: string, budget: RecurrenceBudget): PreparedSeries<T> {
  spendSteps(budget, stepsToPrepare(series));
  for (const time of listEventTimes(series)) {
    if (time.type === 'zoned' && typeof time.zone !== 'string') spendSteps(budget, stepsToKnow(time.zone));
  }
  const { master } = series;
  const clock = master === undefined ? undefined : masterClock(master, calendarZone);
  const reading = { calendarZone, charge: questionCharge(budget) };
  const effective = effectiveOverrides(master?.start, series.overrides, calendarZone);
  const overrides = placeOverrides(clock, effective, reading);
  const shapes = overrides
    .filter(({ override }) => override.thisAndFuture === true)
    .map((future) => futureShape(future, reading));
  return {
    clock,
    overrides,
    overridden: new Set(overrides.map(({ key }) => key)),
    shapes,
    rdates: clock === undefined ? [] : placeDates(clock, master, reading),
    exclusions: placeExclusions(clock, master, reading),
    reach: measureReach(master && lengthOfInstances(master, calendarZone), shapes),
  };
}

/**
 * Returns the overrides that count. If a series changes between timed and all-day, Google keeps its exceptions, with
 * times of the old type. A cancelled one does not count, and a live one only if no override of the right type has its
 * occurrence. Floating times have either type.
 */
export function effectiveOverrides<
  Override extends Pick<SeriesOverride<unknown>, 'recurrenceId' | 'cancelled'>,
>(start: EventTime | undefined, overrides: readonly Override[], calendarZone: string): readonly Override[] {
  if (start === undefined || start.type === 'floating') return overrides;
  const isRight = ({ recurrenceId: { type } }: Override) =>
    type === 'floating' || (type === 'date') === (start.type === 'date');
  const right = overrides.filter(isRight);
  if (right.length === overrides.length) return overrides;
  const toOriginalInstant = ({ recurrenceId }: Override) =>
    toInstant(toOriginalStart(start, recurrenceId, calendarZone), calendarZone);
  const occurrences = new Set(right.map(toOriginalInstant));
  return overrides.filter(
    (one) => isRight(one) || !(one.cancelled || occurrences.has(toOriginalInstant(one))),
  );
}

function* listEventTimes({ master, overrides }: Series<unknown>): Generator<EventTime> {
  if (master !== undefined) yield* [master.start, master.end];
  for (const { recurrenceId, start, end } of overrides) yield* [recurrenceId, start, end];
  for (const { start, end } of master?.recurrence?.rdates ?? [])
    yield* end === undefined ? [start] : [start, end];
  yield* master?.recurrence?.exdates ?? [];
}

/** The calendar's zone, and the function that charges for offsets from Temporal. */
type Reading = { readonly calendarZone: string; readonly charge: () => void };

/** If several overrides have the same occurrence, the last one counts. */
function placeOverrides<T>(
  clock: MasterClock | undefined,
  overrides: readonly SeriesOverride<T>[],
  { calendarZone, charge }: Reading,
): PlacedOverride<T>[] {
  const placed = new Map<number, PlacedOverride<T>>();
  for (const override of overrides) {
    const { recurrenceId, start, end } = override;
    const original =
      clock === undefined ? recurrenceId : toOriginalStart(clock.start, recurrenceId, calendarZone);
    const originalLocal = toLocalMs(original);
    const key = instantOfLocal(resolveClockZone(original, calendarZone), originalLocal);
    const startsAt = toInstant(start, calendarZone);
    const endsAt = Math.max(startsAt, toInstant(end, calendarZone));
    charge();
    placed.set(key, { override, key, original, originalLocal, startsAt, endsAt });
  }
  return [...placed.values()].sort((a, b) => a.key - b.key);
}

/** RFC 5545 §3.2.13: a RANGE override moves later occurrences by as much as it moved its own. */
function futureShape<T>(
  { override, key, original }: PlacedOverride<T>,
  { calendarZone, charge }: Reading,
): FutureShape<T> {
  const { start, end, cancelled, payload } = override;
  const zone = resolveClockZone(start, calendarZone);
  const shift = toLocalMs(start) - localOn(start, original, calendarZone);
  const length = measureLength(start, end, calendarZone);
  charge();
  const place = (later: EventTime) => {
    const local = localOn(start, later, calendarZone) + shift;
    const startsAt = instantOfLocal(zone, local);
    return { startsAt, endsAt: toEndInstant({ zone, local, startsAt }, length) };
  };
  return { key, cancelled, payload, shift, length, place };
}

/** Returns the shape that applies to an original start: the last one whose own original start is before it. */
export function shapeFor<T>(shapes: readonly FutureShape<T>[], startsAt: number): FutureShape<T> | undefined {
  let low = 0;
  let high = shapes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((shapes[middle]?.key ?? startsAt) < startsAt) low = middle + 1;
    else high = middle;
  }
  return shapes[low - 1];
}

function placeDates(
  clock: MasterClock,
  master: SeriesMaster<unknown> | undefined,
  { calendarZone, charge }: Reading,
): PlacedDate[] {
  return (master?.recurrence?.rdates ?? []).map(({ start, end }) => {
    const local = toLocalMs(toOriginalStart(clock.start, start, calendarZone));
    if (end === undefined) return { local, endsAt: undefined };
    // A period that ends before it begins has no length.
    const endsAt = Math.max(instantOfLocal(clock.zone, local), toInstant(end, calendarZone));
    charge();
    return { local, endsAt };
  });
}

function placeExclusions(
  clock: MasterClock | undefined,
  master: SeriesMaster<unknown> | undefined,
  { calendarZone, charge }: Reading,
): Exclusions {
  const instants = new Set<number>();
  const days = new Set<DayNumber>();
  if (clock === undefined) return { instants, days };
  for (const exdate of master?.recurrence?.exdates ?? []) {
    const local = localOn(clock.start, exdate, calendarZone);
    if (exdate.type === 'date') days.add(dayOfLocal(local));
    else instants.add(instantOfLocal(clock.zone, local));
    charge();
  }
  return { instants, days };
}

function measureReach(ofMaster: Duration | undefined, shapes: readonly FutureShape<unknown>[]): TimeWindow {
  let longest = ofMaster === undefined ? 0 : boundLength(ofMaster);
  let [later, earlier] = [0, 0];
  for (const { length, shift } of shapes) {
    longest = Math.max(longest, boundLength(length));
    later = Math.max(later, shift);
    earlier = Math.max(earlier, -shift);
  }
  return { start: longest + later + MOST_BETWEEN_CLOCKS, end: earlier + MOST_BETWEEN_CLOCKS };
}
