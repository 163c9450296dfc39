/**
 * Events as rows of the mirror. What an answer will say of an event is written out here, once, as JSON
 * in the words of wire 2.5, so that a listing only joins pieces of text.
 */
import type { CalendarEvent, EventResource } from '../calendars/event.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { conferenceProviderOf } from '../lib/conference-provider.ts';
import { dateText, instantText } from '../lib/instant-text.ts';
import { instantOf, zoneOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { instanceIdOf } from '../lib/recurrence/instance-id.ts';
import { searchText } from '../lib/search-text.ts';
import { overridePlace, seriesPlace, singlePlace, type Timing } from './event-place.ts';

/** Named as the columns are. */
export type EventRow = {
  readonly href: string;
  /** Empty for single events and masters. */
  readonly recurrence_id: string;
  /** The id on the wire; of an override in its master's resource the master's. */
  readonly event_id: string;
  readonly series_id: string | null;
  readonly shape: 'short' | 'long' | 'series' | 'override' | 'hidden';
  /** Epoch milliseconds; of a series, from its first instance to its last. */
  readonly starts_at: number;
  readonly ends_at: number;
  readonly etag: string | null;
  readonly uid: string;
  readonly content: string;
  readonly search_text: string;
  readonly timing: string | null;
  readonly original: string | null;
};

/** PostgreSQL cannot index longer ones; no server that people use comes near. */
const LONGEST_NAME = 1_000;
/** Enough to tell the zones of one calendar apart. */
const LONGEST_ZONE = 200;

/** The rows of one resource: at least one, so that its etag is kept even if it holds no event. */
export function rowsOf(resource: EventResource, calendarZone: string): EventRow[] {
  checkName(resource.href);
  checkName(resource.eventId);
  // Text that repeats a recurrence id: the last word counts, as a primary key can hold one only.
  const events = new Map(resource.events.map((event) => [keyOf(event.recurrenceId), event]));
  const master = events.get('');
  const overrides = [...events.values()].filter((event) => event.recurrenceId !== undefined);
  const context = { resource, calendarZone, original: JSON.stringify(resource.original) };
  if (events.size === 0) return [emptyRow(context)];
  // Whether its series is there is not known here: see series-rows.ts.
  if (resource.seriesId !== undefined) {
    checkName(resource.seriesId);
    return overrides.length === 0 ? [emptyRow(context)] : overrides.map((event) => singleRow(event, context));
  }
  if (master === undefined) return overrides.map((event) => singleRow(event, context));
  if (master.recurrence === undefined && overrides.length === 0) return [singleRow(master, context)];
  return [
    seriesRow(master, overrides, context),
    ...overrides.map((event) => overrideRow(event, master, context)),
  ];
}

/** Throws ProviderError for a name that cannot be kept. */
export function checkName(name: string): void {
  if (name.length <= LONGEST_NAME) return;
  const message = 'The server names a calendar or an event by more than 1,000 characters';
  throw new ProviderError('invalid_response', message);
}

type Context = {
  readonly resource: EventResource;
  readonly calendarZone: string;
  readonly original: string;
};

const namesOf = ({ resource }: Context) => ({
  href: storable(resource.href),
  event_id: storable(resource.eventId),
  series_id: null,
  etag: resource.etag === undefined ? null : storable(resource.etag),
});

const emptyRow = (context: Context): EventRow => ({
  ...namesOf(context),
  recurrence_id: '',
  shape: 'hidden',
  starts_at: 0,
  ends_at: 0,
  uid: '',
  content: '',
  search_text: '',
  timing: null,
  original: context.original,
});

/** A single event, or an override whose master the calendar does not have: an instance known alone. */
function singleRow(event: CalendarEvent, context: Context): EventRow {
  const { resource, calendarZone } = context;
  const seriesId = resource.seriesId ?? resource.eventId;
  const startsAt = instantOf(event.start, calendarZone);
  const endsAt = Math.max(instantOf(event.end, calendarZone), startsAt);
  const id = event.recurrenceId ? instanceIdOf(seriesId, event.recurrenceId, calendarZone) : resource.eventId;
  const isAllDay = event.start.type === 'date';
  const times = { id, start: instantText(startsAt), end: instantText(endsAt) };
  const dates = isAllDay ? { startDate: dateText(startsAt), endDate: dateText(endsAt) } : {};
  const series = event.recurrenceId ? { recurringEventId: seriesId } : {};
  return {
    ...namesOf(context),
    recurrence_id: keyOf(event.recurrenceId),
    event_id: storable(id),
    series_id: event.recurrenceId ? storable(seriesId) : null,
    ...singlePlace(timingOf(event), calendarZone),
    uid: storable(event.uid),
    ...wordsOf(event, calendarZone, { ...times, ...dates, ...series }),
    timing: JSON.stringify(timingOf(event)),
    original: context.original,
  };
}

function seriesRow(master: CalendarEvent, overrides: readonly CalendarEvent[], context: Context): EventRow {
  const names = namesOf(context);
  const timing = timingOf(master);
  return {
    ...names,
    recurrence_id: '',
    series_id: names.event_id,
    ...seriesPlace(timing, overrides.map(timingOf), context.calendarZone),
    uid: storable(master.uid),
    ...wordsOf(master, context.calendarZone),
    timing: JSON.stringify(timing),
    original: context.original,
  };
}

function overrideRow(event: CalendarEvent, master: CalendarEvent, context: Context): EventRow {
  const names = namesOf(context);
  const timing = timingOf(event);
  return {
    ...names,
    recurrence_id: keyOf(event.recurrenceId),
    series_id: names.event_id,
    ...overridePlace(timing, timingOf(master), context.calendarZone),
    uid: storable(event.uid),
    ...wordsOf(event, context.calendarZone),
    timing: JSON.stringify(timing),
    // The resource's own object is with its master.
    original: null,
  };
}

/** What an answer says of an event, and what a search finds it by. */
function wordsOf(event: CalendarEvent, calendarZone: string, times: object = {}) {
  const { title, description, location, attendees } = event;
  const people = attendees.flatMap(({ email, name }) => [name, email]);
  return {
    content: members({ ...times, ...detailsOf(event, calendarZone) }),
    search_text: searchText([title, location, ...people, description]),
  };
}

/** Wire 2.5. Absent fields are left out; `attendees` and `allDay` are always there. */
const detailsOf = (event: CalendarEvent, calendarZone: string) => ({
  // First: see seriesContent.
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

/** An IANA name: a date has no zone, and a zone of a calendar's own has no name that anybody else knows. */
function zoneNameOf(start: EventTime, calendarZone: string): string | undefined {
  const zone = start.type === 'date' ? undefined : zoneOf(start, calendarZone);
  return typeof zone === 'string' ? zone : undefined;
}

/** The service by name, as far as the address tells it, and the provider's own words. */
function conferenceDataOf({ conference, conferenceData }: CalendarEvent): object | undefined {
  const provider = conference === undefined ? undefined : conferenceProviderOf(conference);
  if (provider === undefined) return conferenceData;
  return { provider, ...conferenceData };
}

function timingOf({ start, end, recurrence, recurrenceId, thisAndFuture, status }: CalendarEvent): Timing {
  return {
    start,
    end,
    recurrence,
    recurrenceId,
    thisAndFuture,
    cancelled: status === 'cancelled' || undefined,
  };
}

/**
 * The content of an event inside a series, which tells id and times of each instance apart from it: what was written out as
 * a single event (an override that is a resource of its own) begins with them, and the title is what follows.
 */
export const seriesContent = (content: string): string => content.slice(content.indexOf('"title":'));

/** JSON without its braces, to be joined with other members. */
const members = (fields: object): string => JSON.stringify(fields).slice(1, -1);

function keyOf(time: EventTime | undefined): string {
  if (time === undefined) return '';
  if (time.type === 'date') return time.date;
  if (time.type === 'floating') return time.local;
  return `${time.local} ${typeof time.zone === 'string' ? time.zone : storable(time.zone.tzid.slice(0, LONGEST_ZONE))}`;
}

/** Providers send text that no database holds (see text-values.ts); inside JSON it is escaped anyway. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');
