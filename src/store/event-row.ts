/** Events as rows of the mirror: what the rows say comes rendered, where they are found is decided here. */
import type { MirroredResource } from '../calendars/mirrored-event.ts';
import { ProviderError } from '../calendars/provider-error.ts';
import type { EventTime } from '../lib/recurrence/event-time.ts';
import { type Place, placesOf } from './event-place.ts';

export type EventRow = Place & {
  readonly href: string;
  /** Empty for single events and masters. */
  readonly recurrenceId: string;
  readonly eventId: string;
  readonly seriesId: string | null;
  readonly etag: string | null;
  readonly uid: string;
  readonly content: string;
  readonly searchText: string;
  readonly timing: string | null;
  /** With one row of the resource only, its master's where it has one. */
  readonly original: string | null;
};

/** PostgreSQL cannot index longer ones; no server that people use comes near. */
const LONGEST_NAME = 1_000;
/** Enough to tell the zones of one calendar apart. */
const LONGEST_ZONE = 200;

/** The rows of one resource: at least one, so that its etag is kept even if it holds no event. */
export function rowsOf(resource: MirroredResource, calendarZone: string): EventRow[] {
  const { href, eventId, seriesId, etag, original } = resource;
  for (const name of [href, eventId, seriesId ?? '']) checkName(name);
  const names = { href: storable(href), etag: optional(etag) };
  // Text that repeats a recurrence id: the last word counts, as a primary key can hold one only.
  const events = new Map(
    resource.eventsIn(calendarZone).map((event) => [keyOf(event.timing.recurrenceId), event]),
  );
  if (events.size === 0) return [{ ...NO_EVENT, ...names, eventId: storable(eventId), original }];
  const timings = [...events.values()].map(({ timing }) => timing);
  const places = placesOf(timings, calendarZone);
  return [...events].map(([recurrenceId, event], i) => ({
    ...(places[i] ?? NO_EVENT),
    ...names,
    recurrenceId,
    eventId: storable(event.id),
    seriesId: optional(event.seriesId),
    uid: storable(event.uid),
    content: event.content,
    searchText: event.searchText,
    timing: JSON.stringify(event.timing),
    original: events.has('') && recurrenceId !== '' ? null : original,
  }));
}

const NO_EVENT = {
  recurrenceId: '',
  seriesId: null,
  shape: 'hidden',
  startsAt: 0,
  endsAt: 0,
  uid: '',
  content: '',
  searchText: '',
  timing: null,
} as const;

/** Throws ProviderError for a name that cannot be kept. */
export function checkName(name: string): void {
  if (name.length <= LONGEST_NAME) return;
  const message = 'The server names a calendar or an event by more than 1,000 characters';
  throw new ProviderError('invalid_response', message);
}

function keyOf(time: EventTime | undefined): string {
  if (time === undefined) return '';
  if (time.type === 'date') return time.date;
  if (time.type === 'floating') return time.local;
  return `${time.local} ${typeof time.zone === 'string' ? time.zone : storable(time.zone.tzid.slice(0, LONGEST_ZONE))}`;
}

/** Providers send text that no database holds (see text-values.ts); inside JSON it is escaped anyway. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

export const optional = (text: string | undefined): string | null =>
  text === undefined ? null : storable(text);
