/**
 * Reads the delta of calendarView as hints at which events to read. Its items are not used as events: occurrences lack
 * their content, and extended properties are missing.
 */

import { DAY } from '../../lib/recurrence/civil.ts';
import type { Graph } from './api.ts';
import type { GraphItem } from './event-resource.ts';
import type { Window } from './sync-state.ts';

/** Only ids, so that a delta of any size is small. */
export type Hints = {
  /** The ids of single events and masters; `true` for those known to be masters. */
  readonly touched: Map<string, boolean>;
  /** The ids of items that were deleted or left the window, occurrences and exceptions included. */
  readonly removed: Set<string>;
};

export const noHints = (): Hints => ({ touched: new Map(), removed: new Set() });

type DeltaItem = GraphItem & { readonly '@removed'?: unknown };

/** A delta accepts no `$top`. Without this preference pages seem to have ten items, which no source confirms. */
const ITEMS_PER_PAGE = 200;

/** The window of the delta: calendarView has no delta without one. */
const BEFORE_MS = 365 * DAY;
const AFTER_MS = 2 * 365 * DAY;
/** If Graph times out (504), the window is halved, but not below this. */
const SHORTEST_MS = 14 * DAY;

export function deltaUrl(calendarUrl: string, { start, end }: Window): string {
  return `${calendarUrl}/calendarView/delta?startDateTime=${renderInstant(start)}&endDateTime=${renderInstant(end)}`;
}

/** Follows a delta and adds its ids to `hints`. Yields the next delta link of each page, if it has one. */
export async function* followDelta(
  graph: Graph,
  url: string,
  hints: Hints,
): AsyncGenerator<string | undefined> {
  const prefer = [`odata.maxpagesize=${ITEMS_PER_PAGE}`];
  const request = { operation: 'calendarView.delta', url, prefer };
  for await (const { value, deltaLink } of graph.list<DeltaItem>(request)) {
    for (const item of value) addHint(item, hints);
    yield deltaLink;
  }
}

function addHint(item: DeltaItem, { touched, removed }: Hints): void {
  const { id, type, seriesMasterId } = item;
  if (!id) return;
  if (item['@removed'] !== undefined) removed.add(id);
  else if (type === 'occurrence' || type === 'exception') {
    if (seriesMasterId) touched.set(seriesMasterId, true);
  } else touched.set(id, type === 'seriesMaster');
}

/** Returns the window from a year ago to two years ahead, in whole days. */
export function windowAround(now: number): Window {
  return { start: midnight(now - BEFORE_MS), end: midnight(now + AFTER_MS) };
}

/** Returns half of the window around `now`; `undefined` if that is too short. */
export function halveWindow({ start, end }: Window, now: number): Window | undefined {
  if (end - start < 2 * SHORTEST_MS) return undefined;
  return { start: midnight(now - (now - start) / 2), end: midnight(now + (end - now) / 2) };
}

export const isShortened = ({ start, end }: Window): boolean => end - start < BEFORE_MS + AFTER_MS - DAY;

const midnight = (instant: number): number => Math.floor(instant / DAY) * DAY;

const renderInstant = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;
