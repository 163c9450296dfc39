/** Reading events by id and by listing, as parts of an answer. */
import type { EventResource, LeftOutResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { TooComplexError } from '../../lib/icalendar/resource-budget.ts';
import type { Log } from '../../lib/log.ts';
import type { Zone } from '../../lib/recurrence/event-time.ts';
import { undefinedIf } from '../expected-failure.ts';
import type { Graph } from './api.ts';
import { needsZone, zoneByOccurrences } from './custom-zone.ts';
import { EVENTS_PER_PAGE, eventQuery, seriesQuery, VERSIONS_PER_PAGE } from './event-queries.ts';
import { exceptionOf, type GraphItem, isSeries, resourceOf } from './event-resource.ts';

/** One calendar, and what may be read of it. */
export type Source = {
  readonly graph: Graph;
  /** Of the calendar. */
  readonly url: string;
  /** Only what Calendars.ReadBasic permits. */
  readonly basic: boolean;
  readonly log: Log;
  /** Is told of an event that is over the budget of a resource. */
  readonly leaveOut?: (resource: LeftOutResource) => void;
};

/** An event that was asked for by its id: what it is now, nothing when it cannot be read, or that it is gone. */
export type ReadEvent = { readonly id: string; readonly resources: readonly EventResource[] | 'gone' };

/** Requests at once; the account's limits may hold them back further. */
const AT_ONCE = 8;

/** Reads events a few at a time; `true` stands for those known to be series. */
export async function* readEvents(
  source: Source,
  ids: ReadonlyMap<string, boolean>,
): AsyncGenerator<readonly ReadEvent[]> {
  const waiting = [...ids];
  while (waiting.length > 0) {
    const batch = waiting.splice(0, AT_ONCE);
    yield await Promise.all(
      batch.map(
        async ([id, series]): Promise<ReadEvent> => ({ id, resources: await readEvent(source, id, series) }),
      ),
    );
  }
}

/** One event by its id, a series with its exceptions. */
export async function readEvent(
  source: Source,
  id: string,
  asSeries: boolean,
): Promise<readonly EventResource[] | 'gone'> {
  if (asSeries) return readSeries(source, id);
  // A single event seems to refuse the expansion that a series needs, which no source confirms, so it is asked for without
  // it first.
  const item = await getEvent(source, id, eventQuery(source.basic));
  if (item === undefined) return 'gone';
  return isSeries(item) ? readSeries(source, id) : readable(source, item, () => [resourceOf(item)]);
}

/** A series with its exceptions. */
async function readSeries(source: Source, id: string): Promise<readonly EventResource[] | 'gone'> {
  const master = await getEvent(source, id, seriesQuery(source.basic));
  if (master === undefined) return 'gone';
  const zone = await zoneOfSeries(source, id, master);
  const exceptions: EventResource[] = [];
  for (const item of master.exceptionOccurrences ?? []) {
    // Some answers name exceptions without their content.
    const whole = item.start ? item : item.id && (await getEvent(source, item.id, eventQuery(source.basic)));
    if (whole)
      exceptions.push(...readable(source, whole, () => [exceptionOf({ ...item, ...whole }, master, zone)]));
  }
  return readable(source, master, () => [resourceOf(master, zone), ...exceptions]);
}

/** `undefined` where the series itself tells, or nothing does. */
async function zoneOfSeries(source: Source, id: string, master: GraphItem): Promise<Zone | undefined> {
  if (!needsZone(master)) return undefined;
  return zoneByOccurrences(source.graph, eventUrl(source, id), master);
}

/** Within the calendar: those of a shared calendar are not found under `/me/events`. */
export const eventUrl = ({ url }: Source, id: string): string => `${url}/events/${encodeURIComponent(id)}`;

/** As Graph answers it; `undefined` when it is gone. */
export async function getEvent(source: Source, id: string, query: string): Promise<GraphItem | undefined> {
  const url = `${eventUrl(source, id)}?${query}`;
  // What Graph publishes for an event; its members are all optional and read as such.
  const item: Promise<GraphItem> = source.graph.get({ operation: 'events.get', url });
  return undefinedIf('not_found', item);
}

/** One event that cannot be read must not hide a calendar: it is left out and logged. */
function readable(
  { url, log, leaveOut }: Source,
  { id, changeKey }: GraphItem,
  map: () => readonly EventResource[],
): readonly EventResource[] {
  try {
    return map();
  } catch (failure) {
    if (failure instanceof TooComplexError) {
      leaveOut?.({ href: id ?? '', etag: changeKey ?? undefined, reason: failure.message });
      return [];
    }
    if (!(failure instanceof ProviderError)) throw failure;
    log.warn({ calendar: url, href: id, reason: failure.message }, 'Skipped an event that cannot be read');
    return [];
  }
}

/** A page of the listing of single events and masters. */
export type ListedPage = {
  /** Of all on the page, exceptions included. */
  readonly ids: readonly string[];
  readonly changed: readonly EventResource[];
};

/** Everything in the calendar, series with their exceptions; the listing itself has masters alone. */
export async function* listEvents(source: Source): AsyncGenerator<ListedPage> {
  const url = `${source.url}/events?${eventQuery(source.basic)}&$top=${EVENTS_PER_PAGE}`;
  for await (const { value } of source.graph.list<GraphItem>({ operation: 'events.list', url })) {
    const ids: string[] = [];
    const changed: EventResource[] = [];
    const series = new Map<string, boolean>();
    for (const item of value) {
      if (!item.id || item.type === 'occurrence' || item.type === 'exception') continue;
      ids.push(item.id);
      if (isSeries(item)) series.set(item.id, true);
      else changed.push(...readable(source, item, () => [resourceOf(item)]));
    }
    for await (const batch of readEvents(source, series)) changed.push(...resourcesIn(batch));
    yield { ids, changed };
  }
}

/** What is there of events that were read. */
export const resourcesIn = (batch: readonly ReadEvent[]): readonly EventResource[] =>
  batch.flatMap(({ resources }) => (resources === 'gone' ? [] : resources));

export type Version = { readonly changeKey: string | undefined; readonly series: boolean };

/** The versions of all single events and masters, by id. */
export async function listVersions({ graph, url }: Source): Promise<ReadonlyMap<string, Version>> {
  const versions = new Map<string, Version>();
  const request = {
    operation: 'events.list',
    url: `${url}/events?$select=id,changeKey,type&$top=${VERSIONS_PER_PAGE}`,
  };
  for await (const { value } of graph.list<GraphItem>(request)) {
    for (const item of value) {
      if (!item.id || item.type === 'occurrence' || item.type === 'exception') continue;
      versions.set(item.id, { changeKey: item.changeKey ?? undefined, series: isSeries(item) });
    }
  }
  return versions;
}
