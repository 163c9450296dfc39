/** Decides which part of a series a write concerns (docs/wire.md 1.9). */
import type { WriteTarget } from '../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../calendars/provider-error.ts';
import { refuseMistakes } from '../http/fields.ts';
import { jsonIn } from '../lib/json.ts';
import { DAY } from '../lib/recurrence/civil.ts';
import { toInstant, toOriginalStart } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { expand } from '../lib/recurrence/expand.ts';
import { RecurrenceBudgetError, seriesBudget } from '../lib/recurrence/expand-rule.ts';
import { endLasting, lengthOfInstances, masterClock } from '../lib/recurrence/master-clock.ts';
import type { Times } from './event-times.ts';
import type { InstanceTarget, Target } from './find-target.ts';
import { laterRules } from './series-rules.ts';
import type { StoredEvent } from './stored-events.ts';
import type { Mode } from './write-requests.ts';

export type Scope =
  | { readonly of: 'event'; readonly match: StoredEvent }
  /** `namedBy`: the occurrence of the request's id, if that is not the master's. */
  | { readonly of: 'series'; readonly master: StoredEvent; readonly namedBy: InstanceTarget | undefined }
  | { readonly of: 'instance'; readonly instance: InstanceTarget }
  /** This occurrence and all later ones, if earlier ones exist. */
  | { readonly of: 'following'; readonly master: StoredEvent; readonly instance: InstanceTarget };

export type Following = Extract<Scope, { of: 'following' }>;

/** `field` is the request's field for the mode. */
type ScopeRequest = {
  readonly mode: Mode | undefined;
  readonly field: string;
  readonly calendarZone: string;
};

/**
 * Returns the scope of a write. Throws 400 for `this` of a whole series, and 422 for an occurrence whose series is
 * needed but missing, or a split of unsupported rules.
 */
export function chooseScope(target: Target, { mode, field, calendarZone }: ScopeRequest): Scope {
  if (target.kind === 'single') return { of: 'event', match: target.match };
  if (target.kind === 'series') {
    if (mode === 'this')
      refuseMistakes([{ field, problem: 'requires the id of one occurrence of the series as eventId' }]);
    return { of: 'series', master: target.match, namedBy: undefined };
  }
  if (mode === undefined || mode === 'this') return { of: 'instance', instance: target };
  const { master } = target;
  if (master === undefined) {
    const message = 'The calendar has only this occurrence, not its series';
    throw new UnsupportedByProvider('mode_not_supported_by_provider', message, field);
  }
  if (mode === 'following' && isDivided(master, target.originalStart, { field, calendarZone }))
    return { of: 'following', master, instance: target };
  return { of: 'series', master, namedBy: target };
}

/** Returns the target at the provider: for a whole series, without the occurrence that named it. */
export function scopedTarget({ of }: Scope, target: WriteTarget): WriteTarget {
  const { href, etag, stored } = target;
  return of === 'series' ? { href, etag, stored } : target;
}

/** Returns whether earlier occurrences exist, which requires a split. Throws 422 if that is undecidable. */
function isDivided(
  master: StoredEvent,
  at: EventTime,
  { field, calendarZone }: Omit<ScopeRequest, 'mode'>,
): boolean {
  try {
    if (!hasEarlier(master, at, calendarZone)) return false;
    refuseUnfollowable(master, field, calendarZone);
    refuseExceptionRules(master, field);
    // The occurrences that COUNT leaves are counted here for the first time.
    laterRules(master.event, { at, calendarZone });
    return true;
  } catch (error) {
    if (!(error instanceof RecurrenceBudgetError)) throw error;
    const message = 'The series has too many occurrences to be split: change or delete it as a whole';
    throw new UnsupportedByProvider('mode_not_supported_by_provider', message, field);
  }
}

/** Returns whether the series has an earlier occurrence. Throws RecurrenceBudgetError. */
function hasEarlier(
  { event, startsAt }: StoredEvent,
  originalStart: EventTime,
  calendarZone: string,
): boolean {
  const end = toInstant(originalStart, calendarZone);
  const start = Math.min(startsAt, toInstant(event.start, calendarZone));
  const series = { master: { ...event, payload: undefined }, overrides: [] };
  const budget = seriesBudget();
  // The first occurrence is usually at the start, so the window begins small: a rule can have millions of times.
  for (let length = 1; ; length = Math.max(4 * length, DAY)) {
    const window = { start, end: Math.min(start + length, end) };
    const { instances } = expand(series, window, calendarZone, budget);
    if (instances.some((instance) => toInstant(instance.originalStart, calendarZone) < end)) return true;
    if (window.end === end) return false;
  }
}

/** Throws 422 for rules that are not supported or cannot be expressed in a request. */
function refuseUnfollowable({ event }: StoredEvent, field: string, calendarZone: string): void {
  const { unsupported, extended } = masterClock({ ...event, payload: undefined }, calendarZone);
  if (!unsupported && !extended) return;
  const message = `The series has a recurrence rule that ${unsupported ? 'cannot be followed' : 'is below a day or of RFC 7529'}, so it cannot be split: change or delete it as a whole`;
  throw new UnsupportedByProvider('mode_not_supported_by_provider', message, field);
}

/** Throws 422 for EXRULE, which RFC 5545 removed: it is not supported, and both halves would lose it. */
function refuseExceptionRules({ original }: StoredEvent, field: string): void {
  const object = jsonIn(original);
  const { icalendar, recurrence }: Record<string, unknown> =
    typeof object === 'object' && object !== null ? { ...object } : {};
  const texts = [icalendar, ...(Array.isArray(recurrence) ? recurrence : [])];
  if (!texts.some((text) => typeof text === 'string' && /^EXRULE[;:]/im.test(text))) return;
  const message =
    'The series has an exception rule (EXRULE), so it cannot be split: change or delete it as a whole';
  throw new UnsupportedByProvider('mode_not_supported_by_provider', message, field);
}

export function findInstanceTimes(
  { master, originalStart, override }: InstanceTarget,
  calendarZone: string,
): Times {
  if (override !== undefined) return override.event;
  if (master === undefined) throw new Error('An occurrence has no series and no event of its own');
  const instant = toInstant(originalStart, calendarZone);
  const isThis = (start: EventTime) =>
    toInstant(toOriginalStart(master.event.start, start, calendarZone), calendarZone) === instant;
  const period = master.event.recurrence?.rdates.find(({ start, end }) => end !== undefined && isThis(start));
  const length = lengthOfInstances({ ...master.event, payload: undefined }, calendarZone);
  return { start: originalStart, end: period?.end ?? endLasting(originalStart, length, calendarZone) };
}
