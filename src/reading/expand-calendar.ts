/**
 * Finds the recurring events of one calendar that a page can show, from their times alone, on the main thread and in
 * the work pool alike. Each series and each calendar has a separate budget, so that one over it is named and all others
 * are returned (docs/security.md T13).
 */

import type { Timing } from '../calendars/mirrored-event.ts';
import { byBytes } from '../lib/byte-order.ts';
import { instanceIdOf, instantOf } from '../lib/recurrence/event-instant.ts';
import { expand } from '../lib/recurrence/expand.ts';
import { type RecurrenceBudget, RecurrenceBudgetError, spendSteps } from '../lib/recurrence/expand-rule.ts';
import { seriesOf } from '../lib/recurrence/place-of.ts';
import type { Instance, Series, SeriesMaster } from '../lib/recurrence/series.ts';
import type {
  EventContent,
  EventPosition,
  EventWindow,
  MirroredSeries,
  ReadableCalendar,
  RowName,
  SingleEvent,
  SingleName,
} from './event-reader.ts';
import type { LeftOut } from './freshness.ts';

/** The payload of an event is the number of its row: 0 is the master's. */
export type SeriesTimes = Series<number> & { readonly master: SeriesMaster<number> };

/** `timings`: JSON of a Timing for each row, the master's first. */
export function seriesTimes(timings: readonly string[]): SeriesTimes {
  const [master, ...overrides] = timings.map(parsed);
  if (master === undefined) throw new Error('A series without a master was asked for');
  return seriesOf(master, overrides, (override) => override + 1);
}

export const timesOf = ({ rows }: MirroredSeries): SeriesTimes =>
  seriesTimes(rows.map(({ timing }) => timing));

/** Written by render-event.ts in this shape. */
const parsed = (timing: string): Timing => JSON.parse(timing);

export type CalendarTimes = {
  readonly calendarKey: string;
  /** An IANA name: where floating times are read. */
  readonly zone: string;
  readonly series: readonly TimedSeries[];
};

export type TimedSeries = {
  /** The master's id on the wire. */
  readonly id: string;
  /** JSON of a Timing for each row, the master's first. */
  readonly timings: readonly string[];
  /** In a search: the rows that are searched; undefined means all. */
  readonly matches?: readonly boolean[] | undefined;
};

/** The events to return: in order, those after `after`, at most `limit`. */
export type Wanted = {
  readonly window: EventWindow;
  readonly after: EventPosition | undefined;
  readonly limit: number;
  /** False: each series once, at the start of its master, if it has an instance in the window. */
  readonly singleEvents: boolean;
};

/** An instance, or a master where `singleEvents` is false. */
export type Found = EventPosition & {
  readonly end: number;
  readonly allDay: boolean;
  /** The indexes in the input. */
  readonly series: number;
  readonly row: number;
};

export type Expanded = {
  /** The events in order. */
  readonly found: readonly Found[];
  /** Series that are over their budget, by their places in the input. */
  readonly tooComplex: readonly number[];
  /** The calendar was over its own: series behind the last one looked at are not there. */
  readonly isOver: boolean;
};

/** Steps as a RecurrenceBudget counts them. The calendar's are counted down. */
export type StepBudget = { readonly ofSeries: number; ofCalendar: number };

/** Limits the steps of a read for each series and for each calendar. */
export const stepBudget = (): StepBudget => ({ ofSeries: 400_000, ofCalendar: 4_000_000 });

const HOUR = 3_600_000;
/** The first stretch of a window that is expanded; each further one is twice as long. */
const FIRST_STRETCH = 32 * 24 * HOUR;
const SHORTEST_STRETCH = HOUR;
/** Instances of one series that are held at a time. */
const MOST_IN_STRETCH = 10_000;
/** The steps for reading the times of a series, besides following its rules, and for each of its rows. */
const STEPS_OF_SERIES = 100;
const STEPS_OF_ROW = 50;
/** The additional steps for one instance. */
const STEPS_OF_INSTANCE = 15;

/** Expands a calendar. `begin` is called with the index of each series before work on it begins. */
export function expandCalendar(
  { calendarKey, zone, series, wanted }: CalendarTimes & { readonly wanted: Wanted },
  budget: StepBudget,
  begin: (series: number) => void = () => {},
): Expanded {
  const page = collector(wanted);
  const tooComplex: number[] = [];
  for (const [place, one] of series.entries()) {
    if (one.timings.length === 0) continue;
    begin(place);
    const steps = Math.min(budget.ofSeries, budget.ofCalendar);
    const spending: RecurrenceBudget = { occurrences: MOST_IN_STRETCH, steps };
    spending.steps -= STEPS_OF_SERIES + STEPS_OF_ROW * one.timings.length;
    try {
      const times = onlyMatching(one);
      const of = { calendarKey, zone, series: place, id: one.id, times, dates: datesOf(times), one };
      if (wanted.singleEvents) addInstances(of, page, spending);
      else if (hasInstance(of, wanted, spending)) page.add([foundMaster(of)]);
    } catch (reason) {
      if (!isTooMuch(reason)) throw reason;
      if (steps < budget.ofSeries && spending.steps < 0)
        return { found: page.found(), tooComplex, isOver: true };
      tooComplex.push(place);
    }
    budget.ofCalendar -= steps - Math.max(spending.steps, 0);
    if (budget.ofCalendar <= 0 && place < series.length - 1)
      return { found: page.found(), tooComplex, isOver: true };
  }
  return { found: page.found(), tooComplex, isOver: false };
}

/** Times that no clock shows are no less a fault of the series. */
const isTooMuch = (reason: unknown): boolean =>
  reason instanceof RecurrenceBudgetError || reason instanceof RangeError;

/** A series at work. */
type OneSeries = {
  readonly calendarKey: string;
  readonly zone: string;
  readonly series: number;
  readonly id: string;
  readonly times: SeriesTimes;
  /** The rows of all-day events. */
  readonly dates: ReadonlySet<number>;
  readonly one: TimedSeries;
};

/**
 * Returns the times that a search needs. If the master of a series does not match, only overrides can, so its rules
 * need not be followed through the whole window, unless an override holds for all later instances.
 */
function onlyMatching({ timings, matches }: TimedSeries): SeriesTimes {
  const times = seriesTimes(timings);
  const isFound = (row: number) => matches?.[row] !== false;
  const lasting = times.overrides.some(({ thisAndFuture, payload }) => thisAndFuture && isFound(payload));
  if (isFound(0) || lasting) return times;
  return { ...times, master: { ...times.master, recurrence: undefined } };
}

type Collector = ReturnType<typeof collector>;

/** Keeps the first of what is added, and knows behind which moment nothing more is wanted. */
function collector({ window, after, limit }: Wanted) {
  let events: Found[] = [];
  let end = window.end;
  const cut = () => {
    events = events.sort(byPosition).slice(0, limit);
    const last = events[limit - 1];
    if (last !== undefined) end = Math.min(end, last.startsAt + 1);
  };
  return {
    first: Math.max(window.start, after?.startsAt ?? window.start),
    limit,
    end: () => end,
    /** Returns how many of them are after `after`. */
    add(found: readonly Found[]): number {
      let count = 0;
      for (const event of found) {
        if (after !== undefined && byPosition(event, after) <= 0) continue;
        events.push(event);
        count += 1;
      }
      if (events.length >= (end === window.end ? limit : limit + limit / 4)) cut();
      return count;
    },
    found(): Found[] {
      cut();
      return events;
    },
  };
}

/**
 * The window is expanded stretch by stretch until enough instances are found, so that a long one costs no more than the
 * page it fills; a stretch that holds too many is made shorter.
 */
function addInstances(of: OneSeries, page: Collector, budget: RecurrenceBudget): void {
  let count = 0;
  for (let start = page.first, length = FIRST_STRETCH; start < page.end() && count < page.limit; ) {
    const stretch = { start, end: Math.min(start + length, page.end()) };
    const instances = tryExpanding(of, stretch, budget);
    if (instances === undefined) {
      if (length <= SHORTEST_STRETCH) throw new RecurrenceBudgetError();
      length = Math.max(length / 8, SHORTEST_STRETCH);
      continue;
    }
    // An instance that began in an earlier stretch was found there.
    const isNew = ({ startsAt }: Instance<number>) => start === page.first || startsAt >= start;
    count += page.add(instances.filter(isNew).map((instance) => foundInstance(of, instance)));
    start = stretch.end;
    length *= 2;
  }
}

/** `undefined` when there are too many; throws when it took too long to find that out. */
function tryExpanding(
  { times, one: { matches }, zone }: OneSeries,
  stretch: EventWindow,
  budget: RecurrenceBudget,
): Instance<number>[] | undefined {
  budget.occurrences = MOST_IN_STRETCH;
  try {
    const { instances } = expand(times, stretch, zone, budget);
    spendSteps(budget, STEPS_OF_INSTANCE * instances.length);
    return instances.filter(({ payload }) => matches?.[payload] !== false);
  } catch (reason) {
    if (!(reason instanceof RecurrenceBudgetError) || budget.steps < 0) throw reason;
    return undefined;
  }
}

function hasInstance(of: OneSeries, { window }: Wanted, budget: RecurrenceBudget): boolean {
  const first = Math.max(window.start, earliestStart(of));
  for (let start = first, length = FIRST_STRETCH; start < window.end; length *= 2) {
    const end = Math.min(start + length, window.end);
    // `undefined` means too many, so there is one.
    if (tryExpanding(of, { start, end }, budget)?.length !== 0) return true;
    start = end;
  }
  return false;
}

/** Returns an instant before which no instance starts. */
function earliestStart({ times: { master, overrides }, zone }: OneSeries): number {
  const starts = [master, ...overrides, ...(master.recurrence?.rdates ?? [])];
  return starts.reduce((first, { start }) => Math.min(first, instantOf(start, zone)), Infinity);
}

function foundInstance(of: OneSeries, { startsAt, endsAt, originalStart, payload }: Instance<number>): Found {
  const { calendarKey, zone, series, id, dates } = of;
  const instanceId = instanceIdOf(id, originalStart, zone);
  const allDay = dates.has(payload);
  return { calendarKey, id: instanceId, startsAt, end: endsAt, allDay, series, row: payload };
}

function foundMaster({ calendarKey, zone, series, id, times: { master } }: OneSeries): Found {
  const startsAt = instantOf(master.start, zone);
  const end = Math.max(startsAt, instantOf(master.end, zone));
  return { calendarKey, id, startsAt, end, allDay: master.start.type === 'date', series, row: 0 };
}

/** The result is by row: an instance of an all-day series can have been moved to a time of day. */
function datesOf({ master, overrides }: SeriesTimes): ReadonlySet<number> {
  const events = [{ ...master, payload: 0 }, ...overrides];
  return new Set(events.filter(({ start }) => start.type === 'date').map(({ payload }) => payload));
}

/** The order of a listing; ids by their bytes, as the databases have them. */
export function byPosition(a: EventPosition, b: EventPosition): number {
  return a.startsAt - b.startsAt || byBytes(a.calendarKey, b.calendarKey) || byBytes(a.id, b.id);
}

export type PageRequest = {
  readonly window: EventWindow;
  readonly singleEvents: boolean;
  readonly pageSize: number;
  readonly after: EventPosition | undefined;
  /** Folded words; none lists everything. */
  readonly search?: readonly string[];
  /** Whether the provider's own objects are shown; they are unless false. */
  readonly originals?: boolean;
};

/** The fields of a listed calendar that are read. */
export type ListedCalendar = Pick<ReadableCalendar, 'calendarKey' | 'timeZone' | 'bytes'>;

/** An event of a page: its place in the mirror, and how it differs from the stored event. */
export type NamedEvent = EventPosition & {
  readonly row: RowName;
  /** The master's row, for an override that shows the provider's object of its master. */
  readonly master?: RowName | undefined;
  /** Its approximate bytes in a response. */
  readonly size: number;
  /** The content, if it was read already. */
  readonly stored?: EventContent | undefined;
  /** The times of an instance or a master, whose content lacks them. */
  readonly times?: {
    readonly start: number;
    readonly end: number;
    readonly recurringEventId?: string;
    /** All-day instances have dates. */
    readonly allDay: boolean;
  };
  /** The Timing of a master as JSON, if it is shown with its rules. */
  readonly masterTiming?: string;
};

export type EventPage = {
  readonly events: readonly NamedEvent[];
  readonly more: boolean;
  readonly leftOut: readonly LeftOut[];
};

/** The times of a calendar's series, as they are expanded. */
export function timesOfCalendar(
  { calendarKey, timeZone }: Pick<ListedCalendar, 'calendarKey' | 'timeZone'>,
  series: readonly Pick<MirroredSeries, 'id' | 'rows'>[],
): CalendarTimes {
  const timed = series.map(({ id, rows }) => ({
    id,
    timings: rows.map(({ timing }) => timing),
    ...(rows.every(({ matches }) => matches) ? {} : { matches: rows.map(({ matches }) => matches) }),
  }));
  return { calendarKey, zone: timeZone, series: timed };
}

/** Sorts the events found so far; behind the moment that is answered, none is wanted any longer. */
export function endOfPage(events: NamedEvent[], limit: number, end: number): number {
  if (events.length < limit) return end;
  events.sort(byPosition);
  events.length = limit;
  return Math.min(end, (events[limit - 1]?.startsAt ?? end) + 1);
}

export function pageOf(events: NamedEvent[], pageSize: number, leftOut: readonly LeftOut[]): EventPage {
  const sorted = events.sort(byPosition);
  return { events: sorted.slice(0, pageSize), more: sorted.length > pageSize, leftOut };
}

/** The bytes of an event in a response besides its stored size. */
const SIZE_OF_REST = 300;

export function namedSingle(event: SingleEvent | SingleName): NamedEvent {
  const { calendarKey, id, startsAt } = event;
  if ('size' in event) return { calendarKey, id, startsAt, row: event, size: event.size + SIZE_OF_REST };
  const size = event.content.length + (event.original?.length ?? 0) + SIZE_OF_REST;
  return { calendarKey, id, startsAt, row: event, size, stored: event };
}

export function namedInstance(
  { calendarKey, id, startsAt, end, allDay, series, row: place }: Found,
  all: readonly Pick<MirroredSeries, 'id' | 'rows'>[],
  singleEvents: boolean,
): NamedEvent {
  const one = all[series];
  const [master] = one?.rows ?? [];
  const row = one?.rows[place];
  if (one === undefined || master === undefined || row === undefined)
    throw new Error('An instance was found of a series that was not asked for');
  const { href, recurrenceId, stored } = row;
  const names = { calendarKey, id, startsAt, row: { href, recurrenceId }, stored };
  const times = { start: startsAt, end, allDay, ...(singleEvents && { recurringEventId: one.id }) };
  const inherits = place > 0 && !row.hasOriginal ? { master } : undefined;
  const timing = singleEvents ? undefined : { masterTiming: master.timing };
  const size = row.size + SIZE_OF_REST + (timing?.masterTiming.length ?? 0);
  return { ...names, ...inherits, ...timing, times, size };
}
