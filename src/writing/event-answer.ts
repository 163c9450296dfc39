/**
 * The response of a write (docs/wire.md 2.5): the event's fields at the root with `success`, and the same event under
 * `event`.
 */
import type { EventResource } from '../calendars/event.ts';
import type { EventMembers } from '../calendars/mirrored-event.ts';
import { eventDetails } from '../calendars/render-event.ts';
import { ApiError } from '../http/refusal.ts';
import { instantOf } from '../lib/recurrence/event-instant.ts';
import {
  membersOf,
  type RenderedObject,
  readMembers,
  readObject,
  renderMember,
  renderMembers,
  renderObject,
} from '../lib/rendered-json.ts';
import { eventText, recurrenceObject } from '../reading/event-text.ts';
import { findById } from '../reading/events-by-id.ts';
import { WRITING } from './calendar-turn.ts';
import type { ChosenCalendar } from './find-calendar.ts';
import type { StoredEvent } from './stored-events.ts';
import type { WriteDeps } from './write-deps.ts';

/**
 * Returns the event from the mirror as GET /event does; `undefined` if the mirror does not have it. A cancelled event,
 * which no read shows, is rendered from its own row.
 */
export async function renderedEvent(
  id: string,
  chosen: ChosenCalendar,
  { events, storedEvents }: Pick<WriteDeps, 'events' | 'storedEvents'>,
): Promise<RenderedObject | undefined> {
  const { calendarKey, timeZone } = chosen.calendar;
  const [event] = await findById(id, new Map([[calendarKey, timeZone]]), events);
  const toText = eventText();
  if (event !== undefined) return toText(event, chosen);
  const stored = await storedEvents.findEvents(calendarKey, id);
  const exact = stored.find(({ eventId }) => eventId === id);
  return exact && toText(cancelled(exact, calendarKey), chosen);
}

/**
 * Renders a new event as its provider created it, if the mirror cannot show it. It has no `original`. Returns undefined
 * if the resource has no event of its own.
 */
export function createdEvent(
  { eventId: id, etag, events }: EventResource,
  chosen: ChosenCalendar,
): RenderedObject | undefined {
  const { calendarKey, timeZone } = chosen.calendar;
  const event = events.find(({ recurrenceId }) => recurrenceId === undefined);
  if (event === undefined) return undefined;
  const { start, recurrence } = event;
  const times = { start: instantOf(start, timeZone), end: instantOf(event.end, timeZone) };
  const listed = {
    ...{ calendarKey, id, startsAt: times.start, original: undefined, etag },
    content: renderMembers<EventMembers>(eventDetails(event, timeZone)),
    times: { ...times, allDay: start.type === 'date' },
    ...(recurrence && { recurrence: recurrenceObject(recurrence, start, timeZone) }),
  };
  return eventText()(listed, chosen);
}

function cancelled(
  { eventId: id, startsAt, content, etag, endsAt, event, ...stored }: StoredEvent,
  calendarKey: string,
) {
  const original = stored.originalDigest === undefined ? stored.original : undefined;
  const listed = { calendarKey, id, startsAt, content, original, etag };
  // The content of a single event has its id and times; that of a series does not.
  if (readMembers(content).id !== undefined) return listed;
  return { ...listed, times: { start: startsAt, end: endsAt, allDay: event.start.type === 'date' } };
}

/** Returns the body of a response to a create or an update. */
export const eventBody = (event: RenderedObject): RenderedObject =>
  renderObject({ success: true }, membersOf(event), renderMember('event', event));

/** Returns the etag of a response; `undefined` if the server gives none. */
function versionOf(event: RenderedObject): string | undefined {
  // Written by eventText.
  const { etag }: { readonly etag?: string } = readObject(event);
  return etag;
}

/**
 * Throws 412 with the present event if `ifMatch`, the value of an If-Match header (RFC 9110 §13.1.1), does not name its
 * version. Versions are compared without quotes and weakness, which are only notation.
 */
export function requireVersion(ifMatch: string | undefined, event: RenderedObject): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = versionOf(event);
  const matches = current !== undefined && versionsIn(ifMatch).has(bare(current));
  if (!matches) throw changedMeanwhile(event);
}

/** Returns 412 with the present event. */
export function changedMeanwhile(event: RenderedObject): ApiError {
  const current = versionOf(event);
  return new ApiError(WRITING.precondition_failed, {
    fields: { event: readObject(event) },
    headers: current === undefined ? undefined : { etag: asHeader(current) },
  });
}

const bare = (version: string): string => version.trim().replace(/^W\//i, '').replace(/^"|"$/g, '');

/** Includes the whole value too, since a version may contain a comma. */
const versionsIn = (header: string): ReadonlySet<string> => new Set([header, ...header.split(',')].map(bare));

/** A header has visible ASCII only. */
const asHeader = (version: string): string => `"${bare(version).replace(/[^\x21\x23-\x7e]/g, '')}"`;
