/**
 * Splitting a series before one of its instances: what the new series is, what becomes of the exceptions from there on,
 * and where the old one ends. Decisions only. The old series ends at the original start of that instance, never at the
 * new one, which may be later and would show the instance twice.
 */
import { randomBytes } from 'node:crypto';

import type { CalendarEvent, EventResource } from '../calendars/event.ts';
import type { EventChange, EventDraft, WriteTarget } from '../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../calendars/provider-error.ts';
import { refuseMistakes } from '../http/request-fields.ts';
import { instantOf, localOf, localOn, originalStartOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import { type SeriesShift, shiftWithSeries } from '../lib/recurrence/shift-series.ts';
import { draftDetails } from './event-draft.ts';
import type { EventDetailsInput, EventInput } from './event-input.ts';
import { type Following, timesOf } from './event-scope.ts';
import { changedTimes, type Times } from './event-times.ts';
import {
  type Cut,
  laterRules,
  mistakesOfOtherDays,
  rulesOf,
  ruleText,
  shiftedRules,
  trimmedRules,
} from './series-rules.ts';

/** Kept as JSON in the journal. */
export type SplitPlan = Cut & {
  readonly seriesHref: string;
  /** Of the old series and its exceptions, where those are resources of their own, when the plan was made. */
  readonly hrefs: readonly string[];
  /** What the plan was made from: see fingerprintOf. */
  readonly from: string;
  /** For EventWriting.create. */
  readonly key: string;
  readonly draft: EventDraft;
  readonly exceptions: readonly Exception[];
  /** Starts of the new series that do not take place. */
  readonly cancelled: readonly EventTime[];
  /** The rules of the old series, which end before `at`. */
  readonly trimmed: Recurrence;
  /** Of the new series, once it is there. */
  readonly newHref?: string;
};

/** An update with `following`. */
export type SplitRequest = {
  readonly input: EventInput;
  readonly scope: Following;
  /** The whole series, of the version that the mirror has. */
  readonly target: WriteTarget;
};

/** A changed instance of the new series. */
export type Exception = { readonly instance: EventTime; readonly change: EventChange };

/** What the request wants of the new series. */
export type NewSeries = {
  readonly details: EventDetailsInput;
  /** When its first instance takes place. */
  readonly times: Times;
  /** Whether the request says so itself, rather than the rule. */
  readonly moved: boolean;
  /** A rule that takes the place of the series' own. */
  readonly rule: string | undefined;
};

export type Series = { readonly master: CalendarEvent; readonly overrides: readonly CalendarEvent[] };

/** `undefined` when the master is not among them. */
export function seriesIn(resources: readonly EventResource[]): Series | undefined {
  const events = resources.flatMap((resource) => resource.events);
  const master = events.find(({ recurrenceId }) => recurrenceId === undefined);
  return master && { master, overrides: events.filter(({ recurrenceId }) => recurrenceId !== undefined) };
}

/** Plans an update with `following`. Throws 400, and what planSplit throws. */
export function planOf({ input, scope, target }: SplitRequest, calendarZone: string): SplitPlan {
  const { master, instance } = scope;
  const at = instance.originalStart;
  const requested = changedTimes(input, timesOf(instance, calendarZone), { calendarZone, recurs: true });
  const times = requested.value ?? timesOf({ ...instance, override: undefined }, calendarZone);
  const rule = ruleText(input, times.start, calendarZone);
  const shift = { before: at, after: times.start, floatingZone: calendarZone };
  const otherDays = rule.value === undefined ? mistakesOfOtherDays(master.event, shift) : [];
  refuseMistakes([...requested.mistakes, ...rule.mistakes, ...otherDays]);
  const series = seriesIn(target.stored);
  if (series === undefined) throw new Error('A series was to be split that has no master');
  const newSeries = { details: input.details, times, moved: requested.value !== undefined, rule: rule.value };
  const hrefs = target.stored.map(({ href }) => href);
  const key = randomBytes(16).toString('hex');
  return planSplit(series, newSeries, { seriesHref: master.href, hrefs, key, at, calendarZone });
}

/** Throws UnsupportedByProvider for a series with an override for all later instances. */
function planSplit(
  series: Series,
  newSeries: NewSeries,
  place: Pick<SplitPlan, 'seriesHref' | 'hrefs' | 'key' | keyof Cut>,
): SplitPlan {
  const { master, overrides } = series;
  if (overrides.some(({ thisAndFuture }) => thisAndFuture)) {
    const message =
      'The series has a change for all later instances already, made by another program: change it as a whole';
    throw new UnsupportedByProvider('mode_not_supported_by_provider', message, 'updateMode');
  }
  const { details, times } = newSeries;
  const shift = { before: place.at, after: times.start, floatingZone: place.calendarZone };
  const rules = newRules(laterRules(master, place), shift, newSeries.rule);
  const later = overrides.filter((event) => isFrom(event, master, place));
  const cancelled = later.flatMap(({ status, recurrenceId }) =>
    status === 'cancelled' && recurrenceId !== undefined ? [shiftWithSeries(recurrenceId, shift)] : [],
  );
  return {
    ...place,
    from: fingerprintOf(series, place),
    draft: {
      ...draftDetails({ ...master, ...details }),
      ...times,
      ...(rules === undefined ? {} : { recurrence: { ...rules, exdates: [...rules.exdates, ...cancelled] } }),
    },
    exceptions: later
      .filter(({ status }) => status !== 'cancelled')
      .flatMap((event) => exceptionOf(event, master, { newSeries, shift })),
    cancelled: [...(rules?.exdates ?? []), ...cancelled],
    trimmed: trimmedRules(master, place),
  };
}

/** `undefined` when nothing is left of them. */
function newRules(later: Recurrence, shift: SeriesShift, rule: string | undefined): Recurrence | undefined {
  const shifted = shiftedRules(later, shift);
  const rules = rule === undefined ? shifted : { ...shifted, rrules: [rule], rdates: [] };
  return rules.rrules.length + rules.rdates.length === 0 ? undefined : rules;
}

/** What a plan depends on, as text: the times and rules of the series, and its exceptions from there on. */
export function fingerprintOf({ master, overrides }: Series, cut: Cut): string {
  const instant = (time: EventTime) => instantOf(time, cut.calendarZone);
  const { rrules, rdates, exdates } = rulesOf(master);
  const later = overrides
    .filter((event) => isFrom(event, master, cut))
    .map((event) => [
      instant(event.recurrenceId ?? event.start),
      instant(event.start),
      instant(event.end),
      event.title,
      event.description ?? '',
      event.location ?? '',
      event.status,
    ]);
  return JSON.stringify([
    instant(master.start),
    instant(master.end),
    rrules,
    rdates.map(({ start }) => instant(start)).sort((a, b) => a - b),
    exdates.map(instant).sort((a, b) => a - b),
    later.sort(([a], [b]) => Number(a) - Number(b)),
  ]);
}

/** Whether an override is of the cut's instance or a later one. */
export function isFrom(event: CalendarEvent, master: CalendarEvent, { at, calendarZone }: Cut): boolean {
  if (event.recurrenceId === undefined) return false;
  const originalStart = originalStartOf(master.start, event.recurrenceId, calendarZone);
  return instantOf(originalStart, calendarZone) >= instantOf(at, calendarZone);
}

const DETAILS = [
  'title',
  'description',
  'location',
  'color',
  'conference',
  'custom',
  'status',
  'availability',
  'privacy',
  'attendees',
] as const satisfies readonly (keyof EventDetailsInput)[];

/** An override in the new series: what it has of its own, unless the request says otherwise for all. */
function exceptionOf(
  event: CalendarEvent,
  master: CalendarEvent,
  { newSeries, shift }: { readonly newSeries: NewSeries; readonly shift: SeriesShift },
): Exception[] {
  if (event.recurrenceId === undefined) return [];
  const { before, floatingZone } = shift;
  const original = originalStartOf(master.start, event.recurrenceId, floatingZone);
  const changed = DETAILS.filter(
    (name) =>
      newSeries.details[name] === undefined && JSON.stringify(event[name]) !== JSON.stringify(master[name]),
  );
  const details: EventChange = Object.fromEntries(changed.map((name) => [name, event[name] ?? null]));
  const isFirst = instantOf(original, floatingZone) === instantOf(before, floatingZone);
  const isMoved = !isUsual({ ...event, original }, master, floatingZone) && !(isFirst && newSeries.moved);
  const sameKind = event.start.type === newSeries.times.start.type;
  const times = isMoved && sameKind ? { start: event.start, end: event.end } : {};
  const change = { ...details, ...times };
  return Object.keys(change).length === 0 ? [] : [{ instance: shiftWithSeries(original, shift), change }];
}

/** Whether the override takes place when its series says: as long by the clock, or exactly, over a DST change. */
function isUsual(
  event: Times & { readonly original: EventTime },
  master: Times,
  calendarZone: string,
): boolean {
  const exact = (times: Times) => instantOf(times.end, calendarZone) - instantOf(times.start, calendarZone);
  const byClock = (times: Times) => localOn(times.start, times.end, calendarZone) - localOf(times.start);
  const isAtStart = instantOf(event.start, calendarZone) === instantOf(event.original, calendarZone);
  return isAtStart && (exact(event) === exact(master) || byClock(event) === byClock(master));
}
