/** Renders events at sync time, as JSON members of docs/wire.md 2.5, so that a listing only joins text. */
import { createHash } from 'node:crypto';
import { searchText } from '../lib/compared-text.ts';
import { findConferenceProvider } from '../lib/conference-provider.ts';
import { formatInstanceId, resolveClockZone, toInstant } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { computePlaces } from '../lib/recurrence/place-of.ts';
import {
  dateText,
  instantText,
  type RenderedMembers,
  renderMembers,
  renderObject,
} from '../lib/rendered-json.ts';
import { storable } from '../lib/storable-text.ts';
import type { CalendarEvent, EventResource } from './event.ts';
import {
  type EventMembers,
  type InstanceMembers,
  LONGEST_ORIGINAL,
  type MirroredEvent,
  type MirroredResource,
  type Timing,
} from './mirrored-event.ts';

/** Renders a resource for the mirror and finds its place. The effort grows with the resource (light-resource.ts). */
export function renderResource(resource: EventResource, calendarZone: string): MirroredResource {
  const { href, etag, eventId, seriesId, unreadable } = resource;
  const text = renderObject(resource.original);
  const length = Buffer.byteLength(text);
  const isKept = length <= LONGEST_ORIGINAL;
  const events = placeEvents(renderEvents(resource, calendarZone), calendarZone);
  return {
    href,
    etag,
    eventId,
    ...(seriesId === undefined ? {} : { seriesId }),
    ...(unreadable === undefined ? {} : { unreadable }),
    original: isKept ? text : undefined,
    originalDigest: isKept ? undefined : createHash('sha256').update(text).digest('hex'),
    events,
    bytes: events.reduce((sum, { bytes }) => sum + bytes, isKept ? length : 0),
  };
}

type RenderedEvent = Omit<MirroredEvent, 'occurrence' | 'timing' | 'place' | 'bytes'> & {
  readonly timing: Timing;
};

/** If several events have one recurrence id, the last one counts: the mirror has only one. */
function placeEvents(rendered: readonly RenderedEvent[], calendarZone: string): MirroredEvent[] {
  const events = new Map(rendered.map((event) => [renderOccurrence(event.timing.recurrenceId), event]));
  const places = computePlaces(
    [...events.values()].map(({ timing }) => timing),
    calendarZone,
  );
  return [...events].flatMap(([occurrence, event], i) => {
    const place = places[i];
    if (place === undefined) return [];
    const timing = JSON.stringify(event.timing);
    const bytes = [event.content, event.searchText, timing].reduce(
      (sum, text) => sum + Buffer.byteLength(text),
      0,
    );
    return { ...event, occurrence, timing, place, bytes };
  });
}

/** Enough characters to distinguish the zones of one calendar. */
const LONGEST_ZONE = 200;

function renderOccurrence(time: EventTime | undefined): string {
  if (time === undefined) return '';
  if (time.type === 'date') return time.date;
  if (time.type === 'floating') return time.local;
  return `${time.local} ${typeof time.zone === 'string' ? time.zone : storable(time.zone.tzid.slice(0, LONGEST_ZONE))}`;
}

function renderEvents(resource: EventResource, calendarZone: string): RenderedEvent[] {
  const { events, eventId, seriesId } = resource;
  const overrides = events.filter(({ recurrenceId }) => recurrenceId !== undefined);
  const single = (event: CalendarEvent) => renderSingle(event, resource, calendarZone);
  // The series itself is another resource, which may be missing.
  if (seriesId !== undefined) return overrides.map(single);
  const master = events.findLast(({ recurrenceId }) => recurrenceId === undefined);
  if (master === undefined) return overrides.map(single);
  if (master.recurrence === undefined && overrides.length === 0) return [single(master)];
  return [master, ...overrides].map((event) => ({
    id: eventId,
    seriesId: eventId,
    ...renderEvent(event, calendarZone),
  }));
}

/** Renders a single event, or an override whose master is not in the resource. */
function renderSingle(
  event: CalendarEvent,
  { seriesId, eventId }: EventResource,
  calendarZone: string,
): RenderedEvent {
  const { recurrenceId } = event;
  const startsAt = toInstant(event.start, calendarZone);
  const endsAt = Math.max(toInstant(event.end, calendarZone), startsAt);
  const ofSeries = recurrenceId === undefined ? undefined : (seriesId ?? eventId);
  const id =
    recurrenceId === undefined || ofSeries === undefined
      ? eventId
      : formatInstanceId(ofSeries, recurrenceId, calendarZone);
  const instance: InstanceMembers = {
    id,
    start: instantText(startsAt),
    end: instantText(endsAt),
    ...(event.start.type === 'date' && { startDate: dateText(startsAt), endDate: dateText(endsAt) }),
    ...(ofSeries !== undefined && { recurringEventId: ofSeries }),
  };
  return { id, seriesId: ofSeries, ...renderEvent(event, calendarZone, instance) };
}

function renderEvent(event: CalendarEvent, calendarZone: string, instance: InstanceMembers = {}) {
  const { uid, title, description, location, attendees } = event;
  const people = attendees.flatMap(({ email, name }) => [name, email]);
  const content: RenderedMembers<EventMembers> = renderMembers({
    ...instance,
    ...eventDetails(event, calendarZone),
  });
  return {
    uid,
    timing: toTiming(event),
    content,
    searchText: searchText([title, location, ...people, description]),
  };
}

/** Returns the members of an event except its id, instants and rules. `calendarZone` is an IANA name. */
export const eventDetails = (event: CalendarEvent, calendarZone: string) => ({
  title: event.title,
  description: event.description,
  allDay: event.start.type === 'date',
  timeZone: findZoneName(event.start, calendarZone),
  color: event.color,
  location: event.location,
  attendees: event.attendees,
  response: event.response,
  custom: event.custom,
  conference: event.conference,
  conferenceData: renderConference(event),
  availability: event.availability,
  privacy: event.privacy,
  status: event.status,
  lastModified: event.lastModified === undefined ? undefined : instantText(event.lastModified),
  link: event.link,
});

/** Returns an IANA name. A date has no zone, and the name of a custom zone means nothing to others. */
function findZoneName(start: EventTime, calendarZone: string): string | undefined {
  const zone = start.type === 'date' ? undefined : resolveClockZone(start, calendarZone);
  return typeof zone === 'string' ? zone : undefined;
}

/** Returns the service, if the URL reveals it, the join URL, and the provider's own object with its members. */
function renderConference({ conference: url, conferenceData: original }: CalendarEvent) {
  if (url === undefined && original === undefined) return undefined;
  const provider = url === undefined ? undefined : findConferenceProvider(url);
  return { provider, ...original, url, original };
}

const toTiming = ({
  start,
  end,
  recurrence,
  recurrenceId,
  thisAndFuture,
  status,
}: CalendarEvent): Timing => ({
  start,
  end,
  ...(recurrence && { recurrence }),
  ...(recurrenceId && { recurrenceId }),
  ...(thisAndFuture && { thisAndFuture }),
  ...(status === 'cancelled' && { cancelled: true }),
});
