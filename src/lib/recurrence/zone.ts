/**
 * From wall clocks to instants and back, in IANA zones and in zones of a calendar's own. Where a clock shows a time
 * twice, the first is meant (RFC 5545 §3.3.5). A time the clock skips is read with the offset before the gap, which
 * moves it forward by the gap. Common calendars do that, where RFC 5545 §3.3.10 would drop the time.
 */
import { DAY, dayNumberOf, type LocalMs, parseLocal } from './civil.ts';
import type { CustomZone, Observance, Zone } from './event-time.ts';
import { expandRule, type RecurrenceBudget, RecurrenceBudgetError, recurrenceBudget } from './expand-rule.ts';
import { parseRule } from './rule.ts';

/**
 * The most by which the distance of two instants can differ from that of their local times: every offset is less than
 * a day east or west of UTC.
 */
export const MOST_BETWEEN_CLOCKS = 2 * DAY;

/** Asking Temporal takes a hundred times as long as looking here. */
const spansByZone = new Map<string, OffsetSpan[]>();
const MOST_SPANS = 400;

/** Milliseconds east of UTC at an instant. */
export function offsetAt(zone: Zone, instant: number): number {
  if (zone === 'UTC') return 0;
  if (typeof zone !== 'string') return spanIn(customOffsets(zone), instant)?.offset ?? 0;
  let spans = spansByZone.get(zone);
  if (spans === undefined) {
    spans = [];
    spansByZone.set(zone, spans);
  }
  const cached = spanIn(spans, instant);
  if (cached !== undefined) return cached.offset;
  const span = askTemporal(zone, instant);
  if (spans.length >= MOST_SPANS) spans.length = 0;
  spans.unshift(span);
  return span.offset;
}

export function instantOfLocal(zone: Zone, local: LocalMs): number {
  if (zone === 'UTC') return local;
  const before = offsetAt(zone, local - DAY);
  const after = offsetAt(zone, local + DAY);
  const first = local - Math.max(before, after);
  const second = local - Math.min(before, after);
  if (first + offsetAt(zone, first) === local) return first;
  if (second + offsetAt(zone, second) === local) return second;
  return local - before;
}

export function localOfInstant(zone: Zone, instant: number): LocalMs {
  return instant + offsetAt(zone, instant);
}

/** The zone's name as Temporal spells it, in any case; `undefined` for an unknown one. */
export function ianaZone(name: string): string | undefined {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
  const lower = name.toLowerCase();
  if (UTC_NAMES.has(lower)) return 'UTC';
  const zoneName = namesByLowerCase.get(lower);
  if (zoneName !== undefined) return zoneName;
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const UTC_NAMES = new Set(['utc', 'z', 'gmt', 'etc/utc', 'etc/gmt', 'zulu', 'etc/zulu', 'universal', 'uct']);
const namesByLowerCase = new Map(
  Intl.supportedValuesOf('timeZone').map((name) => [name.toLowerCase(), name] as const),
);

function spanIn(spans: readonly OffsetSpan[], instant: number): OffsetSpan | undefined {
  for (const span of spans) if (instant >= span.from && instant < span.to) return span;
  return undefined;
}

/** A zone that Temporal does not know (its data may be older than a calendar's) counts as UTC. */
function askTemporal(zone: string, instant: number): OffsetSpan {
  if (ianaZone(zone) === undefined) {
    return { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, offset: 0 };
  }
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(instant)).toZonedDateTimeISO(zone);
  // An instant that is itself a transition begins the span that holds it.
  const from = at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds;
  const to = at.getTimeZoneTransition('next')?.epochMilliseconds;
  return {
    from: from ?? Number.NEGATIVE_INFINITY,
    to: to ?? Number.POSITIVE_INFINITY,
    offset: at.offsetNanoseconds / 1_000_000,
  };
}

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
