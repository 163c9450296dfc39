/**
 * The change hint: calendarView's delta. What it lists is never taken for the event itself, since occurrences come
 * without their content and extended properties not at all; it says which events to read.
 */

import type { Graph, GraphRequest } from './api.ts';
import { graphPages } from './api.ts';
import {
  ITEMS_PER_DELTA_PAGE,
  SHORTEST_WINDOW_MS,
  WINDOW_AFTER_MS,
  WINDOW_BEFORE_MS,
} from './event-queries.ts';
import type { GraphItem } from './event-resource.ts';
import type { Window } from './sync-state.ts';

/** Ids only, so that a delta of any size is small. */
export type Hints = {
  /** Of single events and of masters; `true` for those known to be masters. */
  readonly touched: Map<string, boolean>;
  /** Of whatever is gone or left the window: occurrences and exceptions too. */
  readonly removed: Set<string>;
};

export const noHints = (): Hints => ({ touched: new Map(), removed: new Set() });

/** An item of a delta, as Graph tells that it is gone. */
type DeltaItem = GraphItem & { readonly '@removed'?: unknown };

const OPERATION = 'calendarView.delta';
const DAY_MS = 24 * 3600 * 1000;

/** Where a delta of a window begins. */
export function deltaUrl(calendarUrl: string, { start, end }: Window): string {
  return `${calendarUrl}/calendarView/delta?startDateTime=${textOf(start)}&endDateTime=${textOf(end)}`;
}

/** Follows a delta, gathering what it names in `hints`; yields the link of each page that has one for next time. */
export async function* followDelta(
  graph: Graph,
  url: string,
  hints: Hints,
): AsyncGenerator<string | undefined> {
  const request: GraphRequest = {
    operation: OPERATION,
    url,
    prefer: [`odata.maxpagesize=${ITEMS_PER_DELTA_PAGE}`],
  };
  for await (const { value, deltaLink } of graphPages<DeltaItem>(graph, request)) {
    for (const item of value) note(item, hints);
    yield deltaLink;
  }
}

function note(item: DeltaItem, { touched, removed }: Hints): void {
  const { id, type, seriesMasterId } = item;
  if (!id) return;
  if (item['@removed'] !== undefined) removed.add(id);
  else if (type === 'occurrence' || type === 'exception') {
    if (seriesMasterId) touched.set(seriesMasterId, true);
  } else touched.set(id, type === 'seriesMaster');
}

/** From a year ago to two years ahead, in whole days. */
export function windowAround(now: number): Window {
  return { start: midnight(now - WINDOW_BEFORE_MS), end: midnight(now + WINDOW_AFTER_MS) };
}

/** Half as long before and after the present; `undefined` when that would be too short to be of use. */
export function halved({ start, end }: Window, now: number): Window | undefined {
  if (end - start < 2 * SHORTEST_WINDOW_MS) return undefined;
  return { start: midnight(now - (now - start) / 2), end: midnight(now + (end - now) / 2) };
}

export const isShortened = ({ start, end }: Window): boolean =>
  end - start < WINDOW_BEFORE_MS + WINDOW_AFTER_MS - DAY_MS;

const midnight = (instant: number): number => Math.floor(instant / DAY_MS) * DAY_MS;

/** Without a fraction; (k) without an offset it would be UTC too. */
const textOf = (instant: number): string => `${new Date(instant).toISOString().slice(0, 19)}Z`;
