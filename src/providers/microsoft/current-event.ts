/** Reads an event before it is changed, in the version that the change is for. */
import type { CalendarEvent, EventResource } from '../../calendars/event.ts';
import type { WriteTarget } from '../../calendars/event-writing.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { DAY } from '../../lib/recurrence/civil.ts';
import { toInstant, toOriginalStart } from '../../lib/recurrence/event-instant.ts';
import type { EventTime, Zone } from '../../lib/recurrence/event-time.ts';
import { unreadableAnswer } from '../meaning.ts';
import { eventQuery, instanceQuery } from './event-queries.ts';
import { type GraphItem, parseExceptionHref, toException } from './event-resource.ts';
import { isInCalendar } from './membership.ts';
import { eventUrl, getEvent, readEvent, type Source } from './read-events.ts';

/** A single event, a master, or an occurrence with the fields of its series. */
export type Current = {
  readonly id: string;
  readonly event: CalendarEvent;
  /** The event as Graph sent it. */
  readonly item: GraphItem;
  readonly ifMatch: string | undefined;
};

export type OccurrenceTarget = WriteTarget & { readonly instance: EventTime };

/** A single event or a series with its exceptions, master first. */
export type CurrentSeries = Current & { readonly resources: readonly EventResource[] };

/** Returns the event. Fails as `precondition_failed` if its version differs, `not_found` if the calendar lacks it. */
export async function currentEvent(source: Source, target: WriteTarget): Promise<CurrentSeries> {
  const series = await readCurrent(source, target);
  const { etag } = series.resources[0] ?? {};
  if (target.etag === undefined || target.etag === etag) return series;
  if (!(await isInCalendar(source, target.href))) throw noEvent();
  // An exception is compared by its own version.
  if (target.override === undefined) throw changedMeanwhile();
  return series;
}

async function readCurrent(source: Source, { href, stored }: WriteTarget): Promise<CurrentSeries> {
  const resources = await readEvent(source, href, stored[0]?.events[0]?.recurrence !== undefined);
  if (resources === 'gone') throw noEvent();
  const [master] = resources;
  const [event] = master?.events ?? [];
  if (master === undefined || event === undefined)
    throw unreadableAnswer('Microsoft sent an event that cannot be read');
  // `original` is the object from Graph, without its exceptions.
  const item: GraphItem = master.original;
  return { id: href, event, item, ifMatch: toIfMatch(item), resources };
}

/** Returns an occurrence. Fails as `not_found` if the series lacks it, `precondition_failed` if it has changed. */
export async function currentOccurrence(
  source: Source,
  series: CurrentSeries,
  target: OccurrenceTarget,
): Promise<Current> {
  const item =
    target.override === undefined
      ? await readPlainOccurrence(source, series, target.instance)
      : await readStoredException(source, target.override);
  const [event] = toException(item, series.item, { zone: chooseEventZone(series.event) }).events;
  const { id } = item;
  if (event === undefined || !id) throw changedMeanwhile();
  return { id, event, item, ifMatch: toIfMatch(item) };
}

async function readStoredException(
  source: Source,
  { href, etag }: NonNullable<WriteTarget['override']>,
): Promise<GraphItem> {
  const id = parseExceptionHref(href)?.id ?? href;
  const item = await getEvent(source, id, eventQuery(source.basic));
  if (item === undefined) throw changedMeanwhile();
  requireVersion(etag, item.changeKey ?? undefined);
  return item;
}

async function readPlainOccurrence(
  source: Source,
  series: CurrentSeries,
  instance: EventTime,
): Promise<GraphItem> {
  const item = await findOccurrence(source, series, instance);
  const original = toStartKey(series.event, instance);
  const isException = series.resources.some(({ events }) =>
    events.some(({ recurrenceId }) => recurrenceId && toStartKey(series.event, recurrenceId) === original),
  );
  // The target has no exception here, so it is from an older version.
  if (isException) throw changedMeanwhile();
  if (item === undefined) throw new ProviderError('not_found', 'The series has no such occurrence');
  return item;
}

/** Finds an occurrence within two days of its original start; `undefined` if it is not there. */
export async function findOccurrence(
  source: Source,
  { id, event, item: master }: Current,
  instance: EventTime,
): Promise<GraphItem | undefined> {
  const original = toStartKey(event, instance);
  const [from, to] = [original - 2 * DAY, original + 2 * DAY].map((at) => new Date(at).toISOString());
  const url = `${eventUrl(source, id)}/instances?startDateTime=${from}&endDateTime=${to}&${instanceQuery}`;
  const zone = chooseEventZone(event);
  for await (const { value } of source.graph.list<GraphItem>({ operation: 'events.instances', url })) {
    for (const item of value) {
      const [{ recurrenceId } = {}] = toException(item, master, { zone }).events;
      if (recurrenceId && toStartKey(event, recurrenceId) === original) return item;
    }
  }
  return undefined;
}

/** Returns an original start of any type and zone as epoch milliseconds, for comparisons. */
export const toStartKey = ({ start }: CalendarEvent, named: EventTime): number =>
  toInstant(toOriginalStart(start, named, 'UTC'), 'UTC');

const chooseEventZone = ({ start }: CalendarEvent): Zone => (start.type === 'zoned' ? start.zone : 'UTC');

/** Fails if the version has changed. If the mirror has none, only the conditional write can detect that. */
export function requireVersion(expected: string | undefined, actual: string | undefined): void {
  if (expected !== undefined && expected !== actual) throw changedMeanwhile();
}

export const noEvent = (): ProviderError => new ProviderError('not_found', 'Microsoft has no such event');

export const changedMeanwhile = (): ProviderError =>
  new ProviderError('precondition_failed', 'It was changed in the meantime');

/** Returns the ETag, else one built from the version as Graph seems to do, which no source confirms. */
export function toIfMatch(item: GraphItem & { readonly '@odata.etag'?: unknown }): string | undefined {
  const etag = item['@odata.etag'];
  if (typeof etag === 'string') return etag;
  return item.changeKey ? `W/"${item.changeKey}"` : undefined;
}
