/** Converts events to rows of the mirror. Their content and positions are already rendered. */
import type { LeftOutResource } from '../../calendars/event.ts';
import type { MirroredResource } from '../../calendars/mirrored-event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Place } from '../../lib/recurrence/place-of.ts';
import { storable } from '../../lib/storable-text.ts';

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
  /** In one row of the resource only: that of its master, if there is one. */
  readonly original: string | null;
  readonly originalDigest: string | null;
  readonly tooComplex: string | null;
  /** Why the resource, or a part of it, cannot be read; in the row with its original. */
  readonly unreadable: string | null;
  /** The size of the row's names and texts in UTF-8. */
  readonly bytes: number;
};

/** PostgreSQL cannot index longer names. Common servers have far shorter names. */
const LONGEST_NAME = 1_000;

/** Returns the rows of one resource: at least one, which stores its etag even if it has no event. */
export function toEventRows({ href, eventId, seriesId, etag, ...resource }: MirroredResource): EventRow[] {
  for (const name of [href, eventId, seriesId ?? '', etag ?? '']) checkName(name);
  const names = { href: storable(href), etag: optional(etag) };
  const originals = {
    original: resource.original ?? null,
    originalDigest: resource.originalDigest ?? null,
    unreadable: optional(resource.unreadable),
  };
  const ofOriginal = resource.events.reduce((rest, { bytes }) => rest - bytes, resource.bytes);
  const { events } = resource;
  if (events.length === 0)
    return [sized({ ...NO_EVENT, ...names, ...originals, eventId: storable(eventId) }, ofOriginal)];
  const hasMaster = events.some(({ occurrence }) => occurrence === '');
  return events.map(({ occurrence, place, timing, content, searchText, bytes, ...event }) => {
    const hasOriginal = !hasMaster || occurrence === '';
    const row = {
      ...NO_EVENT,
      ...place,
      ...names,
      recurrenceId: occurrence,
      eventId: storable(event.id),
      seriesId: optional(event.seriesId),
      uid: storable(event.uid),
      content,
      searchText,
      timing,
      ...(hasOriginal && originals),
    };
    return sized(row, hasOriginal ? bytes + ofOriginal : bytes);
  });
}

/** Adds the size, which includes names: a server can make them long. */
function sized(row: Omit<EventRow, 'bytes'>, texts: number): EventRow {
  const { href, etag, eventId, seriesId, uid, recurrenceId, tooComplex, unreadable } = row;
  const names = [href, etag, eventId, seriesId, uid, recurrenceId, tooComplex, unreadable];
  return { ...row, bytes: names.reduce((sum, name) => sum + Buffer.byteLength(name ?? ''), texts) };
}

/** Returns the row of a left-out resource: the reason, and the etag, so that it is not fetched again. */
export function leftOutRow({ kind, href, etag, reason, eventId = '', seriesId }: LeftOutResource): EventRow {
  for (const name of [href, etag ?? '', reason, seriesId ?? '']) checkName(name);
  const names = { href: storable(href), etag: optional(etag), seriesId: optional(seriesId) };
  // The name may be a UID, which no index limits elsewhere.
  const id = storable(eventId.slice(0, LONGEST_NAME).toWellFormed());
  const why = { [kind === 'too_complex' ? 'tooComplex' : 'unreadable']: storable(reason) };
  return sized({ ...NO_EVENT, ...names, eventId: id, ...why }, 0);
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
  original: null,
  originalDigest: null,
  tooComplex: null,
  unreadable: null,
} as const;

/** Throws ProviderError for a name that cannot be stored. */
export function checkName(name: string): void {
  if (name.length <= LONGEST_NAME) return;
  const message = 'The server uses an id of more than 1,000 characters for a calendar or event';
  throw new ProviderError('invalid_response', message);
}

export const optional = (text: string | undefined): string | null =>
  text === undefined ? null : storable(text);
