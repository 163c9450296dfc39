/** One page of a sorted listing: single events come from a query, recurring ones from expanding their series. */
import { byBytes } from '../lib/byte-order.ts';
import { instanceIdOf, instantOf, originalStartOf } from '../lib/recurrence/event-instant.ts';
import { expand } from '../lib/recurrence/expand.ts';
import {
  type RecurrenceBudget,
  RecurrenceBudgetError,
  recurrenceBudget,
} from '../lib/recurrence/expand-rule.ts';
import type { Instance, SeriesOverride } from '../lib/recurrence/series.ts';
import type {
  EventContent,
  EventPosition,
  EventReader,
  EventWindow,
  MirroredSeries,
} from './event-reader.ts';
import { type ListedEvent, recurrenceObject } from './event-text.ts';
import { windowTooLarge } from './events-query.ts';

export type PageRequest = {
  readonly window: EventWindow;
  readonly singleEvents: boolean;
  readonly pageSize: number;
  readonly after: EventPosition | undefined;
  /** Folded words; none lists everything. */
  readonly search?: readonly string[];
};

/** Time zones by calendar key: the calendars that are listed. */
export type CalendarZones = ReadonlyMap<string, string>;

export const zoneIn = (zones: CalendarZones, { calendarKey }: Pick<MirroredSeries, 'calendarKey'>): string =>
  zones.get(calendarKey) ?? 'UTC';

const HOUR = 3_600_000;
/** The first stretch of a window that is expanded; each further one is twice as long. */
const FIRST_STRETCH = 32 * 24 * HOUR;
const SHORTEST_STRETCH = HOUR;
/** Instances that are held at a time for a page of a thousand. */
const MOST_IN_STRETCH = 10_000;

/** The events behind `after`, at most `pageSize`. Throws 400 `window_too_large`. */
export async function pageOfEvents(
  { window, singleEvents, pageSize, after, search = [] }: PageRequest,
  zones: CalendarZones,
  reader: EventReader,
): Promise<{ events: ListedEvent[]; more: boolean }> {
  const keys = [...zones.keys()];
  if (keys.length === 0) return { events: [], more: false };
  const [singles, series] = await Promise.all([
    reader.singleEvents(keys, { window, after, limit: pageSize + 1, search }),
    reader.seriesIn(keys, window, search),
  ]);
  if (series.length === 0) return { events: singles.slice(0, pageSize), more: singles.length > pageSize };

  // What starts after the last single event of a full page is not on it.
  const lastSingle = singles.length > pageSize ? singles.at(-1) : undefined;
  const end = Math.min(window.end, lastSingle ? lastSingle.startsAt + 1 : window.end);
  const recurring = singleEvents
    ? instancesOf(series, { window: { ...window, end }, after, limit: pageSize + 1 }, zones)
    : mastersOf(series, { window, after }, zones);
  const events = [...singles, ...recurring].sort(byPosition);
  return { events: events.slice(0, pageSize), more: events.length > pageSize };
}

type Part = { readonly window: EventWindow; readonly after: EventPosition | undefined };

/**
 * The instances behind `after`. The window is expanded stretch by stretch until enough events are found, so
 * that a long one costs no more than the page it fills; a stretch that holds too many is made shorter.
 */
function instancesOf(
  series: readonly MirroredSeries[],
  { window, after, limit }: Part & { readonly limit: number },
  zones: CalendarZones,
): ListedEvent[] {
  const expansion = { zones, budget: recurrenceBudget() };
  const events: ListedEvent[] = [];
  const first = Math.max(window.start, after?.startsAt ?? window.start);
  for (let start = first, length = FIRST_STRETCH; start < window.end && events.length < limit; ) {
    const stretch = { start, end: Math.min(start + length, window.end) };
    const instances = tryExpanding(series, stretch, expansion);
    if (instances === undefined) {
      if (length <= SHORTEST_STRETCH) throw windowTooLarge();
      length = Math.max(length / 8, SHORTEST_STRETCH);
      continue;
    }
    for (const instance of instances) {
      // What began in an earlier stretch was found there.
      if (start > first && instance.startsAt < start) continue;
      if (after === undefined || byPosition(instance, after) > 0) events.push(instance);
    }
    start = stretch.end;
    length *= 2;
  }
  return events;
}

/** Shared by all series of a request. */
type Expansion = { readonly zones: CalendarZones; readonly budget: RecurrenceBudget };

/** `undefined` when there are too many; throws 400 when it took too long to find that out. */
function tryExpanding(
  series: readonly MirroredSeries[],
  stretch: EventWindow,
  expansion: Expansion,
): ListedEvent[] | undefined {
  const { budget } = expansion;
  budget.occurrences = MOST_IN_STRETCH;
  try {
    return series.flatMap((one) => instancesIn(one, stretch, expansion));
  } catch (reason) {
    if (!(reason instanceof RecurrenceBudgetError)) throw reason;
    if (budget.steps < 0) throw windowTooLarge(reason);
    return undefined;
  }
}

function instancesIn(one: MirroredSeries, window: EventWindow, { zones, budget }: Expansion): ListedEvent[] {
  const zone = zoneIn(zones, one);
  return expand(onlyMatching(one).series, window, zone, budget)
    .instances.filter(({ payload }) => payload.matches !== 0)
    .map((instance) => listedInstance(one, instance, zone));
}

/**
 * For a search: of a series whose master does not match, only overrides can be found, and its rules need not be followed
 * through the whole window. One that holds for all later instances needs them.
 */
function onlyMatching(one: MirroredSeries): MirroredSeries {
  const { master, overrides } = one.series;
  const lasting = overrides.some(({ thisAndFuture, payload }) => thisAndFuture && payload.matches !== 0);
  if (master.payload.matches !== 0 || lasting) return one;
  return { ...one, series: { ...one.series, master: { ...master, recurrence: undefined } } };
}

/** An instance of a series as a listing has it. */
export function listedInstance(
  { calendarKey, id: masterId }: MirroredSeries,
  { startsAt, endsAt, originalStart, payload }: Instance<EventContent>,
  zone: string,
): ListedEvent {
  const times = { start: startsAt, end: endsAt, recurringEventId: masterId };
  // An instance of an all-day series can have been moved to a time of day.
  const allDay = payload.allDay ?? originalStart.type === 'date';
  const id = instanceIdOf(masterId, originalStart, zone);
  return { calendarKey, id, startsAt, ...payload, times: { ...times, allDay } };
}

/** An override as a listing has its instance. */
export function instanceOfOverride(
  one: MirroredSeries,
  { recurrenceId, start, end, payload }: SeriesOverride<EventContent>,
  zone: string,
): ListedEvent {
  const startsAt = instantOf(start, zone);
  const endsAt = Math.max(startsAt, instantOf(end, zone));
  const originalStart = originalStartOf(one.series.master.start, recurrenceId, zone);
  return listedInstance(one, { startsAt, endsAt, originalStart, payload, isOverride: true }, zone);
}

/** The master of a series, with its rules, as a listing with `singleEvents=false` has it. */
export function listedMaster(
  { calendarKey, id, series: { master } }: MirroredSeries,
  zone: string,
): ListedEvent {
  const { recurrence: rules, payload } = master;
  const start = instantOf(master.start, zone);
  const end = Math.max(start, instantOf(master.end, zone));
  const times = { start, end, allDay: master.start.type === 'date' };
  const recurrence = rules && { recurrence: recurrenceObject(rules, master.start, zone) };
  return { calendarKey, id, startsAt: start, ...payload, times, ...recurrence };
}

/** `singleEvents=false`: each series that has an instance in the window once, at the start of its master. */
function mastersOf(
  series: readonly MirroredSeries[],
  { window, after }: Part,
  zones: CalendarZones,
): ListedEvent[] {
  const expansion = { zones, budget: recurrenceBudget() };
  return series.flatMap((one): ListedEvent[] => {
    const listed = listedMaster(one, zoneIn(zones, one));
    if (after !== undefined && byPosition(listed, after) <= 0) return [];
    return hasInstance(one, window, expansion) ? [listed] : [];
  });
}

function hasInstance(one: MirroredSeries, window: EventWindow, expansion: Expansion): boolean {
  for (let start = window.start, length = FIRST_STRETCH; start < window.end; length *= 2) {
    const end = Math.min(start + length, window.end);
    // `undefined` means too many, so there is one.
    if (tryExpanding([one], { start, end }, expansion)?.length !== 0) return true;
    start = end;
  }
  return false;
}

/** The order of a listing; ids by their bytes, as the databases have them. */
function byPosition(a: EventPosition, b: EventPosition): number {
  return a.startsAt - b.startsAt || byBytes(a.calendarKey, b.calendarKey) || byBytes(a.id, b.id);
}
