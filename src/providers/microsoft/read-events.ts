/** Reads events by id and by listing, in parts. */
import type { EventResource, LeftOutResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { resourceBudget, spend, TooComplexError } from '../../lib/icalendar/resource-budget.ts';
import { windowsZones } from '../../lib/icalendar/windows-zones.ts';
import type { Log } from '../../lib/log.ts';
import { lazy } from '../../lib/once.ts';
import { DAY, dayOfLocal, formatDate } from '../../lib/recurrence/civil.ts';
import type { Zone } from '../../lib/recurrence/event-time.ts';
import { localOfInstant } from '../../lib/recurrence/zone.ts';
import { undefinedIf } from '../expected-failure.ts';
import { logUnreadable } from '../log-left-out.ts';
import { unreadableAnswer } from '../meaning.ts';
import { type Graph, isWithin } from './api.ts';
import { lacksOwnAnswer } from './attendees.ts';
import { EVENTS_PER_PAGE, eventQuery, seriesQuery, VERSIONS_PER_PAGE } from './event-queries.ts';
import {
  buildExceptionHref,
  findItemZone,
  type GraphItem,
  isSeries,
  toException,
  toResource,
} from './event-resource.ts';
import { parseTimestamp, resolveFirstZone } from './event-times.ts';

/** A calendar, and what may be read of it. */
export type Source = {
  readonly graph: Graph;
  readonly url: string;
  /** Whether to read only what Calendars.ReadBasic permits. */
  readonly basic: boolean;
  readonly log: Log;
  /** The address of the calendar's owner, requested once; `undefined` if Graph does not name it. */
  readonly owner: () => Promise<string | undefined>;
  /** Receives each event that is over the budget of a resource, or cannot be read. */
  readonly leaveOut?: (resource: LeftOutResource) => void;
};

/** The format in which the text of an event is requested: as shown, or as stored. */
type Bodies = 'text' | 'html';

/** The result of reading an id: its resources, none if it is unreadable, or 'gone'. */
export type ReadEvent = { readonly id: string; readonly resources: readonly EventResource[] | 'gone' };

/** Concurrent requests; the account's limits may delay them. */
const READ_CONCURRENCY = 8;

/** Reads events a few at a time; `true` marks the ids of known series. */
export async function* readEvents(
  source: Source,
  ids: ReadonlyMap<string, boolean>,
): AsyncGenerator<readonly ReadEvent[]> {
  const waiting = [...ids];
  while (waiting.length > 0) {
    const batch = waiting.splice(0, READ_CONCURRENCY);
    yield await Promise.all(
      batch.map(
        async ([id, series]): Promise<ReadEvent> => ({ id, resources: await readEvent(source, id, series) }),
      ),
    );
  }
}

/** Reads an event by its id, a series with its exceptions. */
export async function readEvent(
  source: Source,
  id: string,
  asSeries: boolean,
): Promise<readonly EventResource[] | 'gone'> {
  if (asSeries) return readSeries(source, id);
  // A single event seems to refuse the expansion for series, which no source confirms, so try without it first.
  const item = await getEvent(source, id, eventQuery(source.basic));
  if (item === undefined) return 'gone';
  return isSeries(item) ? readSeries(source, id) : toSingleResource(source, item);
}

async function readSeries(source: Source, id: string): Promise<readonly EventResource[] | 'gone'> {
  const series = await getSeries(source, id);
  return series === undefined ? 'gone' : toSeriesResources(source, series);
}

/** Enough to exceed the budget of a resource. Reading more is useless. */
const MAX_EXCEPTIONS = 2_000;

export type SeriesItems = { readonly master: GraphItem; readonly exceptions: readonly GraphItem[] };

/** Returns a series with its exceptions, each whole; `undefined` if it no longer exists. */
export async function getSeries(
  source: Source,
  id: string,
  bodies: Bodies = 'text',
): Promise<SeriesItems | undefined> {
  const master = await getEvent(source, id, seriesQuery(source.basic), bodies);
  if (master === undefined) return undefined;
  const exceptions: GraphItem[] = [];
  for await (const item of listSeriesExceptions(source, master, bodies)) {
    // Some responses name exceptions without their content.
    const whole = item.start
      ? item
      : item.id && (await getEvent(source, item.id, eventQuery(source.basic), bodies));
    if (whole) exceptions.push({ ...item, ...whole });
    if (exceptions.length > MAX_EXCEPTIONS) break;
  }
  return { master, exceptions };
}

/** Yields the exceptions of a series, which come in pages if there are many. */
async function* listSeriesExceptions(
  { graph }: Source,
  { exceptionOccurrences, 'exceptionOccurrences@odata.nextLink': link }: GraphItem,
  bodies: Bodies,
): AsyncGenerator<GraphItem> {
  yield* exceptionOccurrences ?? [];
  if (typeof link !== 'string') return;
  if (!isWithin(graph.apiUrl, link))
    throw unreadableAnswer('Microsoft links from a series to another address');
  const request = { operation: 'events.exceptions', url: link, htmlBodies: bodies === 'html' };
  for await (const { value } of graph.list<GraphItem>(request)) yield* value;
}

/** Maps a series, master first. An unreadable exception is left out. */
export async function toSeriesResources(
  source: Source,
  { master, exceptions }: SeriesItems,
): Promise<readonly EventResource[]> {
  const zone = await findSeriesZone(source, master);
  const needsOwner = [master, ...exceptions].some(lacksOwnAnswer);
  const owner = needsOwner ? await source.owner() : undefined;
  const budget = resourceBudget();
  const seriesId = master.id ?? '';
  const exceptionNames = (item: GraphItem) => ({
    ...itemNames(item),
    href: buildExceptionHref(seriesId, item.id ?? ''),
    seriesId,
  });
  return mapOrLeaveOut(source, itemNames(master), () => {
    spend(budget, 'overrides', exceptions.length);
    return [
      toResource(master, { zone, owner }),
      ...exceptions.flatMap((item) =>
        mapOrLeaveOut(source, exceptionNames(item), () => [toException(item, master, { zone, owner })]),
      ),
    ];
  });
}

/** Returns the zone of a series; `undefined` if the series itself has it or nothing shows it. */
async function findSeriesZone(source: Source, master: GraphItem): Promise<Zone | undefined> {
  if (!needsZone(master) || !master.id) return undefined;
  return findZoneByOccurrences(source.graph, eventUrl(source, master.id), master);
}

async function toSingleResource(source: Source, item: GraphItem): Promise<readonly EventResource[]> {
  const owner = lacksOwnAnswer(item) ? await source.owner() : undefined;
  return mapOrLeaveOut(source, itemNames(item), () => [toResource(item, { owner })]);
}

/** Returns the address within the calendar: events of a shared calendar are not found under `/me/events`. */
export const eventUrl = ({ url }: Source, id: string): string => `${url}/events/${encodeURIComponent(id)}`;

/** Returns an event as Graph sends it; `undefined` if it no longer exists. */
export async function getEvent(
  source: Source,
  id: string,
  query: string,
  bodies: Bodies = 'text',
): Promise<GraphItem | undefined> {
  const url = `${eventUrl(source, id)}?${query}`;
  const request = { operation: 'events.get', url, htmlBodies: bodies === 'html' };
  // The published type: all its members are optional.
  const item: Promise<GraphItem> = source.graph.get(request);
  return undefinedIf('not_found', item);
}

type Names = Pick<LeftOutResource, 'href' | 'etag' | 'seriesId'> & { readonly eventId: string };

const itemNames = ({ id, changeKey }: GraphItem): Names => ({
  ...{ href: id ?? '', eventId: id ?? '', etag: changeKey ?? undefined },
});

/** Maps an event, or leaves it out and logs it: one unreadable event must not hide a calendar. */
function mapOrLeaveOut(
  { url, log, leaveOut }: Source,
  names: Names,
  map: () => readonly EventResource[],
): readonly EventResource[] {
  try {
    return map();
  } catch (failure) {
    const isComplex = failure instanceof TooComplexError;
    if (!isComplex && !(failure instanceof ProviderError)) throw failure;
    const reason = failure.message;
    if (!isComplex) logUnreadable(log, { calendar: url, href: names.href, reason });
    if (names.eventId !== '')
      leaveOut?.({ kind: isComplex ? 'too_complex' : 'unreadable', ...names, reason });
    return [];
  }
}

export type ListedPage = {
  /** The ids of the single events and masters on the page. */
  readonly ids: readonly string[];
  readonly changed: readonly EventResource[];
};

/** Lists everything in the calendar. The listing has only masters, so each series is read with its exceptions. */
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
      else changed.push(...(await toSingleResource(source, item)));
    }
    for await (const batch of readEvents(source, series)) changed.push(...resourcesIn(batch));
    yield { ids, changed };
  }
}

export const resourcesIn = (batch: readonly ReadEvent[]): readonly EventResource[] =>
  batch.flatMap(({ resources }) => (resources === 'gone' ? [] : resources));

/** More than a year, so that it includes every clock change. */
const OBSERVED_MS = 400 * DAY;

/** The zones of Windows, UTC first. A custom zone is mostly an old or translated copy of one. */
const candidates = lazy((): readonly string[] => {
  const zones = [...windowsZones().values()].map((name) => resolveFirstZone(name));
  return ['UTC', ...new Set(zones.filter((zone) => typeof zone === 'string'))];
});

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
  return candidates().find((zone) => fitsZone(zone, starts, firstDay));
}

/** `starts` are epoch milliseconds, the series' own first; `firstDay` is its date in its own zone. */
function fitsZone(zone: string, starts: readonly number[], firstDay: string | undefined): boolean {
  const [first = 0, ...others] = starts.map((at) => localOfInstant(zone, at));
  if (firstDay !== undefined && formatDate(dayOfLocal(first)) !== firstDay) return false;
  return others.every((local) => (local - first) % DAY === 0);
}
