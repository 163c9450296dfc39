/**
 * Converts wall-clock times to instants and back, in IANA zones and in zones that a calendar defines. If a clock shows
 * a time twice, the first is meant (RFC 5545 §3.3.5). A skipped time is read with the offset before the gap, which
 * moves it forward by the gap. Common calendars do that, although RFC 5545 §3.3.10 would drop the time.
 */
import { DAY, type LocalMs } from './civil.ts';
import { customOffsets, type OffsetSpan, placeIn, spanIn } from './custom-zone.ts';
import type { Zone } from './event-time.ts';

/**
 * The largest difference between the distance of two instants and that of their local times: every offset is less than
 * a day east or west of UTC.
 */
export const MOST_BETWEEN_CLOCKS = 2 * DAY;

/** The offset spans by zone, in order. Asking Temporal takes a hundred times as long as this map. */
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

export function localOfInstant(zone: Zone, instant: number): LocalMs {
  return instant + offsetAt(zone, instant);
}

/** Returns the zone's name as Temporal spells it, in any case; `undefined` for an unknown one. */
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
