/** One page of a sorted listing: single events by a query, recurring ones by expanding their series. */

import { byBytes } from '../lib/byte-order.ts';
import { instantOf } from '../lib/recurrence/event-instant.ts';
import { expand } from '../lib/recurrence/expand.ts';
import { instanceIdOf } from '../lib/recurrence/instance-id.ts';
import {
  type RecurrenceBudget,
  RecurrenceBudgetError,
  recurrenceBudget,
} from '../lib/recurrence/recurrence-budget.ts';
import type {
  EventContent,
  EventPosition,
  EventReader,
  EventWindow,
  MirroredSeries,
} from './event-reader.ts';
import { windowTooLarge } from './events-query.ts';

/** An event of a listing. */
export type ListedEvent = EventPosition &
  EventContent & {
    /** Of an instance or a master, whose content lacks them. */
    readonly times?: {
      readonly start: number;
      readonly end: number;
      readonly recurringEventId?: string;
    };
  };

export type PageRequest = {
  readonly window: EventWindow;
  readonly singleEvents: boolean;
  readonly pageSize: number;
  readonly after: EventPosition | undefined;
};

/** Time zones by calendar key: the calendars that are listed. */
export type CalendarZones = ReadonlyMap<string, string>;

const DAY = 86_400_000;
/** The first stretch of a window that is expanded; each further one is twice as long. */
const FIRST_STRETCH = 32 * DAY;

/** The events behind `after`, at most `pageSize`. Throws 400 `window_too_large`. */
export async function pageOfEvents(
  { window, singleEvents, pageSize, after }: PageRequest,
  zones: CalendarZones,
  reader: EventReader,
): Promise<{ events: ListedEvent[]; more: boolean }> {
  const keys = [...zones.keys()];
  if (keys.length === 0) return { events: [], more: false };
  const [singles, series] = await Promise.all([
    reader.singleEvents(keys, window, after, pageSize + 1),
    reader.seriesIn(keys, window),
  ]);
  if (series.length === 0) return { events: singles.slice(0, pageSize), more: singles.length > pageSize };

  // Whatever starts after the single events that fill the page is not on it.
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
 * The instances behind `after`. The window is expanded stretch by stretch until enough are found, so
 * that a long one costs no more than the page it fills.
 */
function instancesOf(
  series: readonly MirroredSeries[],
  { window, after, limit }: Part & { readonly limit: number },
  zones: CalendarZones,
) {
  const budget = recurrenceBudget();
  const found: ListedEvent[] = [];
  for (const { start, end, isFirst } of stretches(window, after)) {
    for (const one of series) {
      for (const instance of expanded(one, { start, end }, zones, budget)) {
        // What began in an earlier stretch was found there.
        if (!isFirst && instance.startsAt < start) continue;
        if (after === undefined || byPosition(instance, after) > 0) found.push(instance);
      }
    }
    if (found.length >= limit) break;
  }
  return found;
}

/** The window from where the page begins, cut into stretches. */
function* stretches(window: EventWindow, after: EventPosition | undefined) {
  let start = Math.max(window.start, after?.startsAt ?? window.start);
  let isFirst = true;
  for (let length = FIRST_STRETCH; start < window.end; length *= 2) {
    const end = Math.min(start + length, window.end);
    yield { start, end, isFirst };
    start = end;
    isFirst = false;
  }
}

function expanded(one: MirroredSeries, window: EventWindow, zones: CalendarZones, budget: RecurrenceBudget) {
  const zone = zones.get(one.calendarKey) ?? 'UTC';
  const { calendarKey, id: masterId, series } = one;
  return within(budget, () => expand(series, window, zone, budget)).instances.map(
    ({ startsAt, endsAt, originalStart, payload }): ListedEvent => ({
      calendarKey,
      id: instanceIdOf(masterId, originalStart, zone),
      startsAt,
      ...payload,
      times: { start: startsAt, end: endsAt, recurringEventId: masterId },
    }),
  );
}

function within<T>(budget: RecurrenceBudget, work: () => T): T {
  try {
    return work();
  } catch (reason) {
    if (!(reason instanceof RecurrenceBudgetError)) throw reason;
    throw windowTooLarge({ reason, budget });
  }
}

/** `singleEvents=false`: each series that has an instance in the window once, at the start of its master. */
function mastersOf(series: readonly MirroredSeries[], { window, after }: Part, zones: CalendarZones) {
  const budget = recurrenceBudget();
  return series.flatMap((one): ListedEvent[] => {
    const { calendarKey, id, series: made } = one;
    const zone = zones.get(calendarKey) ?? 'UTC';
    const start = instantOf(made.master.start, zone);
    const end = Math.max(start, instantOf(made.master.end, zone));
    const listed = { calendarKey, id, startsAt: start, ...made.master.payload, times: { start, end } };
    if (after !== undefined && byPosition(listed, after) <= 0) return [];
    for (const stretch of stretches(window, undefined)) {
      if (expanded(one, stretch, zones, budget).length > 0) return [listed];
    }
    return [];
  });
}

/** The order of a listing; ids by their bytes, as the databases have them. */
function byPosition(a: EventPosition, b: EventPosition): number {
  return a.startsAt - b.startsAt || byBytes(a.calendarKey, b.calendarKey) || byBytes(a.id, b.id);
}
