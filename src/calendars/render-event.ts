/**
 * Renders events once, when they are synced, as JSON members of docs/wire.md 2.5, so that a listing only
 * joins text.
 */
import { conferenceProviderOf } from '../lib/conference-provider.ts';
import { instanceIdOf, instantOf, zoneOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import {
  dateText,
  instantText,
  type RenderedMembers,
  renderMembers,
  renderObject,
} from '../lib/rendered-json.ts';
import { searchText } from '../lib/search-text.ts';
import type { CalendarEvent, EventResource } from './event.ts';
import type {
  EventMembers,
  InstanceMembers,
  MirroredChanges,
  MirroredEvent,
  MirroredResource,
  Timing,
} from './mirrored-event.ts';

/** What a provider answered, as the mirror stores it. */
export const renderChanges = (answer: {
  readonly changed: readonly EventResource[];
  readonly removed: readonly string[];
}): MirroredChanges => ({ changed: answer.changed.map(renderResource), removed: answer.removed });

function renderResource(resource: EventResource): MirroredResource {
  const { events, original, ...names } = resource;
  return {
    ...names,
    original: renderObject(original),
    eventsIn: (calendarZone) => renderEvents(resource, calendarZone),
  };
}

function renderEvents(resource: EventResource, calendarZone: string): MirroredEvent[] {
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

/** A single event, or an override whose master is not in the resource. */
function renderSingle(
  event: CalendarEvent,
  { seriesId, eventId }: EventResource,
  calendarZone: string,
): MirroredEvent {
  const { recurrenceId } = event;
  const startsAt = instantOf(event.start, calendarZone);
  const endsAt = Math.max(instantOf(event.end, calendarZone), startsAt);
  const ofSeries = recurrenceId === undefined ? undefined : (seriesId ?? eventId);
  const id =
    recurrenceId === undefined || ofSeries === undefined
      ? eventId
      : instanceIdOf(ofSeries, recurrenceId, calendarZone);
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
    ...detailsOf(event, calendarZone),
  });
  return {
    uid,
    timing: timingOf(event),
    content,
    searchText: searchText([title, location, ...people, description]),
  };
}

const detailsOf = (event: CalendarEvent, calendarZone: string) => ({
  title: event.title,
  description: event.description,
  allDay: event.start.type === 'date',
  timeZone: zoneNameOf(event.start, calendarZone),
  color: event.color,
  location: event.location,
  attendees: event.attendees,
  custom: event.custom,
  conference: event.conference,
  conferenceData: conferenceDataOf(event),
  availability: event.availability,
  privacy: event.privacy,
  status: event.status,
  lastModified: event.lastModified === undefined ? undefined : instantText(event.lastModified),
  link: event.link,
});

/** An IANA name: a date has no zone, and the name of a custom zone means nothing to anybody else. */
function zoneNameOf(start: EventTime, calendarZone: string): string | undefined {
  const zone = start.type === 'date' ? undefined : zoneOf(start, calendarZone);
  return typeof zone === 'string' ? zone : undefined;
}

/** The service by name, as far as the address tells it, and what the provider says of it. */
function conferenceDataOf({ conference, conferenceData }: CalendarEvent): CalendarEvent['conferenceData'] {
  const provider = conference === undefined ? undefined : conferenceProviderOf(conference);
  if (provider === undefined) return conferenceData;
  return { provider, ...conferenceData };
}

const timingOf = ({
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
