/** The time span that holds all instances of a series, for an index. */
import { DAY, dayNumberOf, LAST_YEAR } from './civil.ts';
import { instantOf } from './event-instant.ts';
import {
  lastTimeOf,
  type RecurrenceBudget,
  RecurrenceBudgetError,
  recurrenceBudget,
  STEPS_PER_MS,
} from './expand-rule.ts';
import {
  lengthOf,
  lengthOfInstances,
  longestOf,
  type MasterClock,
  type MasterRule,
  masterClock,
} from './master-clock.ts';
import type { Series, SeriesMaster } from './series.ts';
import { instantOfLocal, MOST_BETWEEN_CLOCKS } from './zone.ts';

/** Epoch milliseconds; both bounds inclusive. */
export type Span = { readonly startsAt: number; readonly endsAt: number };

/**
 * Bounds that hold every instance `expand` can answer, possibly wider: none starts before `startsAt` or ends after
 * `endsAt`, which is Number.MAX_SAFE_INTEGER where a rule has no end or its end takes long to find.
 */
export function spanOf(series: Series<unknown>, calendarZone: string): Span {
  const { master, overrides } = series;
  const masterSpans = master === undefined ? [] : [masterSpan(master, calendarZone)];
  const spans = overrides.map(({ start, end, recurrenceId }) => ({
    startsAt: Math.min(instantOf(start, calendarZone), instantOf(recurrenceId, calendarZone)),
    endsAt: Math.max(instantOf(start, calendarZone), instantOf(end, calendarZone)),
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

/** How far an instance can be from its local time read as UTC; a date stands for some time of its day. */
const MARGIN = MOST_BETWEEN_CLOCKS + DAY;

function masterSpan(master: SeriesMaster<unknown>, calendarZone: string): Span {
  const clock = masterClock(master, calendarZone);
  const longest = longestOf(lengthOfInstances(master, calendarZone));
  const first = instantOf(master.start, calendarZone);
  const rdates = (master.recurrence?.rdates ?? []).map(({ start, end }) => {
    const at = instantOf(start, calendarZone);
    const until = end === undefined ? at + longest : Math.max(at, instantOf(end, calendarZone));
    return { startsAt: at - MARGIN, endsAt: until + MARGIN };
  });
  const budget = recurrenceBudget(0, MOST_STEPS);
  const lastOfRules = clock.rules.map((rule) => lastStart(rule, clock, budget) + longest);
  const firstEnd = Math.max(first, instantOf(master.end, calendarZone));
  // A start that the clock skips moves behind later ones, so the first by the clock need not be the first in time.
  const earliest = clock.rules.length > 0 ? first - MOST_BETWEEN_CLOCKS : first;
  return {
    startsAt: least([earliest, ...rdates.map((rdate) => rdate.startsAt)]),
    endsAt: capped(most([firstEnd, ...lastOfRules, ...rdates.map((rdate) => rdate.endsAt)])),
  };
}

const capped = (endsAt: number): number => (endsAt > LATEST ? Number.MAX_SAFE_INTEGER : endsAt);
const LATEST = dayNumberOf(LAST_YEAR, 12, 31) * DAY;

/** For the ends of all rules of a series: 5 ms. */
const MOST_STEPS = 5 * STEPS_PER_MS;

/** No start of the rule is later: epoch milliseconds. */
function lastStart(
  { rule, until }: MasterRule,
  { zone, startLocal }: MasterClock,
  budget: RecurrenceBudget,
): number {
  if (until !== undefined) return instantOfLocal(zone, until) + MOST_BETWEEN_CLOCKS;
  if (rule.count === undefined) return Number.MAX_SAFE_INTEGER;
  try {
    const last = lastTimeOf(rule, startLocal, budget);
    if (last > LATEST) return Number.MAX_SAFE_INTEGER;
    return instantOfLocal(zone, last) + MOST_BETWEEN_CLOCKS;
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return Number.MAX_SAFE_INTEGER;
    throw error;
  }
}

/** Later instances move as RANGE overrides say, and can be as long as these are. */
function widen(span: Span, futureOverrides: Series<unknown>['overrides'], calendarZone: string): Span {
  const reach = futureOverrides.map(({ start, end, recurrenceId }) => {
    const shift = Math.abs(instantOf(start, calendarZone) - instantOf(recurrenceId, calendarZone));
    return shift + longestOf(lengthOf(start, end, calendarZone)) + MARGIN;
  });
  const farthest = most(reach);
  return { startsAt: span.startsAt - farthest, endsAt: capped(span.endsAt + farthest) };
}
