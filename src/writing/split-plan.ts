/**
 * Plans a split before an occurrence: the new series, later exceptions, and the end of the old series. That is the
 * occurrence's original start, because its new one may be later and would show it twice.
 */
import { randomBytes } from 'node:crypto';

import type { CalendarEvent, EventResource } from '../calendars/event.ts';
import type { LaterException, LaterHalf, WriteTarget } from '../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../calendars/provider-error.ts';
import { type Mistake, refuseMistakes } from '../http/fields.ts';
import { jsonIn } from '../lib/json.ts';
import { isSameStart, isSameTimeType, toInstant, toOriginalStart } from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import { endLasting, measureLength } from '../lib/recurrence/master-clock.ts';
import { createShift, isUsual, type SeriesShift } from '../lib/recurrence/shift-series.ts';
import type { EventDetailsInput, EventInput } from './event-input.ts';
import { type Following, findInstanceTimes } from './event-scope.ts';
import { changedTimes, type Times } from './event-times.ts';
import { newRule } from './recurrence-input.ts';
import {
  type Cut,
  effectiveAmong,
  goesOnBesides,
  hasInstances,
  laterRules,
  mistakesOfOtherDays,
  readRules,
  ruleText,
  shiftedRules,
  shiftedTime,
  trimmedRules,
} from './series-rules.ts';

/** A plan, stored as JSON in the journal: see readPlan. */
export type SplitPlan = Cut & {
  readonly seriesHref: string;
  /** The hrefs of the old series and of its exceptions that are separate resources. */
  readonly hrefs: readonly string[];
  /** Identifies the state of the old series. */
  readonly from: string;
  /** Identifies the new series at the provider. */
  readonly key: string;
  /** The new series. Plans of earlier releases lack it. */
  readonly later?: NewHalf;
  /** The rules of the old series, which end before `at`. */
  readonly trimmed: Recurrence;
  /** The href of the new series, once it exists. */
  readonly newHref?: string;
  /** The attendees of the new series: see `copyLater`. */
  readonly invitations?: unknown;
};

export type SplitRequest = {
  readonly input: EventInput;
  readonly scope: Following;
  /** The whole series in the mirror's version. */
  readonly target: WriteTarget;
};

/** The parts of LaterHalf that are not fields of the plan. */
export type NewHalf = Omit<LaterHalf, 'key' | 'at'>;

export type NewSeries = {
  readonly details: EventDetailsInput;
  /** The times of its first occurrence. */
  readonly times: Times;
  /** Whether the request sets them, rather than the rule. */
  readonly moved: boolean;
  /** A rule that replaces the series' rules. */
  readonly rule: string | undefined;
};

export type Series = { readonly master: CalendarEvent; readonly overrides: readonly CalendarEvent[] };

/** Returns `undefined` if the master is not among the resources. */
export function seriesIn(resources: readonly EventResource[]): Series | undefined {
  const events = resources.flatMap((resource) => resource.events);
  const master = events.find(({ recurrenceId }) => recurrenceId === undefined);
  return master && { master, overrides: events.filter(({ recurrenceId }) => recurrenceId !== undefined) };
}

/** Parses a plan; returns `undefined` for other text. Plans of earlier releases may lack `later`. */
export function readPlan(text: string): SplitPlan | undefined {
  const plan = jsonIn(text);
  if (typeof plan !== 'object' || plan === null) return undefined;
  const { seriesHref, key, from, calendarZone, hrefs, at, trimmed }: Record<string, unknown> = { ...plan };
  const hasTexts = [seriesHref, key, from, calendarZone].every((value) => typeof value === 'string');
  const hasParts = [hrefs, at, trimmed].every((value) => typeof value === 'object' && value !== null);
  // Only splitSeries writes plans. With these fields, the rest has the shape of its release.
  return hasTexts && hasParts ? (plan as SplitPlan) : undefined;
}

/** Plans an update with `following`. Throws 400, and the errors of planSplit. */
export function planFollowing({ input, scope, target }: SplitRequest, calendarZone: string): SplitPlan {
  const { master, instance } = scope;
  const at = instance.originalStart;
  // Uses the series' times, because a changed occurrence says nothing about later ones.
  const current = findInstanceTimes({ ...instance, override: undefined }, calendarZone);
  const requested = changedTimes(input, current, { calendarZone, recurs: true });
  const times = requested.value ?? current;
  const { value: recurrence, mistakes } = newRule(input.recurrence, master.event, calendarZone);
  const rule = ruleText({ recurrence, timeZone: input.timeZone }, times.start, calendarZone);
  const shift = createShift(master.event, { before: at, after: times.start, floatingZone: calendarZone });
  const otherDays = input.recurrence === undefined ? mistakesOfOtherDays(master.event, shift) : [];
  refuseMistakes([
    ...mistakesOfHalf(scope, input, { current, calendarZone }),
    ...requested.mistakes,
    ...mistakes,
    ...rule.mistakes,
    ...otherDays,
  ]);
  const series = seriesIn(target.stored);
  if (series === undefined) throw new Error('The series to split has no master');
  const newSeries = { details: input.details, times, moved: requested.value !== undefined, rule: rule.value };
  const hrefs = target.stored.map(({ href }) => href);
  const key = randomBytes(16).toString('hex');
  return planSplit(series, newSeries, { seriesHref: master.href, hrefs, key, at, calendarZone });
}

/** Returns a mistake if a request has only one end of an occurrence that does not have its series' times. */
function mistakesOfHalf(
  { instance: { override } }: Following,
  { start, end }: EventInput,
  { current, calendarZone }: { readonly current: Times; readonly calendarZone: string },
): Mistake[] {
  if (override === undefined || (start === undefined) === (end === undefined)) return [];
  const isUsualThen = isUsual({ ...override.event, original: current.start }, current, calendarZone);
  const problem =
    'is required as well: this occurrence was moved, and its times differ from those of the later ones';
  return isUsualThen ? [] : [{ field: start === undefined ? 'start' : 'end', problem }];
}

/** Throws UnsupportedByProvider for an override for all later occurrences, or a rule as in goesOnBesides. */
function planSplit(
  series: Series,
  newSeries: NewSeries,
  place: Pick<SplitPlan, 'seriesHref' | 'hrefs' | 'key' | keyof Cut>,
): SplitPlan {
  const { master, overrides } = series;
  if (overrides.some(({ thisAndFuture }) => thisAndFuture)) {
    const message = 'Another program has changed all later occurrences of the series: change it as a whole';
    throw new UnsupportedByProvider('mode_not_supported_by_provider', message, 'updateMode');
  }
  if (newSeries.rule === undefined && goesOnBesides(master, place)) {
    const message =
      'The recurrence rule of the series does not include this occurrence, so the series cannot continue from it: change only this occurrence, start at one in the rule, or send a recurrence';
    throw new UnsupportedByProvider('mode_not_supported_by_provider', message, 'updateMode');
  }
  const { details, times } = newSeries;
  const { at, calendarZone: floatingZone } = place;
  const shift = createShift(master, { before: at, after: times.start, floatingZone });
  const rules = newRules(laterRules(master, place), shift, newSeries.rule);
  const effective = effectiveAmong(
    master.start,
    overrides.map((event) => ({ event })),
    place.calendarZone,
  );
  const later = effective.map(({ item }) => item.event).filter((event) => isFrom(event, master, place));
  const placed = placedIn({ later, master }, { newSeries, shift, rules });
  const cancelled = placed
    .filter(({ event }) => event.status === 'cancelled')
    .map(({ instance }) => instance);
  const recurrence = rules && { ...rules, exdates: [...rules.exdates, ...cancelled] };
  const changed = placed.filter(({ event }) => event.status !== 'cancelled');
  return {
    ...place,
    from: fingerprintSeries(series, place),
    later: {
      change: { ...details, ...times, recurrence: recurrence ?? null },
      exceptions: changed.map((exception) => laterException(exception, master, { newSeries, shift })),
      cancelled: [...(rules?.exdates ?? []), ...cancelled],
    },
    trimmed: trimmedRules(master, place),
  };
}

/** Returns `undefined` if the rules have nothing left. */
function newRules(later: Recurrence, shift: SeriesShift, rule: string | undefined): Recurrence | undefined {
  const shifted = shiftedRules(later, shift);
  const rules = rule === undefined ? shifted : { ...shifted, rrules: [rule], rdates: [] };
  return rules.rrules.length + rules.rdates.length === 0 ? undefined : rules;
}

/** Returns the facts that a plan depends on: times, rules, and later exceptions (cancelled ones without content). */
export function fingerprintSeries({ master, overrides }: Series, cut: Cut): string {
  const instant = (time: EventTime) => toInstant(time, cut.calendarZone);
  const { rrules, rdates, exdates } = readRules(master);
  const later = overrides
    .filter((event) => isFrom(event, master, cut))
    .map((event) => {
      const original = instant(event.recurrenceId ?? event.start);
      if (event.status === 'cancelled') return [original, event.status];
      const times = [original, instant(event.start), instant(event.end)];
      return [...times, event.title, event.description ?? '', event.location ?? '', event.status];
    });
  return JSON.stringify([
    instant(master.start),
    instant(master.end),
    rrules,
    rdates.map(({ start }) => instant(start)).sort((a, b) => a - b),
    exdates.map(instant).sort((a, b) => a - b),
    later.sort(([a], [b]) => Number(a) - Number(b)),
  ]);
}

/** Returns whether an override belongs to the cut's occurrence or a later one. */
export function isFrom(event: CalendarEvent, master: CalendarEvent, { at, calendarZone }: Cut): boolean {
  if (event.recurrenceId === undefined) return false;
  const originalStart = toOriginalStart(master.start, event.recurrenceId, calendarZone);
  return toInstant(originalStart, calendarZone) >= toInstant(at, calendarZone);
}

type Continuation = { readonly newSeries: NewSeries; readonly shift: SeriesShift };

/** An exception of the old series, with its original starts in both. */
type PlacedException = {
  readonly event: CalendarEvent;
  /** In the type and zone of the old series. */
  readonly original: EventTime;
  /** In the type and zone of the new series. */
  readonly instance: EventTime;
};

/** Returns the exceptions with an occurrence in the new series; those outside the old rules need none. */
function placedIn(
  { later, master }: { readonly later: readonly CalendarEvent[]; readonly master: CalendarEvent },
  { newSeries, shift, rules }: Continuation & { readonly rules: Recurrence | undefined },
): PlacedException[] {
  const placed = later.flatMap((event): PlacedException[] => {
    if (event.recurrenceId === undefined) return [];
    const original = toOriginalStart(master.start, event.recurrenceId, shift.floatingZone);
    return [{ event, original, instance: shiftedTime(original, shift) }];
  });
  if (rules === undefined || (newSeries.rule === undefined && !shift.byMonth)) return placed;
  const starts = placed.map(({ instance }) => instance);
  const isNamed = hasInstances({ start: newSeries.times.start, rules }, starts, shift.floatingZone);
  if (newSeries.rule !== undefined) return placed.filter(({ instance }) => isNamed(instance));
  const originals = placed.map(({ original }) => original);
  const old = { start: master.start, rules: readRules(master) };
  const wasNamed = hasInstances(old, originals, shift.floatingZone);
  return placed.filter(({ original, instance }) => isNamed(instance) || !wasNamed(original));
}

/** Returns an exception in the new series. If it was moved by hand, it keeps its time. */
function laterException(
  { event, original, instance }: PlacedException,
  master: CalendarEvent,
  continuation: Continuation,
): LaterException {
  const zone = continuation.shift.floatingZone;
  const recurrenceId = event.recurrenceId ?? original;
  if (!hasOwnTimes({ event, original, instance }, master, continuation)) return { recurrenceId, instance };
  const isAtStart = isSameStart(event.start, original, zone);
  const times = isAtStart
    ? { start: instance, end: endLike(event, instance, zone) }
    : { start: event.start, end: event.end };
  return { recurrenceId, instance, times };
}

/** Returns whether the exception has its own times and keeps them in the new series. */
function hasOwnTimes(
  { event, original }: PlacedException,
  master: CalendarEvent,
  { newSeries, shift: { before, floatingZone } }: Continuation,
): boolean {
  const isFirst = toInstant(original, floatingZone) === toInstant(before, floatingZone);
  const isMoved = !isUsual({ ...event, original }, master, floatingZone) && !(isFirst && newSeries.moved);
  // If only the series changes between times and dates, the position of its exceptions is unknown.
  const { start } = newSeries.times;
  return isMoved && (isSameTimeType(master.start, start) || isSameTimeType(event.start, start));
}

/** Returns the end that gives `start` the length of `times`. */
const endLike = (times: Times, start: EventTime, calendarZone: string): EventTime =>
  endLasting(start, measureLength(times.start, times.end, calendarZone), calendarZone);
