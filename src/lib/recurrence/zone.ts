/**
 * Converts wall-clock times to instants and back, in IANA zones and in zones that a calendar defines. If a clock shows
 * a time twice, the first is meant (RFC 5545 §3.3.5). A skipped time is read with the offset before the gap, which
 * moves it forward by the gap. Common calendars do that, although RFC 5545 §3.3.10 would drop the time.
 */
import { DAY, type LocalMs, parseLocal, toDayNumber } from './civil.ts';
import type { CustomZone, Observance, Zone } from './event-time.ts';
import { expandRule, type RecurrenceBudget, RecurrenceBudgetError, recurrenceBudget } from './expand-rule.ts';
import { isExtended, parseRule } from './rule.ts';

/** The most by which two instants' distance differs from that of their local times: offsets are under a day. */
export const MOST_BETWEEN_CLOCKS = 2 * DAY;

/** The offset spans by zone, in order. Calling Temporal takes a hundred times as long as this map. */
const spansByZone = new Map<string, OffsetSpan[]>();
/** Limits the spans of one zone: five centuries with two changes a year. */
const MOST_SPANS = 1000;
let questions = 0;

/** Returns milliseconds east of UTC at an instant. */
export function offsetAt(zone: Zone, instant: number): number {
  if (zone === 'UTC') return 0;
  if (typeof zone !== 'string') return spanIn(customOffsets(zone), instant)?.offset ?? 0;
  return spanAt(zone, instant).offset;
}

/** Returns the span around an instant in which an IANA zone keeps its offset. */
export function spanAt(zone: string, instant: number): OffsetSpan {
  let spans = spansByZone.get(zone);
  if (spans === undefined) {
    spans = [];
    spansByZone.set(zone, spans);
  }
  const cached = spanIn(spans, instant);
  if (cached !== undefined) return cached;
  const span = askTemporal(zone, instant);
  if (spans.length >= MOST_SPANS) spans.length = 0;
  spans.splice(placeIn(spans, instant) + 1, 0, span);
  return span;
}

/** Returns how often Temporal was called so far, which takes 15 µs each time, for callers that count their cost. */
export const temporalQuestions = (): number => questions;

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

export const localOfInstant = (zone: Zone, instant: number): LocalMs => instant + offsetAt(zone, instant);

/** Returns the zone's name as Temporal spells it, in any case; `undefined` for an unknown one. */
export function ianaZone(name: string): string | undefined {
  if (!/^[A-Za-z][\w+/-]*$/.test(name)) return undefined;
  const lower = name.toLowerCase();
  if (UTC_NAMES.has(lower)) return 'UTC';
  namesByLowerCase ??= new Map(Intl.supportedValuesOf('timeZone').map((one) => [one.toLowerCase(), one]));
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
let namesByLowerCase: ReadonlyMap<string, string> | undefined;

/** A zone that Temporal does not know (its data may be older than a calendar's) counts as UTC. */
function askTemporal(zone: string, instant: number): OffsetSpan {
  questions += 1;
  if (ianaZone(zone) === undefined) {
    return { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, offset: 0 };
  }
  const at = Temporal.Instant.fromEpochMilliseconds(Math.floor(instant)).toZonedDateTimeISO(zone);
  // An instant that is itself a transition begins the span that contains it.
  const from = at.add({ nanoseconds: 1 }).getTimeZoneTransition('previous')?.epochMilliseconds;
  const to = at.getTimeZoneTransition('next')?.epochMilliseconds;
  return {
    from: from ?? Number.NEGATIVE_INFINITY,
    to: to ?? Number.POSITIVE_INFINITY,
    offset: at.offsetNanoseconds / 1_000_000,
  };
}

/** The last offset before this year applies from then on. */
const LAST_ONSET = toDayNumber(2150, 1, 1) * DAY;
/** Some programs let rules begin in 1601, but clocks have not changed twice a year before this. */
const FIRST_ONSET = toDayNumber(1900, 1, 1) * DAY;
/** Rules that take more than this are left out: clocks change a few times a year. */
const MOST_STEPS = 50_000;
/** The cost of one onset besides its rule, in steps. */
const STEPS_OF_ONSET = 20;

type KnownZone = {
  readonly spans: readonly OffsetSpan[];
  /** The cost of computing it, as RecurrenceBudget counts it. */
  readonly steps: number;
  /** Characters of its rules as JSON. */
  readonly size: number;
};

const knownByRules = new Map<string, KnownZone>();
const knownByZone = new WeakMap<CustomZone, KnownZone>();
/** Limits the weight of characters and spans in memory: about 5 MB. */
const MOST_WEIGHT = 1_000_000;
const WEIGHT_OF_SPAN = 30;
let weight = 0;
let reckonedSteps = 0;

/** Returns the zone's offsets as adjoining spans in order. Rules that cannot be parsed apply only at their start. */
export const customOffsets = (zone: CustomZone): readonly OffsetSpan[] => computeZone(zone).spans;

/** Returns how many characters the zone takes as JSON, wherever a time in it is stored. */
export const sizeOfZone = (zone: CustomZone): number => computeZone(zone).size + zone.tzid.length;

/** Returns the cost of computing the zone's offsets, in steps of a RecurrenceBudget, even if they are already known. */
export const costOfZone = (zone: CustomZone): number => computeZone(zone).steps;

/** Returns the actual cost now: zero for a zone that was used before, little for rules that were. */
export function stepsToKnow(zone: CustomZone): number {
  if (knownByZone.has(zone)) return 0;
  const before = reckonedSteps;
  const { size } = computeZone(zone);
  return Math.ceil(size / 20) + reckonedSteps - before;
}

function computeZone(zone: CustomZone): KnownZone {
  const before = knownByZone.get(zone);
  if (before !== undefined) return before;
  const key = JSON.stringify(zone.observances);
  const zoneOfRules = knownByRules.get(key) ?? remember(key, reckon(zone.observances, key.length));
  knownByZone.set(zone, zoneOfRules);
  return zoneOfRules;
}

function remember(key: string, zone: KnownZone): KnownZone {
  const added = key.length + zone.spans.length * WEIGHT_OF_SPAN;
  if (weight + added > MOST_WEIGHT) {
    knownByRules.clear();
    weight = 0;
  }
  weight += added;
  knownByRules.set(key, zone);
  return zone;
}

function reckon(observances: readonly Observance[], size: number): KnownZone {
  const budget = recurrenceBudget(0, MOST_STEPS);
  const spans = buildSpans(observances, budget);
  const steps = MOST_STEPS - Math.max(0, budget.steps) + Math.ceil(size / 20);
  reckonedSteps += steps;
  return { spans, steps, size };
}

type Onset = { readonly at: number; readonly offset: number; readonly before: number };

function buildSpans(observances: readonly Observance[], budget: RecurrenceBudget): OffsetSpan[] {
  const onsets = observances
    .flatMap((observance) => listOnsets(observance, budget))
    .sort((a, b) => a.at - b.at);
  const [first] = onsets;
  if (first === undefined) return [];
  // Before the first onset its TZOFFSETFROM applies.
  const before = { from: Number.NEGATIVE_INFINITY, to: first.at, offset: first.before };
  const spans = onsets.map(({ at, offset }, index) => ({
    from: at,
    to: onsets[index + 1]?.at ?? Number.POSITIVE_INFINITY,
    offset,
  }));
  return [before, ...spans];
}

function listOnsets(
  { start, offsetFrom, offsetTo, rrules, rdates }: Observance,
  budget: RecurrenceBudget,
): Onset[] {
  const localStart = parseLocal(start);
  const locals = new Set(rdates.map(parseLocal).filter((local) => local !== undefined));
  if (localStart !== undefined) {
    const from = { localStart, offset: offsetFrom * 1000 };
    locals.add(localStart);
    for (const text of rrules) for (const local of onsetsOfRule(text, from, budget)) locals.add(local);
  }
  budget.steps -= locals.size * STEPS_OF_ONSET;
  return [...locals].map((local) => ({
    at: local - offsetFrom * 1000,
    offset: offsetTo * 1000,
    before: offsetFrom * 1000,
  }));
}

function onsetsOfRule(
  text: string,
  { localStart, offset }: { readonly localStart: LocalMs; readonly offset: number },
  budget: RecurrenceBudget,
): readonly LocalMs[] {
  const rule = budget.steps > 0 ? parseRule(text) : undefined;
  // Clocks change on days of the Gregorian calendar.
  if (rule === undefined || isExtended(rule)) return [];
  const { until } = rule;
  const lastLocal = until?.form === 'utc' ? until.local + offset : until?.local;
  const window = {
    from: Math.max(localStart, FIRST_ONSET),
    to: LAST_ONSET,
    until: until?.form === 'date' ? until.local + DAY - 1 : lastLocal,
  };
  try {
    return expandRule(rule, localStart, window, budget);
  } catch (error) {
    if (error instanceof RecurrenceBudgetError) return [];
    throw error;
  }
}

/** from <= instant < to, epoch milliseconds; `offset` is milliseconds east of UTC. */
export type OffsetSpan = { readonly from: number; readonly to: number; readonly offset: number };

/** Returns the span that contains the instant. The spans are ordered and do not overlap. */
export function spanIn(spans: readonly OffsetSpan[], instant: number): OffsetSpan | undefined {
  const span = spans[placeIn(spans, instant)];
  return span !== undefined && instant < span.to ? span : undefined;
}

/** Returns the index of the last span that does not begin after the instant; -1 if all do. */
export function placeIn(spans: readonly OffsetSpan[], instant: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.from ?? 0) <= instant) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
