/**
 * Splitting a series before one of its instances: what the new series is, what becomes of the exceptions from there on,
 * and where the old one ends. Decisions only. The old series ends at the original start of that instance, never at the
 * new one, which may be later and would show the instance twice.
 */
import type { CalendarEvent } from '../calendars/event.ts';
import type { EventChange, EventDraft } from '../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../calendars/unsupported.ts';
import { instantOf, localOf, localOn, originalStartOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import { expandRule } from '../lib/recurrence/expand-rule.ts';
import { masterClock } from '../lib/recurrence/master-clock.ts';
import { recurrenceBudget } from '../lib/recurrence/recurrence-budget.ts';
import { present } from './event-input.ts';
import type { Times } from './event-times.ts';
import { justBefore, shifted, shiftedRecurrence, withoutEnd, withUntil } from './shift-series.ts';

/** As JSON in the journal. */
export type SplitPlan = {
  readonly seriesHref: string;
  /** Of the old series and its exceptions, where those are resources of their own, when the plan was made. */
  readonly hrefs: readonly string[];
  readonly calendarZone: string;
  /** The original start of the first instance that is split off. */
  readonly at: EventTime;
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

/** A changed instance of the new series. */
export type Exception = { readonly instance: EventTime; readonly change: EventChange };

export type Wanted = {
  /** What the request changes beside times and rules. */
  readonly words: EventChange;
  /** When the first instance of the new series takes place. */
  readonly times: Times;
  /** Whether the request says so itself, rather than the rule. */
  readonly moved: boolean;
  /** A rule that takes the place of the series' own. */
  readonly rule: string | undefined;
};

type Series = { readonly master: CalendarEvent; readonly overrides: readonly CalendarEvent[] };

/** Throws UnsupportedByProvider for a series with an override for all later instances. */
export function planSplit(
  { master, overrides }: Series,
  at: EventTime,
  wanted: Wanted,
  context: Pick<SplitPlan, 'seriesHref' | 'hrefs' | 'calendarZone' | 'key'>,
): SplitPlan {
  if (overrides.some(({ thisAndFuture }) => thisAndFuture)) {
    const message =
      'The series has a change for all later instances already, made by another program: change it as a whole';
    throw new UnsupportedByProvider('mode_not_supported_by_provider', message, 'updateMode');
  }
  const { calendarZone } = context;
  const { words, times } = wanted;
  const rules = laterRules(master, at, wanted, calendarZone);
  const later = overrides.filter((event) => isFrom(event, master, at, calendarZone));
  const rebased = (time: EventTime) => shifted(time, at, times.start, calendarZone);
  const gone = later.filter(({ status }) => status === 'cancelled');
  const cancelled = gone.flatMap(({ recurrenceId }) =>
    recurrenceId === undefined ? [] : rebased(recurrenceId),
  );
  return {
    ...context,
    at,
    from: fingerprintOf({ master, overrides }, at, calendarZone),
    draft: {
      ...draftLike(master, words),
      ...times,
      ...(rules === undefined ? {} : { recurrence: { ...rules, exdates: [...rules.exdates, ...cancelled] } }),
    },
    exceptions: later
      .filter((event) => !gone.includes(event))
      .flatMap((event) => exceptionOf(event, master, { at, wanted, rebased, calendarZone })),
    cancelled: [...(rules?.exdates ?? []), ...cancelled],
    trimmed: trimmedRules(master, at, calendarZone),
  };
}

/** The rules of a series that is to end before the instance that begins at `at`. */
export function trimmedRules(master: CalendarEvent, at: EventTime, calendarZone: string): Recurrence {
  const { rrules, rdates, exdates } = rulesOf(master);
  const clock = masterClock({ ...master, payload: undefined }, calendarZone);
  const split = localOf(at);
  const isEarlier = (time: EventTime) =>
    localOn(at, originalStartOf(master.start, time, calendarZone), calendarZone) < split;
  return {
    // A rule that ends before anyway keeps its own end.
    rrules: rrules.map((rule, i) => {
      const until = clock.unsupported ? undefined : clock.rules[i]?.until;
      return until !== undefined && until < split
        ? rule
        : withUntil(rule, justBefore(at, calendarZone), calendarZone);
    }),
    rdates: rdates.filter(({ start }) => isEarlier(start)),
    exdates: exdates.filter(isEarlier),
  };
}

/** Whether no rule of the series names `at` or anything later. */
export function isTrimmed(master: CalendarEvent, at: EventTime, calendarZone: string): boolean {
  const { rules } = masterClock({ ...master, payload: undefined }, calendarZone);
  const split = localOf(at);
  const rdates = rulesOf(master).rdates.map(({ start }) => localOn(at, start, calendarZone));
  return (
    rules.every(({ until }) => until !== undefined && until < split) && rdates.every((local) => local < split)
  );
}

/** What a plan depends on, as text: the times and rules of the series, and its exceptions from there on. */
export function fingerprintOf({ master, overrides }: Series, at: EventTime, calendarZone: string): string {
  const instant = (time: EventTime) => instantOf(time, calendarZone);
  const { rrules, rdates, exdates } = rulesOf(master);
  const later = overrides
    .filter((event) => isFrom(event, master, at, calendarZone))
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

/** Whether an override is of that instance or a later one. */
export function isFrom(
  event: CalendarEvent,
  master: CalendarEvent,
  at: EventTime,
  calendarZone: string,
): boolean {
  if (event.recurrenceId === undefined) return false;
  const own = originalStartOf(master.start, event.recurrenceId, calendarZone);
  return instantOf(own, calendarZone) >= instantOf(at, calendarZone);
}

const rulesOf = ({ recurrence }: CalendarEvent): Recurrence =>
  recurrence ?? { rrules: [], rdates: [], exdates: [] };

/** What is left of the rules from `at` on, moved with it: COUNT is reduced, UNTIL kept. `undefined` when nothing is. */
function laterRules(
  master: CalendarEvent,
  at: EventTime,
  { times, rule }: Wanted,
  calendarZone: string,
): Recurrence | undefined {
  const { rrules, rdates, exdates } = rulesOf(master);
  const clock = masterClock({ ...master, payload: undefined }, calendarZone);
  const split = localOf(at);
  const isLater = (time: EventTime) =>
    localOn(at, originalStartOf(master.start, time, calendarZone), calendarZone) >= split;
  const left = rrules.flatMap((text, i) => {
    const own = clock.rules[i];
    if (own === undefined || (own.until !== undefined && own.until < split)) return [];
    if (own.rule.count === undefined) return [text];
    const before = startsBefore(own.rule, clock.startLocal, split);
    return own.rule.count > before ? [`${withoutEnd(text)};COUNT=${own.rule.count - before}`] : [];
  });
  const kept = shiftedRecurrence(
    { rrules: left, rdates: rdates.filter(({ start }) => isLater(start)), exdates: exdates.filter(isLater) },
    at,
    times.start,
    calendarZone,
  );
  const rules = rule === undefined ? kept : { ...kept, rrules: [rule], rdates: [] };
  return rules.rrules.length + rules.rdates.length === 0 ? undefined : rules;
}

/** How many starts of the rule COUNT has counted before `split`: the series' own counts even where it is not named. */
function startsBefore(rule: Parameters<typeof expandRule>[0], start: number, split: number): number {
  const budget = recurrenceBudget(0, 20_000_000);
  const starts = expandRule(rule, start, { from: start, to: split }, budget);
  return starts.length + (starts[0] === start ? 0 : 1);
}

/** The words of the new series: the old one's, with what the request changes. */
function draftLike(
  master: CalendarEvent,
  words: EventChange,
): Omit<EventDraft, 'start' | 'end' | 'recurrence'> {
  const {
    title,
    description,
    location,
    color,
    conference,
    custom,
    status,
    availability,
    privacy,
    attendees,
  } = master;
  const kept = {
    title,
    description,
    location,
    color,
    conference,
    custom,
    status,
    availability,
    privacy,
    attendees,
  };
  const { autoConference, ...rest } = words;
  const merged = { ...kept, ...rest };
  return {
    title: merged.title,
    ...present({
      description: merged.description ?? undefined,
      location: merged.location ?? undefined,
      color: merged.color ?? undefined,
      conference: autoConference ? undefined : (merged.conference ?? undefined),
      custom: merged.custom ?? undefined,
    }),
    status: merged.status ?? undefined,
    availability: merged.availability ?? undefined,
    privacy: merged.privacy ?? undefined,
    attendees: merged.attendees ?? undefined,
    autoConference: autoConference === true,
  };
}

const WORDS = [
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
] as const;

type Rebasing = {
  readonly at: EventTime;
  readonly wanted: Wanted;
  readonly rebased: (time: EventTime) => EventTime;
  readonly calendarZone: string;
};

/** An override in the new series: what it has of its own, unless the request says otherwise for all. */
function exceptionOf(
  event: CalendarEvent,
  master: CalendarEvent,
  { at, wanted, rebased, calendarZone }: Rebasing,
): Exception[] {
  if (event.recurrenceId === undefined) return [];
  const original = originalStartOf(master.start, event.recurrenceId, calendarZone);
  const own = WORDS.filter(
    (name) =>
      wanted.words[name] === undefined && JSON.stringify(event[name]) !== JSON.stringify(master[name]),
  );
  const words: EventChange = Object.fromEntries(own.map((name) => [name, event[name] ?? null]));
  const isFirst = instantOf(original, calendarZone) === instantOf(at, calendarZone);
  const hasOwnTimes = !isUsual(event, original, master, calendarZone) && !(isFirst && wanted.moved);
  const sameKind = event.start.type === wanted.times.start.type;
  const times = hasOwnTimes && sameKind ? { start: event.start, end: event.end } : {};
  const change = { ...words, ...times };
  return Object.keys(change).length === 0 ? [] : [{ instance: rebased(original), change }];
}

/** Whether the override takes place when its series says: as long by the clock, or exactly, over a DST change. */
function isUsual(
  event: CalendarEvent,
  original: EventTime,
  master: CalendarEvent,
  calendarZone: string,
): boolean {
  const exact = (times: Times) => instantOf(times.end, calendarZone) - instantOf(times.start, calendarZone);
  const byClock = (times: Times) => localOn(times.start, times.end, calendarZone) - localOf(times.start);
  const isAtStart = instantOf(event.start, calendarZone) === instantOf(original, calendarZone);
  return isAtStart && (exact(event) === exact(master) || byClock(event) === byClock(master));
}
