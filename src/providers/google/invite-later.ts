/** Adds attendees to a split series after the old half has ended, because until then the split may be undone. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { WriteResult } from '../../calendars/event-writing.ts';
import { undefinedIf } from '../expected-failure.ts';
import { objects } from '../json-value.ts';
import { normalizeAddress } from './attendees.ts';
import type { EventBody } from './event-body.ts';
import { isSeries } from './event-resource.ts';
import type { EventPatch, GoogleEvents } from './events.ts';
import { isCancelled } from './series-result.ts';
import { patchEvent } from './write-event.ts';

type GoogleEvent = calendar_v3.Schema$Event;
type Guest = calendar_v3.Schema$EventAttendee;

/** Lists of attendees to write later. Stored as JSON. */
type Invitations = {
  readonly attendees: readonly Guest[];
  /** Occurrences with a separate list, by id. */
  readonly exceptions: Readonly<Record<string, readonly Guest[]>>;
};

/** The requests that create the new series, and then its exceptions. */
export type SeriesCopy = {
  readonly body: EventBody & { id: string };
  readonly patches: readonly EventPatch[];
};

/** Separates the attendees from a copy. A copy that only the organizer attends stays unchanged. */
export function withoutAttendees(
  copy: SeriesCopy,
  source: GoogleEvent,
): SeriesCopy & { readonly invitations?: Invitations } {
  const bodies: readonly EventBody[] = [copy.body, ...copy.patches.map(({ body }) => body)];
  if (bodies.every(({ attendees }) => guestsIn({ ...source, attendees: attendees ?? [] }).size === 0))
    return copy;
  const { attendees = [], ...body } = copy.body;
  const lists = copy.patches.flatMap(({ id, body: { attendees: list } }) =>
    list ? [[id, list] as const] : [],
  );
  const patches = copy.patches.map(({ body: { attendees: _invited, ...rest }, ...patch }) => ({
    ...patch,
    body: rest,
  }));
  return {
    body,
    patches,
    invitations: { attendees: attendees ?? [], exceptions: Object.fromEntries(lists) },
  };
}

/** Implements EventWriting.inviteLater. */
export async function inviteLater(
  href: string,
  invitations: unknown,
  events: GoogleEvents,
): Promise<WriteResult> {
  // Created only by `withoutAttendees`.
  const { attendees, exceptions } = invitations as Invitations;
  const invite = async (event: GoogleEvent | undefined, list: readonly Guest[]) => {
    if (event === undefined || event.status === 'cancelled' || isComplete(event, list)) return event;
    const change = { id: event.id ?? '', etag: undefined, body: { attendees: [...list] } };
    return undefinedIf('not_found', patchEvent(change, events));
  };
  const master = await invite(await events.get(href), attendees);
  if (master === undefined || master.status === 'cancelled') return { changed: [], removed: [] };
  const existing = isSeries(master) ? await events.exceptionsOf(master) : [];
  const resources = new Map(existing.map((exception) => [exception.href, exception]));
  const changedIds = existing
    .filter((exception) => !isCancelled(exception))
    .map((exception) => exception.href);
  for (const id of new Set([...changedIds, ...Object.keys(exceptions)])) {
    const event: GoogleEvent | undefined = resources.get(id)?.original ?? (await events.get(id));
    const invited = await invite(event, exceptions[id] ?? attendees);
    if (invited !== undefined && invited !== event) resources.set(id, await events.resourceOf(invited));
  }
  return { changed: [await events.resourceOf(master), ...resources.values()], removed: [] };
}

/** Returns whether the list is written. Responses may have changed since; a shortened list counts as written. */
function isComplete(event: GoogleEvent, list: readonly Guest[]): boolean {
  if (event.attendeesOmitted === true) return true;
  const unanswered = objects<Guest>(event.attendees)
    .filter((guest) => !hasAnswer(guest))
    .map(normalizeAddress);
  return (
    guestsIn(event).symmetricDifference(guestsIn({ ...event, attendees: [...list] })).size === 0 &&
    !list.some((guest) => hasAnswer(guest) && unanswered.includes(normalizeAddress(guest)))
  );
}

const hasAnswer = ({ responseStatus }: Guest): boolean => (responseStatus ?? 'needsAction') !== 'needsAction';

/** Returns the attendees except the organizer, each as a key without the response. */
function guestsIn({ attendees, organizer }: GoogleEvent): Set<string> {
  const host = organizer && normalizeAddress(organizer);
  const guests = objects<Guest>(attendees).filter((guest) => normalizeAddress(guest) !== host);
  return new Set(
    guests.map((guest) =>
      [normalizeAddress(guest), guest.optional === true, guest.additionalGuests ?? 0].join(' '),
    ),
  );
}
