/**
 * The instances of a series in a window of time. Rules run on the wall clock of the series and each instance
 * is then placed in time by its zone, so that 9 o'clock stays 9 o'clock over a DST change. A start that the clock
 * skips moves that instance alone forward by the gap; the series keeps its time of day.
 *
 * Where RFC 5545 leaves it open: DTSTART is an instance even where its rule does not name it (§3.8.5.3 calls the
 * result undefined; common calendars show it). An override takes place even where no rule, or an
 * EXDATE, names its original. A rule that cannot be followed counts as absent and is reported.
 */
import { DAY, dayNumberOf, dayOfLocal, LAST_YEAR, type LocalMs } from './civil.ts';
import { instantOf, localOf, localOn, originalStartOf, timeLike, zoneOf } from './event-instant.ts';
import type { EventTime } from './event-time.ts';
import {
  expandRule,
  type RecurrenceBudget,
  RecurrenceBudgetError,
  spendOccurrence,
  spendSteps,
} from './expand-rule.ts';
import { endOf, type Length, lengthOf, longestOf, type MasterClock, masterClock } from './master-clock.ts';
import type { Expansion, Instance, Series, SeriesMaster, SeriesOverride, TimeWindow } from './series.ts';
import { instantOfLocal, localOfInstant, MOST_BETWEEN_CLOCKS } from './zone.ts';

/**
 * The instances that overlap the window; one without length counts where it starts. Floating times are read in
 * `calendarZone`, an IANA name. What the call uses up is taken from `budget`; RecurrenceBudgetError when
 * that is not enough.
 */
export function expand<T>(
  series: Series<T>,
  window: TimeWindow,
  calendarZone: string,
  budget: RecurrenceBudget,
): Expansion<T> {
  const bounded = { start: Math.max(window.start, EARLIEST), end: Math.min(window.end, LATEST) };
  const { master, overrides } = series;
  const clock = master === undefined ? undefined : masterClock(master, calendarZone);
  const placed = placeOverrides(clock, overrides, calendarZone);
  const instances = placed.filter(({ override }) => !override.cancelled).map(instanceOfOverride);
  if (master !== undefined && clock !== undefined) {
    const input = { master, clock, window: bounded, calendarZone, budget };
    for (const instance of regularInstances(input, placed)) instances.push(instance);
  }
  const inside = instances.filter((instance) => overlaps(instance, bounded));
  for (const _instance of inside) spendOccurrence(budget);
  return { instances: inside.sort(byStart), unsupported: clock?.unsupported ?? false };
}

type ExpansionInput<T> = {
  readonly master: SeriesMaster<T>;
  readonly clock: MasterClock;
  readonly window: TimeWindow;
  readonly calendarZone: string;
  readonly budget: RecurrenceBudget;
};

/** The years 1 to 9999 are all that times are written in; a day is left for offsets. */
const EARLIEST = dayNumberOf(1, 1, 2) * DAY;
const LATEST = dayNumberOf(LAST_YEAR, 12, 31) * DAY;

function overlaps({ startsAt, endsAt }: Instance<unknown>, { start, end }: TimeWindow): boolean {
  return startsAt < end && (endsAt > start || (endsAt === startsAt && startsAt >= start));
}

function byStart(a: Instance<unknown>, b: Instance<unknown>): number {
  return a.startsAt - b.startsAt || localOf(a.originalStart) - localOf(b.originalStart);
}

/** An override with its place in time; `key` is the instant of the original start. */
type PlacedOverride<T> = {
  readonly override: SeriesOverride<T>;
  readonly key: number;
  readonly original: EventTime;
  readonly startsAt: number;
  readonly endsAt: number;
};

/** The last of several overrides of one instance counts. */
function placeOverrides<T>(
  clock: MasterClock | undefined,
  overrides: readonly SeriesOverride<T>[],
  calendarZone: string,
): PlacedOverride<T>[] {
  const placed = new Map<number, PlacedOverride<T>>();
  for (const override of overrides) {
    const { recurrenceId, start, end } = override;
    const original =
      clock === undefined ? recurrenceId : originalStartOf(clock.start, recurrenceId, calendarZone);
    const key = instantOf(original, calendarZone);
    const startsAt = instantOf(start, calendarZone);
    const endsAt = Math.max(startsAt, instantOf(end, calendarZone));
    placed.set(key, { override, key, original, startsAt, endsAt });
  }
  return [...placed.values()].sort((a, b) => a.key - b.key);
}

function instanceOfOverride<T>({ override, original, startsAt, endsAt }: PlacedOverride<T>): Instance<T> {
  return { startsAt, endsAt, originalStart: original, payload: override.payload, isOverride: true };
}

/** Every instance near the window that has no override of its own. */
function* regularInstances<T>(
  input: ExpansionInput<T>,
  placed: readonly PlacedOverride<T>[],
): Generator<Instance<T>> {
  const { master, clock, calendarZone } = input;
  const { zone, start } = clock;
  const overridden = new Set(placed.map(({ key }) => key));
  const excluded = exclusionsOf(input);
  const futureOverrides = placed.filter(({ override }) => override.thisAndFuture === true);
  const shapes = futureOverrides.map((future) => futureShape(future, calendarZone));
  const length = lengthOf(master.start, master.end, calendarZone);

  for (const { local, endsAt: endOfPeriod } of originals(input, reachOf(length, shapes))) {
    const startsAt = instantOfLocal(zone, local);
    if (overridden.has(startsAt) || excluded(local, startsAt)) continue;
    const originalStart = timeLike(start, local);
    const shape = shapes.findLast(({ key }) => key < startsAt);
    if (shape === undefined) {
      const endsAt = endOfPeriod ?? endOf({ zone, local, startsAt }, length);
      yield { startsAt, endsAt, originalStart, payload: master.payload, isOverride: false };
    } else if (!shape.cancelled) {
      yield { ...shape.place(originalStart), originalStart, payload: shape.payload, isOverride: true };
    }
  }
}

type FutureShape<T> = {
  readonly key: number;
  readonly cancelled: boolean;
  readonly payload: T;
  /** By how much the wall clock of later instances moves. */
  readonly shift: number;
  readonly length: Length;
  place(original: EventTime): { readonly startsAt: number; readonly endsAt: number };
};

/** RFC 5545 §3.2.13: a RANGE override moves later instances by as much as it moved its own. */
function futureShape<T>(
  { override, key, original }: PlacedOverride<T>,
  calendarZone: string,
): FutureShape<T> {
  const { start, end, cancelled, payload } = override;
  const zone = zoneOf(start, calendarZone);
  const shift = localOf(start) - localOn(start, original, calendarZone);
  const length = lengthOf(start, end, calendarZone);
  const place = (later: EventTime) => {
    const local = localOn(start, later, calendarZone) + shift;
    const startsAt = instantOfLocal(zone, local);
    return { startsAt, endsAt: endOf({ zone, local, startsAt }, length) };
  };
  return { key, cancelled, payload, shift, length, place };
}

/** How far outside the window an original start can be while its instance is in it. */
function reachOf(ofMaster: Length, shapes: readonly FutureShape<unknown>[]): TimeWindow {
  const longest = Math.max(longestOf(ofMaster), ...shapes.map(({ length }) => longestOf(length)));
  const shifts = shapes.map(({ shift }) => shift);
  return {
    start: longest + Math.max(0, ...shifts) + MOST_BETWEEN_CLOCKS,
    end: Math.max(0, ...shifts.map((by) => -by)) + MOST_BETWEEN_CLOCKS,
  };
}

type Original = { readonly local: LocalMs; readonly endsAt?: number };

/** The margins of a window hold no more starts of a rule than this. */
const MARGIN_STARTS = 10_000;

/** DTSTART, what the rules name near the window, and every RDATE; each once. */
function originals(
  { master, clock, window, calendarZone, budget }: ExpansionInput<unknown>,
  reach: TimeWindow,
): Iterable<Original> {
  const from = localOfInstant(clock.zone, window.start) - reach.start;
  const to = localOfInstant(clock.zone, window.end) + reach.end;
  const originalsByStart = new Map<LocalMs, Original>([[clock.startLocal, { local: clock.startLocal }]]);
  for (const { rule, until } of clock.rules) {
    const starts = expandRule(rule, clock.startLocal, { from, to, until }, budget);
    if (starts.length > budget.occurrences + MARGIN_STARTS) throw new RecurrenceBudgetError();
    for (const local of starts) originalsByStart.set(local, { local });
  }
  for (const { start, end } of master.recurrence?.rdates ?? []) {
    spendSteps(budget, 10);
    const local = localOf(originalStartOf(clock.start, start, calendarZone));
    // A period that ends before it begins has no length, as elsewhere.
    const endsAt = end && Math.max(instantOfLocal(clock.zone, local), instantOf(end, calendarZone));
    originalsByStart.set(local, endsAt === undefined ? { local } : { local, endsAt });
  }
  return originalsByStart.values();
}

type IsExcluded = (local: LocalMs, startsAt: number) => boolean;

/** Whether EXDATE excludes a start. A date excludes all starts of that day. */
function exclusionsOf({ master, clock, calendarZone }: ExpansionInput<unknown>): IsExcluded {
  const instants = new Set<number>();
  const days = new Set<number>();
  for (const exdate of master.recurrence?.exdates ?? []) {
    const local = localOn(clock.start, exdate, calendarZone);
    if (exdate.type === 'date') days.add(dayOfLocal(local));
    else instants.add(instantOfLocal(clock.zone, local));
  }
  return (local, startsAt) => instants.has(startsAt) || days.has(dayOfLocal(local));
}
