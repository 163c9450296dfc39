/** The place of an event in an index of times, computed from its times alone: overrides may arrive one by one. */

import { DAY, LAST_YEAR, toDayNumber } from './civil.ts';
import { toInstant } from './event-instant.ts';
import {
  findLastTime,
  type RecurrenceBudget,
  RecurrenceBudgetError,
  recurrenceBudget,
  STEPS_PER_MS,
} from './expand-rule.ts';
import {
  boundLength,
  lengthOfInstances,
  type MasterClock,
  type MasterRule,
  masterClock,
  measureLength,
} from './master-clock.ts';
import { buildSeries, type PlacedTimes, type Series, type SeriesMaster } from './series.ts';
import { instantOfLocal, MOST_BETWEEN_CLOCKS } from './zone.ts';

/** In epoch milliseconds; for a series, from its first occurrence to its last. */
export type Place = {
  readonly shape: 'short' | 'long' | 'series' | 'override' | 'hidden';
  readonly startsAt: number;
  readonly endsAt: number;
};

/** The longest duration of a 'short' event, in milliseconds: a day on which the clock goes back. */
export const LONGEST_SHORT = 25 * 3_600_000;
/** The end of an endless series. */
const YEAR_10000 = 253_402_300_800_000;

/** Returns whether a main event makes these a series. Without one, each override is an occurrence known alone. */
export const isSeries = (timings: readonly PlacedTimes[]): boolean =>
  timings.some((timing) => isMaster(timing) && (timing.recurrence !== undefined || timings.length > 1));

const isMaster = ({ recurrenceId }: PlacedTimes): boolean => recurrenceId === undefined;

/** Returns the places of a single event, or of the known events of one series. */
export function computePlaces(timings: readonly PlacedTimes[], calendarZone: string): Place[] {
  const master = timings.find(isMaster);
  if (master === undefined || !isSeries(timings))
    return timings.map((timing) => singlePlace(timing, calendarZone));
  const overrides = timings.filter((timing) => timing !== master);
  return timings.map((timing) =>
    timing === master
      ? seriesPlace(master, overrides, calendarZone)
      : overridePlace(timing, master, calendarZone),
  );
}

function singlePlace(timing: PlacedTimes, calendarZone: string): Place {
  const startsAt = toInstant(timing.start, calendarZone);
  const endsAt = Math.max(toInstant(timing.end, calendarZone), startsAt);
  const shape = endsAt - startsAt > LONGEST_SHORT ? 'long' : 'short';
  return {
    shape: timing.cancelled === true ? 'hidden' : shape,
    startsAt,
    // An event without length counts as one millisecond, so that every window around it finds it.
    endsAt: Math.max(endsAt, startsAt + 1),
  };
}

/** Returns the place of a series: it contains every occurrence and override. */
function seriesPlace(master: PlacedTimes, overrides: readonly PlacedTimes[], calendarZone: string): Place {
  const span = computeSpan(
    buildSeries(master, overrides, () => undefined),
    calendarZone,
  );
  return {
    shape: master.cancelled === true ? 'hidden' : 'series',
    startsAt: span.startsAt,
    // The span's end is inclusive, the column's is exclusive.
    endsAt: Math.min(span.endsAt + 1, YEAR_10000),
  };
}

function overridePlace(timing: PlacedTimes, master: PlacedTimes, calendarZone: string): Place {
  const startsAt = toInstant(timing.start, calendarZone);
  return {
    shape: master.cancelled === true ? 'hidden' : 'override',
    startsAt,
    endsAt: Math.max(toInstant(timing.end, calendarZone), startsAt + 1),
  };
}

/** Epoch milliseconds; both bounds inclusive. */
export type Span = { readonly startsAt: number; readonly endsAt: number };

/** Returns bounds of all instances. `endsAt` is MAX_SAFE_INTEGER if a rule's end is missing or costly to find. */
export function computeSpan(series: Series<unknown>, calendarZone: string): Span {
  const { master, overrides } = series;
  const masterSpans = master === undefined ? [] : [masterSpan(master, calendarZone)];
  const spans = overrides.map(({ start, end, recurrenceId }) => ({
    startsAt: Math.min(toInstant(start, calendarZone), toInstant(recurrenceId, calendarZone)),
    endsAt: Math.max(toInstant(start, calendarZone), toInstant(end, calendarZone)),
  }));
  const startsAt = least([...masterSpans, ...spans].map((span) => span.startsAt));
  const endsAt = most([...masterSpans, ...spans].map((span) => span.endsAt));
  const futureOverrides = overrides.filter(({ thisAndFuture }) => thisAndFuture === true);
  if (futureOverrides.length === 0 || master === undefined) return { startsAt, endsAt };
  return widen({ startsAt, endsAt }, futureOverrides, calendarZone);
}

/** Arrays can be longer than a call can have arguments. */
const least = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER);
const most = (values: readonly number[]): number =>
  values.reduce((a, b) => Math.max(a, b), Number.MIN_SAFE_INTEGER);

/** The most by which an instance differs from its local time read as UTC. A date is some time of its day. */
const MARGIN = MOST_BETWEEN_CLOCKS + DAY;

function masterSpan(master: SeriesMaster<unknown>, calendarZone: string): Span {
  const clock = masterClock(master, calendarZone);
  const longest = boundLength(lengthOfInstances(master, calendarZone));
  const first = toInstant(master.start, calendarZone);
  const rdates = (master.recurrence?.rdates ?? []).map(({ start, end }) => {
    const at = toInstant(start, calendarZone);
    const until = end === undefined ? at + longest : Math.max(at, toInstant(end, calendarZone));
    return { startsAt: at - MARGIN, endsAt: until + MARGIN };
  });
  const budget = recurrenceBudget(0, MOST_STEPS);
  const lastOfRules = clock.rules.map((rule) => lastStart(rule, clock, budget) + longest);
  const firstEnd = Math.max(first, toInstant(master.end, calendarZone));
  // A start that the clock skips moves behind later ones, so the first by the clock need not be the first in time.
  const earliest = clock.rules.length > 0 ? first - MOST_BETWEEN_CLOCKS : first;
  return {
    startsAt: least([earliest, ...rdates.map((rdate) => rdate.startsAt)]),
    endsAt: capped(most([firstEnd, ...lastOfRules, ...rdates.map((rdate) => rdate.endsAt)])),
  };
}

const capped = (endsAt: number): number => (endsAt > LATEST ? Number.MAX_SAFE_INTEGER : endsAt);
const LATEST = toDayNumber(LAST_YEAR, 12, 31) * DAY;

/** Limits finding the ends of all rules of a series to 5 ms. */
const MOST_STEPS = 5 * STEPS_PER_MS;

/** Returns an instant, epoch milliseconds, that no start of the rule is after. */
function lastStart(
  { rule, until }: MasterRule,
  { zone, startLocal }: MasterClock,
  budget: RecurrenceBudget,
): number {
  if (until !== undefined) return instantOfLocal(zone, until) + MOST_BETWEEN_CLOCKS;
  if (rule.count === undefined) return Number.MAX_SAFE_INTEGER;
  try {
    const last = findLastTime(rule, startLocal, budget);
    if (last > LATEST) return Number.MAX_SAFE_INTEGER;
    return instantOfLocal(zone, last) + MOST_BETWEEN_CLOCKS;
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return Number.MAX_SAFE_INTEGER;
    throw error;
  }
}

/** Widens a span, because RANGE overrides move later instances and set their length. */
function widen(span: Span, futureOverrides: Series<unknown>['overrides'], calendarZone: string): Span {
  const reach = futureOverrides.map(({ start, end, recurrenceId }) => {
    const shift = Math.abs(toInstant(start, calendarZone) - toInstant(recurrenceId, calendarZone));
    return shift + boundLength(measureLength(start, end, calendarZone)) + MARGIN;
  });
  const farthest = most(reach);
  return { startsAt: span.startsAt - farthest, endsAt: capped(span.endsAt + farthest) };
}
