/**
 * Finds the zone of a series with custom rules, which Graph does not return (`tzone://Microsoft/Custom`). In the right
 * zone all occurrences begin at the same time of day, on both sides of a clock change.
 */

import { WINDOWS_ZONES } from '../../lib/icalendar/windows-zones.ts';
import { DAY, dayOfLocal, formatDate } from '../../lib/recurrence/civil.ts';
import { localOfInstant } from '../../lib/recurrence/zone.ts';
import type { Graph } from './api.ts';
import { VERSIONS_PER_PAGE } from './event-queries.ts';
import { findItemZone, type GraphItem } from './event-resource.ts';
import { parseTimestamp, resolveFirstZone } from './event-times.ts';

/** More than a year, so that it includes every clock change. */
const OBSERVED_MS = 400 * DAY;

/** The zones of Windows, UTC first. A custom zone is mostly an old or translated copy of one. */
const CANDIDATES: readonly string[] = [
  'UTC',
  ...new Set(
    [...WINDOWS_ZONES.values()]
      .map((name) => resolveFirstZone(name))
      .filter((zone) => typeof zone === 'string'),
  ),
];

/** Returns whether the zone of a series matters and Graph does not name it. */
export const needsZone = (item: GraphItem): boolean =>
  item.isAllDay !== true && Boolean(item.recurrence) && findItemZone(item) === undefined;

/** Returns an IANA name; `undefined` if no zone fits. */
export async function findZoneByOccurrences(
  graph: Graph,
  eventUrl: string,
  { start, recurrence }: GraphItem,
): Promise<string | undefined> {
  const first = parseTimestamp(start?.dateTime);
  if (first === undefined) return undefined;
  const [from, to] = [first - DAY, first + OBSERVED_MS].map((at) => new Date(at).toISOString().slice(0, 19));
  const query = `startDateTime=${from}Z&endDateTime=${to}Z&$select=type,start&$top=${VERSIONS_PER_PAGE}`;
  const request = { operation: 'events.instances', url: `${eventUrl}/instances?${query}` };
  const starts = [first];
  for await (const { value } of graph.list<GraphItem>(request)) {
    for (const { type, start: occurrenceStart } of value) {
      const at = type === 'occurrence' ? parseTimestamp(occurrenceStart?.dateTime) : undefined;
      if (at !== undefined) starts.push(at);
    }
  }
  const firstDay = recurrence?.range?.startDate ?? undefined;
  return CANDIDATES.find((zone) => fitsZone(zone, starts, firstDay));
}

/** `starts` are epoch milliseconds, the series' own first; `firstDay` is its date in its own zone. */
function fitsZone(zone: string, starts: readonly number[], firstDay: string | undefined): boolean {
  const [first = 0, ...others] = starts.map((at) => localOfInstant(zone, at));
  if (firstDay !== undefined && formatDate(dayOfLocal(first)) !== firstDay) return false;
  return others.every((local) => (local - first) % DAY === 0);
}
