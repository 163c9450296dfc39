/**
 * Events as rows of the mirror. What an answer will say of an event is written out here, once, as JSON
 * in the words of wire 2.5, so that a listing only joins pieces of text.
 */
import type { CalendarEvent, EventResource } from '../calendars/event.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import { instantText } from '../lib/instant-text.ts';
import { instantOf } from '../lib/recurrence/event-instant.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { instanceIdOf } from '../lib/recurrence/instance-id.ts';
import type { Series, SeriesMaster, SeriesOverride } from '../lib/recurrence/series.ts';
import { spanOf } from '../lib/recurrence/span-of.ts';

/** Named as the columns are. */
export type EventRow = {
  readonly href: string;
  /** Empty for single events and masters. */
  readonly recurrence_id: string;
  readonly event_id: string;
  readonly series_id: string | null;
  readonly shape: 'short' | 'long' | 'series' | 'override' | 'hidden';
  /** Epoch milliseconds; of a series, from its first instance to its last. */
  readonly starts_at: number;
  readonly ends_at: number;
  readonly etag: string | null;
  readonly uid: string;
  readonly content: string;
  readonly timing: string | null;
  readonly original: string | null;
};

/** What `timing` holds: the times as the calendar means them. */
export type Timing = Pick<
  CalendarEvent,
  'start' | 'end' | 'recurrence' | 'recurrenceId' | 'thisAndFuture'
> & { readonly cancelled?: true };

/** The longest a 'short' event lasts, in milliseconds: a day on which the clock goes back. */
export const LONGEST_SHORT = 25 * 3_600_000;
/** The end of a series without one: the year 10,000. */
const NEVER = 253_402_300_800_000;
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

/** The series that a master and its overrides make; `payload` is what is kept with each. */
export function seriesOf<T>(master: Timing, overrides: readonly Timing[], payload: (i: number) => T) {
  const made: Series<T> & { master: SeriesMaster<T> } = {
    master: { start: master.start, end: master.end, recurrence: master.recurrence, payload: payload(-1) },
    overrides: overrides.flatMap((timing, i) => overrideOf(timing, payload(i))),
  };
  return made;
}

function overrideOf<T>(timing: Timing, payload: T): SeriesOverride<T>[] {
  const { recurrenceId, start, end, thisAndFuture, cancelled } = timing;
  if (recurrenceId === undefined) return [];
  return [{ recurrenceId, start, end, thisAndFuture, cancelled: cancelled === true, payload }];
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
  timing: null,
  original: context.original,
});

/** A single event, or an override whose master the calendar does not have: an instance known alone. */
function singleRow(event: CalendarEvent, context: Context): EventRow {
  const { resource, calendarZone } = context;
  const names = namesOf(context);
  const startsAt = instantOf(event.start, calendarZone);
  const endsAt = Math.max(instantOf(event.end, calendarZone), startsAt);
  const id = event.recurrenceId
    ? instanceIdOf(resource.eventId, event.recurrenceId, calendarZone)
    : resource.eventId;
  const times = { id, start: instantText(startsAt), end: instantText(endsAt) };
  const series = event.recurrenceId ? { recurringEventId: resource.eventId } : {};
  const shape = endsAt - startsAt > LONGEST_SHORT ? 'long' : 'short';
  return {
    ...names,
    recurrence_id: keyOf(event.recurrenceId),
    event_id: storable(id),
    series_id: event.recurrenceId ? names.event_id : null,
    shape: event.status === 'cancelled' ? 'hidden' : shape,
    starts_at: startsAt,
    // An event without length is found as one of a millisecond: no window may pass it over.
    ends_at: Math.max(endsAt, startsAt + 1),
    uid: storable(event.uid),
    content: members({ ...times, ...series, ...detailsOf(event) }),
    timing: timingOf(event),
    original: context.original,
  };
}

function seriesRow(master: CalendarEvent, overrides: readonly CalendarEvent[], context: Context): EventRow {
  const names = namesOf(context);
  const timings = overrides.map(
    (event): Timing => (event.status === 'cancelled' ? { ...event, cancelled: true } : event),
  );
  const span = spanOf(
    seriesOf(master, timings, () => undefined),
    context.calendarZone,
  );
  return {
    ...names,
    recurrence_id: '',
    series_id: names.event_id,
    shape: master.status === 'cancelled' ? 'hidden' : 'series',
    starts_at: span.startsAt,
    // The span's end is inclusive, the column's is not.
    ends_at: Math.min(span.endsAt + 1, NEVER),
    uid: storable(master.uid),
    content: members(detailsOf(master)),
    timing: timingOf(master),
    original: context.original,
  };
}

function overrideRow(event: CalendarEvent, master: CalendarEvent, context: Context): EventRow {
  const names = namesOf(context);
  const startsAt = instantOf(event.start, context.calendarZone);
  return {
    ...names,
    recurrence_id: keyOf(event.recurrenceId),
    series_id: names.event_id,
    shape: master.status === 'cancelled' ? 'hidden' : 'override',
    starts_at: startsAt,
    ends_at: Math.max(instantOf(event.end, context.calendarZone), startsAt + 1),
    uid: storable(event.uid),
    content: members(detailsOf(event)),
    timing: timingOf(event),
    // The resource's own object is with its master.
    original: null,
  };
}

/** Wire 2.5. Absent fields are left out; `attendees` and `allDay` are always there. */
const detailsOf = (event: CalendarEvent) => ({
  title: event.title,
  description: event.description,
  allDay: event.start.type === 'date',
  color: event.color,
  location: event.location,
  attendees: event.attendees,
  custom: event.custom,
  conference: event.conference,
  availability: event.availability,
  privacy: event.privacy,
  status: event.status,
  lastModified: event.lastModified === undefined ? undefined : instantText(event.lastModified),
  link: event.link,
});

function timingOf({ start, end, recurrence, recurrenceId, thisAndFuture, status }: CalendarEvent): string {
  const cancelled = status === 'cancelled' ? true : undefined;
  return JSON.stringify({ start, end, recurrence, recurrenceId, thisAndFuture, cancelled });
}

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
