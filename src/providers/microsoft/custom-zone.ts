/**
 * The zone of a series whose own came with rules that Graph does not tell (`tzone://Microsoft/Custom`): found by where
 * its occurrences are. In the zone that is meant they all begin at one time of day, on both sides of a clock change.
 */

import { WINDOWS_ZONES } from '../../lib/icalendar/windows-zones.ts';
import { DAY, dayOfLocal, formatDate } from '../../lib/recurrence/civil.ts';
import { localOfInstant } from '../../lib/recurrence/zone.ts';
import type { Graph } from './api.ts';
import { VERSIONS_PER_PAGE } from './event-queries.ts';
import { type GraphItem, namedZoneOf } from './event-resource.ts';
import { stampOf, zoneNamed } from './event-times.ts';

/** More than a year, so that every change of the clock there is lies between two occurrences. */
const LOOKED_AT_MS = 400 * DAY;

/** The zones Windows knows: a custom one is mostly an old or translated copy of these. UTC comes before all. */
const CANDIDATES: readonly string[] = [
  'UTC',
  ...new Set(
    [...WINDOWS_ZONES.values()].map((name) => zoneNamed(name)).filter((zone) => typeof zone === 'string'),
  ),
];

/** Whether the zone of a series matters and Graph does not name it. */
export const needsZone = (item: GraphItem): boolean =>
  item.isAllDay !== true && Boolean(item.recurrence) && namedZoneOf(item) === undefined;

/** An IANA name; `undefined` when no zone fits. */
export async function zoneByOccurrences(
  graph: Graph,
  eventUrl: string,
  { start, recurrence }: GraphItem,
): Promise<string | undefined> {
  const first = stampOf(start?.dateTime);
  if (first === undefined) return undefined;
  const [from, to] = [first - DAY, first + LOOKED_AT_MS].map((at) => new Date(at).toISOString().slice(0, 19));
  const query = `startDateTime=${from}Z&endDateTime=${to}Z&$select=type,start&$top=${VERSIONS_PER_PAGE}`;
  const request = { operation: 'events.instances', url: `${eventUrl}/instances?${query}` };
  const starts = [first];
  for await (const { value } of graph.list<GraphItem>(request)) {
    for (const { type, start: occurrenceStart } of value) {
      const at = type === 'occurrence' ? stampOf(occurrenceStart?.dateTime) : undefined;
      if (at !== undefined) starts.push(at);
    }
  }
  const firstDay = recurrence?.range?.startDate ?? undefined;
  return CANDIDATES.find((zone) => fits(zone, starts, firstDay));
}

/** `starts` are epoch milliseconds, the first one that of the series; `firstDay` is its date where it is meant. */
function fits(zone: string, starts: readonly number[], firstDay: string | undefined): boolean {
  const [first = 0, ...others] = starts.map((at) => localOfInstant(zone, at));
  if (firstDay !== undefined && formatDate(dayOfLocal(first)) !== firstDay) return false;
  return others.every((local) => (local - first) % DAY === 0);
}
