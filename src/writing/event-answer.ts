/** The response of a write (docs/wire.md 2.5): the event's fields with `success`, and again under `event`. */
import type { EventResource } from '../calendars/event.ts';
import type { EventMembers } from '../calendars/mirrored-event.ts';
import { eventDetails } from '../calendars/render-event.ts';
import { ApiError, errorTable } from '../http/refusal.ts';
import {
  formatInstanceId,
  parseInstanceId,
  toInstant,
  toOriginalStart,
} from '../lib/recurrence/event-instant.ts';
import {
  type RenderedObject,
  readMembers,
  readObject,
  renderMember,
  renderMembers,
  renderObject,
  toRenderedMembers,
} from '../lib/rendered-json.ts';
import { eventText } from '../reading/event-text.ts';
import { findById } from '../reading/events-by-id.ts';
import { recurrenceObject } from '../reading/recurrence-object.ts';
import type { ChosenCalendar } from './find-calendar.ts';
import type { StoredEvent, StoredEvents } from './stored-events.ts';
import type { WriteDeps } from './write-deps.ts';

/** The error of an If-Match header. */
export const CONDITION = errorTable({
  precondition_failed: {
    status: 412,
    message: 'The event changed after the version in If-Match; event is the current version',
    when: 'The event changed after the version in `If-Match`.',
    fix: 'Compare with `event`, the current version, and decide again.',
    headers: { ETag: 'The version now.' },
  },
});

/** Returns the event like GET /event; `undefined` if the mirror lacks it. A cancelled event comes from its row. */
export async function renderedEvent(
  id: string,
  chosen: ChosenCalendar,
  { events, storedEvents }: Pick<WriteDeps, 'events' | 'storedEvents'>,
): Promise<RenderedObject | undefined> {
  const { calendarKey, timeZone } = chosen.calendar;
  const [event] = await findById(id, new Map([[calendarKey, timeZone]]), events);
  if (event !== undefined) return eventText()(event, chosen);
  const stored = await storedEvents.findEvents(calendarKey, id);
  const exact = stored.find(({ eventId }) => eventId === id);
  const match = exact ?? (await findOverride(id, chosen, storedEvents));
  if (match === undefined) return undefined;
  const { content, originalDigest } = match;
  const original = originalDigest === undefined ? match.original : undefined;
  return renderStored({ ...match, id, content, original }, chosen);
}

/** Returns the override of an occurrence in the resource of its master, which has the master's id. */
async function findOverride(
  id: string,
  { calendar: { calendarKey, timeZone } }: ChosenCalendar,
  storedEvents: StoredEvents,
): Promise<StoredEvent | undefined> {
  const masterId = parseInstanceId(id)?.masterId;
  if (masterId === undefined) return undefined;
  const stored = await storedEvents.findEvents(calendarKey, masterId);
  const master = stored.find(({ event }) => event.recurrenceId === undefined)?.event;
  return stored.find(({ event: { recurrenceId } }) => {
    if (master === undefined || recurrenceId === undefined) return false;
    const originalStart = toOriginalStart(master.start, recurrenceId, timeZone);
    return formatInstanceId(masterId, originalStart, timeZone) === id;
  });
}

/** Renders a created event that the mirror cannot show, without `original`; undefined if it has no event. */
export function createdEvent(
  { eventId: id, etag, events }: EventResource,
  chosen: ChosenCalendar,
): RenderedObject | undefined {
  const event = events.find(({ recurrenceId }) => recurrenceId === undefined);
  if (event === undefined) return undefined;
  const content = renderMembers<EventMembers>(eventDetails(event, chosen.calendar.timeZone));
  return renderStored({ id, event, content, etag, original: undefined, seriesId: undefined }, chosen);
}

type WrittenEvent = Pick<StoredEvent, 'event' | 'content' | 'etag' | 'seriesId'> & {
  readonly id: string;
  readonly original: RenderedObject | undefined;
};

/** Renders an event with its own times, which the mirror's index of a series or a cancelled event does not have. */
function renderStored(
  { id, event, content, etag, original, seriesId }: WrittenEvent,
  chosen: ChosenCalendar,
): RenderedObject {
  const { calendarKey, timeZone } = chosen.calendar;
  const { start, recurrence } = event;
  const startsAt = toInstant(start, timeZone);
  const listed = { calendarKey, id, startsAt, content, original, etag };
  // A single event's content has its id and times; that of a series does not.
  if (readMembers(content).id !== undefined) return eventText()(listed, chosen);
  const end = Math.max(startsAt, toInstant(event.end, timeZone));
  const times = { start: startsAt, end, allDay: start.type === 'date' };
  const series = seriesId === undefined || seriesId === id ? {} : { recurringEventId: seriesId };
  const rules = recurrence && { recurrence: recurrenceObject(recurrence, start, timeZone) };
  return eventText()({ ...listed, times: { ...times, ...series }, ...rules }, chosen);
}

export const eventBody = (event: RenderedObject): RenderedObject =>
  renderObject({ success: true }, toRenderedMembers(event), renderMember('event', event));

/** Returns the etag; `undefined` if the server gives none. */
function readEtag(event: RenderedObject): string | undefined {
  // eventText wrote it.
  const { etag }: { readonly etag?: string } = readObject(event);
  return etag;
}

/** Throws 412 with the present event if If-Match (RFC 9110 §13.1.1) lacks its version, ignoring quotes and weakness. */
export function requireVersion(ifMatch: string | undefined, event: RenderedObject): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = readEtag(event);
  const matches = current !== undefined && versionsIn(ifMatch).has(bare(current));
  if (!matches) throw changedMeanwhile(event);
}

export function changedMeanwhile(event: RenderedObject): ApiError {
  const current = readEtag(event);
  return new ApiError(CONDITION.precondition_failed, {
    fields: { event: readObject(event) },
    headers: current === undefined ? undefined : { etag: asHeader(current) },
  });
}

const bare = (version: string): string => version.trim().replace(/^W\//i, '').replace(/^"|"$/g, '');

/** Includes the whole value, because a version may contain a comma. */
const versionsIn = (header: string): ReadonlySet<string> => new Set([header, ...header.split(',')].map(bare));

/** Keeps only visible ASCII, as a header requires. */
const asHeader = (version: string): string => `"${bare(version).replace(/[^\x21\x23-\x7e]/g, '')}"`;
