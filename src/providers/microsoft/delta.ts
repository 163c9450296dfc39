/**
 * The change hint: calendarView's delta. What it lists is never taken for the event itself, since occurrences come
 * without their content and extended properties not at all; it says which events to read.
 */

import { DAY } from '../../lib/recurrence/civil.ts';
import type { Graph } from './api.ts';
import type { GraphItem } from './event-resource.ts';
import type { Window } from './sync-state.ts';

/** Ids only, so that a delta of any size is small. */
export type Hints = {
  /** The ids of single events and masters; `true` for those known to be masters. */
  readonly touched: Map<string, boolean>;
  /** The ids of items that were deleted or left the window, occurrences and exceptions included. */
  readonly removed: Set<string>;
};

export const noHints = (): Hints => ({ touched: new Map(), removed: new Set() });

/** An item of a delta, which Graph may mark as removed. */
type DeltaItem = GraphItem & { readonly '@removed'?: unknown };

/** A delta takes no `$top`, and seems to give ten items at a time without this preference, which no source confirms. */
const ITEMS_PER_PAGE = 200;

/** The window of the change hint: calendarView's delta knows no other. */
const BEFORE_MS = 365 * DAY;
const AFTER_MS = 2 * 365 * DAY;
/** If Graph cannot respond in time for a window (504), it is halved, but not below this. */
const SHORTEST_MS = 14 * DAY;

/** Returns the address at which the delta of a window begins. */
export function deltaUrl(calendarUrl: string, { start, end }: Window): string {
  return `${calendarUrl}/calendarView/delta?startDateTime=${renderInstant(start)}&endDateTime=${renderInstant(end)}`;
}

/** Follows a delta, gathering what it names in `hints`; yields the link of each page that has one for next time. */
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

/** Half as long before and after the present; `undefined` when that would be too short to be of use. */
export function halved({ start, end }: Window, now: number): Window | undefined {
  if (end - start < 2 * SHORTEST_MS) return undefined;
  return { start: midnight(now - (now - start) / 2), end: midnight(now + (end - now) / 2) };
}

export const isShortened = ({ start, end }: Window): boolean => end - start < BEFORE_MS + AFTER_MS - DAY;

const midnight = (instant: number): number => Math.floor(instant / DAY) * DAY;

/** Without a fraction. */
const renderInstant = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;
