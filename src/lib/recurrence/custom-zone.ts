/** The offsets of a zone that a calendar describes by VTIMEZONE rules, RFC 5545 §3.6.5. */
import { DAY, dayNumberOf, type LocalMs, parseLocal } from './civil.ts';
import type { CustomZone, Observance } from './event-time.ts';
import { expandRule } from './expand-rule.ts';
import { type RecurrenceBudget, RecurrenceBudgetError, recurrenceBudget } from './recurrence-budget.ts';
import { parseRule } from './rule.ts';

/** A stretch of time with one offset: from <= instant < to, epoch milliseconds. */
export type OffsetSpan = { readonly from: number; readonly to: number; readonly offset: number };

/** The last offset before this year holds from then on. */
const LAST_ONSET = dayNumberOf(2150, 1, 1) * DAY;
/** Some programs let rules begin in 1601, but clocks have not changed twice a year before this. */
const FIRST_ONSET = dayNumberOf(1900, 1, 1) * DAY;
/** Rules that take more than this are left out: clocks change a few times a year. */
const MOST_STEPS = 100_000;
const MOST_ZONES = 200;

const spansByKey = new Map<string, readonly OffsetSpan[]>();

/** The zone's offsets as adjoining spans, the latest first. Rules that cannot be read begin at their start only. */
export function customOffsets(zone: CustomZone): readonly OffsetSpan[] {
  const key = cacheKeys.get(zone) ?? JSON.stringify(zone.observances);
  cacheKeys.set(zone, key);
  const cached = spansByKey.get(key);
  if (cached !== undefined) return cached;
  const offsets = spansOf(zone.observances);
  if (spansByKey.size >= MOST_ZONES) spansByKey.clear();
  spansByKey.set(key, offsets);
  return offsets;
}

const cacheKeys = new WeakMap<CustomZone, string>();

type Onset = { readonly at: number; readonly offset: number; readonly before: number };

function spansOf(observances: readonly Observance[]): OffsetSpan[] {
  const budget = recurrenceBudget(0, MOST_STEPS);
  const onsets = observances
    .flatMap((observance) => onsetsOf(observance, budget))
    .sort((a, b) => a.at - b.at);
  const spans: OffsetSpan[] = [];
  for (const [index, { at, offset }] of onsets.entries()) {
    spans.unshift({ from: at, to: onsets[index + 1]?.at ?? Number.POSITIVE_INFINITY, offset });
  }
  const first = onsets[0];
  // Before the first onset its TZOFFSETFROM holds.
  if (first !== undefined) {
    spans.push({ from: Number.NEGATIVE_INFINITY, to: first.at, offset: first.before });
  }
  return spans;
}

function onsetsOf(
  { start, offsetFrom, offsetTo, rrules, rdates }: Observance,
  budget: RecurrenceBudget,
): Onset[] {
  const localStart = parseLocal(start);
  const locals = rdates.map(parseLocal).filter((local) => local !== undefined);
  if (localStart !== undefined) {
    const from = { localStart, offset: offsetFrom * 1000 };
    locals.push(localStart, ...rrules.flatMap((text) => onsetsOfRule(text, from, budget)));
  }
  return [...new Set(locals)].map((local) => ({
    at: local - offsetFrom * 1000,
    offset: offsetTo * 1000,
    before: offsetFrom * 1000,
  }));
}

function onsetsOfRule(
  text: string,
  { localStart, offset }: { readonly localStart: LocalMs; readonly offset: number },
  budget: RecurrenceBudget,
): LocalMs[] {
  const rule = parseRule(text);
  if (rule === undefined) return [];
  const { until } = rule;
  const lastLocal = until?.form === 'utc' ? until.local + offset : until?.local;
  const window = {
    from: Math.max(localStart, FIRST_ONSET),
    to: LAST_ONSET,
    until: until?.form === 'date' ? until.local + DAY : lastLocal,
  };
  try {
    return expandRule(rule, localStart, window, budget);
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return [];
    throw error;
  }
}
