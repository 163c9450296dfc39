/** Adds attendees to a split series after the old half has ended, since Exchange notifies them of every write. */
import type { Attendee, Event as GraphEvent } from '@microsoft/microsoft-graph-types';

import type { WriteResult } from '../../calendars/event-writing.ts';
import type { EventTime } from '../../lib/recurrence/event-time.ts';
import { undefinedIf } from '../expected-failure.ts';
import { type Current, currentEvent, findOccurrence, toIfMatch, toStartKey } from './current-event.ts';
import type { GraphItem } from './event-resource.ts';
import type { NewException } from './make-exceptions.ts';
import { readEvent, type Source } from './read-events.ts';
import { patchEvent } from './write-requests.ts';

/** Lists of attendees to write later. Stored as JSON. */
type Invitations = {
  readonly attendees: readonly Attendee[];
  /** Occurrences with a separate list. */
  readonly exceptions: readonly { readonly original: EventTime; readonly attendees: readonly Attendee[] }[];
};

/** The requests that create the new series, and then its exceptions. */
export type SeriesCopy = { readonly body: GraphEvent; readonly exceptions: readonly NewException[] };

/** Separates the attendees from a copy. A copy that only the organizer attends stays unchanged. */
export function withoutAttendees(
  { body: { attendees, ...body }, exceptions }: SeriesCopy,
  { organizer }: GraphItem,
): SeriesCopy & { readonly invitations?: Invitations } {
  const lists = [attendees, ...exceptions.map(({ fields }) => fields.attendees)];
  const isAttended = lists.some(
    (list) => guestsIn({ attendees: list ?? [], organizer: organizer ?? null }).size > 0,
  );
  if (!isAttended) return { body: { ...body, ...(attendees && { attendees }) }, exceptions };
  const differing = exceptions.flatMap(({ original, fields }) =>
    fields.attendees ? [{ original, attendees: fields.attendees }] : [],
  );
  const plain = exceptions.map(({ fields: { attendees: _invited, ...fields }, ...exception }) => ({
    ...exception,
    fields,
  }));
  return { body, exceptions: plain, invitations: { attendees: attendees ?? [], exceptions: differing } };
}

/** Implements EventWriting.inviteLater. */
export async function inviteLater(source: Source, href: string, invitations: unknown): Promise<WriteResult> {
  // Created only by `withoutAttendees`.
  const { attendees, exceptions } = invitations as Invitations;
  const target = { href, etag: undefined, stored: [] };
  const read = () => undefinedIf('not_found', currentEvent(source, target));
  let series = await read();
  if (series === undefined) return { changed: [], removed: [] };
  const invite = async (event: Current, list: readonly Attendee[]): Promise<boolean> => {
    const organizer = event.item.organizer ?? null;
    const missing = guestsIn({ attendees: [...list], organizer });
    if (guestsIn(event.item).symmetricDifference(missing).size === 0) return false;
    await patchEvent(source, event, { attendees: [...list] });
    return true;
  };
  if (await invite(series, attendees)) series = await read();
  if (series === undefined) return { changed: [], removed: [] };
  const { event, resources } = series;
  const listed = new Map(exceptions.map((exception) => [toStartKey(event, exception.original), exception]));
  let isChanged = false;
  for (const {
    events: [exception],
    original,
  } of resources.slice(1)) {
    const item: GraphItem = original;
    if (exception?.recurrenceId === undefined || !item.id) continue;
    const key = toStartKey(event, exception.recurrenceId);
    const occurrence = { id: item.id, event, item, ifMatch: toIfMatch(item) };
    if (await invite(occurrence, listed.get(key)?.attendees ?? attendees)) isChanged = true;
    listed.delete(key);
  }
  for (const { original, attendees: list } of listed.values()) {
    const item = await findOccurrence(source, series, original);
    if (!item?.id) continue;
    if (await invite({ id: item.id, event, item, ifMatch: undefined }, list)) isChanged = true;
  }
  const changed = isChanged ? await readEvent(source, href, true) : resources;
  return { changed: changed === 'gone' ? [] : changed, removed: [] };
}

/** Returns the attendees except the organizer, each as a key of address and type. */
function guestsIn({ attendees, organizer }: Pick<GraphItem, 'attendees' | 'organizer'>): Set<string> {
  const host = organizer?.emailAddress?.address?.toLowerCase();
  return new Set(
    (attendees ?? []).flatMap(({ emailAddress, type }) => {
      const address = emailAddress?.address?.toLowerCase();
      return address === undefined || address === host ? [] : `${address} ${type ?? 'required'}`;
    }),
  );
}
