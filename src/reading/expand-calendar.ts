/**
 * Finds a page's recurring events of one calendar from their times, on the main thread and in the work pool. Each
 * series and calendar has a budget: a series beyond it is reported, and all others are returned (docs/security.md T13).
 */

import type { Timing } from '../calendars/mirrored-event.ts';
import { byBytes } from '../lib/compared-text.ts';
import { formatInstanceId, toInstant } from '../lib/recurrence/event-instant.ts';
import { expand } from '../lib/recurrence/expand.ts';
import {
  MOST_SERIES_STEPS,
  type RecurrenceBudget,
  RecurrenceBudgetError,
  spendSteps,
} from '../lib/recurrence/expand-rule.ts';
import type { Instance, Series, SeriesMaster } from '../lib/recurrence/series.ts';
import { buildSeries } from '../lib/recurrence/series.ts';
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

/** The times of a series. The payload of an event is the index of its row; the master's is 0. */
export type SeriesTimes = Series<number> & { readonly master: SeriesMaster<number> };

/** Parses `timings`: JSON of a Timing for each row, the master's first. */
export function seriesTimes(timings: readonly string[]): SeriesTimes {
  const [master, ...overrides] = timings.map(parsed);
  if (master === undefined) throw new Error('A series without a master was requested');
  return buildSeries(master, overrides, (override) => override + 1);
}

export const parseTimes = ({ rows }: MirroredSeries): SeriesTimes =>
  seriesTimes(rows.map(({ timing }) => timing));

/** render-event.ts wrote it in this shape. */
const parsed = (timing: string): Timing => JSON.parse(timing);

export type CalendarTimes = {
  readonly calendarKey: string;
  /** The IANA time zone of floating times. */
  readonly zone: string;
  readonly series: readonly TimedSeries[];
};

export type TimedSeries = {
  /** The master's id on the wire. */
  readonly id: string;
  /** JSON of a Timing for each row, the master's first. */
  readonly timings: readonly string[];
  /** Whether each row matches a search; undefined means that all match. */
  readonly matches?: readonly boolean[] | undefined;
};

/** The events to return: at most `limit` after `after`, in order. */
export type Wanted = {
  readonly window: EventWindow;
  readonly after: EventPosition | undefined;
  readonly limit: number;
  /** If false, each series that has an instance in the window appears once, at the start of its master. */
  readonly singleEvents: boolean;
};

/** An instance, or a master if `singleEvents` is false. */
export type Found = EventPosition & {
  readonly end: number;
  readonly allDay: boolean;
  /** The indexes in the input. */
  readonly series: number;
  readonly row: number;
};

export type Expanded = {
  readonly found: readonly Found[];
  /** The indexes in the input of series beyond their budget. */
  readonly tooComplex: readonly number[];
  /** The calendar exceeded its budget: the series after the last one read are missing. */
  readonly isOver: boolean;
};

/** Steps as in RecurrenceBudget. `ofCalendar` is counted down. */
export type StepBudget = { readonly ofSeries: number; ofCalendar: number };

/** Returns the budget of a read. */
export const stepBudget = (): StepBudget => ({ ofSeries: MOST_SERIES_STEPS, ofCalendar: 4_000_000 });

const HOUR = 3_600_000;
/** The first part of a window to expand, in milliseconds; each further part is twice as long. */
const FIRST_STRETCH = 32 * 24 * HOUR;
const SHORTEST_STRETCH = HOUR;
/** The maximum instances of a series in memory. */
const MOST_IN_STRETCH = 10_000;
/** The steps to read the times of a series and of each row, besides those for its rules. */
const STEPS_OF_SERIES = 100;
const STEPS_OF_ROW = 50;
const STEPS_OF_INSTANCE = 15;

/** Expands a calendar. Calls `begin` with the index of each series before work on it begins. */
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
      const current = {
        calendarKey,
        zone,
        series: place,
        id: one.id,
        times,
        dates: findDateRows(times),
        one,
      };
      if (wanted.singleEvents) addInstances(current, page, spending);
      else if (hasInstance(current, wanted, spending)) page.add([foundMaster(current)]);
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

/** A RangeError means an impossible time, which is the series' fault as well. */
const isTooMuch = (reason: unknown): boolean =>
  reason instanceof RecurrenceBudgetError || reason instanceof RangeError;

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

/** Returns the times that a search needs. Rules are not expanded if only overrides match. */
function onlyMatching({ timings, matches }: TimedSeries): SeriesTimes {
  const times = seriesTimes(timings);
  const isFound = (row: number) => matches?.[row] !== false;
  const lasting = times.overrides.some(({ thisAndFuture, payload }) => thisAndFuture && isFound(payload));
  if (isFound(0) || lasting) return times;
  return { ...times, master: { ...times.master, recurrence: undefined } };
}

type Collector = ReturnType<typeof collector>;

/** Collects the first events, and knows the instant after which no more are needed. */
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
    /** Returns the number of events after `after`. */
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

/** Expands the window in stretches until the page is full, so that a long window costs no more than its page. */
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
    // An earlier stretch already returned the instances that began in it.
    const isNew = ({ startsAt }: Instance<number>) => start === page.first || startsAt >= start;
    count += page.add(instances.filter(isNew).map((instance) => foundInstance(of, instance)));
    start = stretch.end;
    length *= 2;
  }
}

/** Returns `undefined` if there are too many instances; throws if the budget is used up. */
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
    // `undefined` means too many, so there is at least one.
    if (tryExpanding(of, { start, end }, budget)?.length !== 0) return true;
    start = end;
  }
  return false;
}

function earliestStart({ times: { master, overrides }, zone }: OneSeries): number {
  const starts = [master, ...overrides, ...(master.recurrence?.rdates ?? [])];
  return starts.reduce((first, { start }) => Math.min(first, toInstant(start, zone)), Infinity);
}

function foundInstance(of: OneSeries, { startsAt, endsAt, originalStart, payload }: Instance<number>): Found {
  const { calendarKey, zone, series, id, dates } = of;
  const instanceId = formatInstanceId(id, originalStart, zone);
  const allDay = dates.has(payload);
  return { calendarKey, id: instanceId, startsAt, end: endsAt, allDay, series, row: payload };
}

function foundMaster({ calendarKey, zone, series, id, times: { master } }: OneSeries): Found {
  const startsAt = toInstant(master.start, zone);
  const end = Math.max(startsAt, toInstant(master.end, zone));
  return { calendarKey, id, startsAt, end, allDay: master.start.type === 'date', series, row: 0 };
}

/** Returns the rows with dates: an instance of an all-day series may have been moved to a time of day. */
function findDateRows({ master, overrides }: SeriesTimes): ReadonlySet<number> {
  const events = [{ ...master, payload: 0 }, ...overrides];
  return new Set(events.filter(({ start }) => start.type === 'date').map(({ payload }) => payload));
}

/** Compares by listing order; ids by their bytes, as in the databases. */
export const byPosition = (a: EventPosition, b: EventPosition): number =>
  a.startsAt - b.startsAt || byBytes(a.calendarKey, b.calendarKey) || byBytes(a.id, b.id);

export type PageRequest = {
  readonly window: EventWindow;
  readonly singleEvents: boolean;
  readonly pageSize: number;
  readonly after: EventPosition | undefined;
  /** Folded terms; without any, all events are listed. */
  readonly search?: readonly string[];
  /** Whether the provider's own objects are shown; true by default. */
  readonly originals?: boolean;
};

export type ListedCalendar = Pick<ReadableCalendar, 'calendarKey' | 'timeZone' | 'bytes'>;

/** An event of a page: its row in the mirror, and its differences from that row. */
export type NamedEvent = EventPosition & {
  readonly row: RowName;
  /** The master's row, for an override that shows its master's provider object. */
  readonly master?: RowName | undefined;
  readonly size: number;
  readonly stored?: EventContent | undefined;
  /** The times of an instance or a master, which its content lacks. */
  readonly times?: {
    readonly start: number;
    readonly end: number;
    readonly recurringEventId?: string;
    /** If true, the event also has dates. */
    readonly allDay: boolean;
  };
  /** The Timing of a master as JSON, for its rules. */
  readonly masterTiming?: string;
};

export type EventPage = {
  readonly events: readonly NamedEvent[];
  readonly more: boolean;
  readonly leftOut: readonly LeftOut[];
};

/** Returns the times of a calendar's series as input for the expansion. */
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

/** Sorts the events and keeps the first `limit`. Returns the instant from which no more events are needed. */
export function endOfPage(events: NamedEvent[], limit: number, end: number): number {
  if (events.length < limit) return end;
  events.sort(byPosition);
  events.length = limit;
  return Math.min(end, (events[limit - 1]?.startsAt ?? end) + 1);
}

export function cutPage(events: NamedEvent[], pageSize: number, leftOut: readonly LeftOut[]): EventPage {
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
  const mirrored = all[series];
  const [master] = mirrored?.rows ?? [];
  const row = mirrored?.rows[place];
  if (mirrored === undefined || master === undefined || row === undefined)
    throw new Error('An occurrence belongs to a series that was not requested');
  const { href, recurrenceId, stored } = row;
  const names = { calendarKey, id, startsAt, row: { href, recurrenceId }, stored };
  const times = { start: startsAt, end, allDay, ...(singleEvents && { recurringEventId: mirrored.id }) };
  const inherits = place > 0 && !row.hasOriginal ? { master } : undefined;
  const timing = singleEvents ? undefined : { masterTiming: master.timing };
  const size = row.size + SIZE_OF_REST + (timing?.masterTiming.length ?? 0);
  return { ...names, ...inherits, ...timing, times, size };
}
