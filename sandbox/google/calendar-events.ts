/** Changes to the events of a calendar, by the API or by people in Google's own app. */
import { randomBytes } from 'node:crypto';
import { formatLocal } from '../../src/lib/recurrence/civil.ts';
import { formatInstanceId, parseInstanceId, toInstant } from '../../src/lib/recurrence/event-instant.ts';
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { localOfInstant } from '../../src/lib/recurrence/zone.ts';
import { exceptionsOf, isMaster, patternInstanceAt } from './event-series.ts';
import type { EventDetails, GoogleCalendar, Invitation, StoredEvent } from './google-store.ts';

/** The fields of an event that a writer sets. */
export type EventInput = {
  readonly status?: 'confirmed' | 'tentative';
  readonly start: EventTime;
  readonly end: EventTime;
  readonly recurrence?: readonly string[] | undefined;
  readonly details: EventDetails;
};

/** An event in its calendar. */
export type PlacedEvent = { readonly calendar: GoogleCalendar; readonly event: StoredEvent };

export type Writer = { readonly email: string; readonly now: number };

/** base32hex in lower case, 26 characters, as Google seems to make them: no source confirms it. */
export const newEventId = (): string =>
  Array.from(randomBytes(26), (byte) => '0123456789abcdefghijklmnopqrstuv'[byte % 32]).join('');

export type NewEvent = EventInput & {
  /** The id must be free; if absent, a new one is created. */
  readonly id?: string | undefined;
  /** The invitation, if the event belongs to another organizer. */
  readonly invitation?: Invitation;
};

export function insertEvent(
  calendar: GoogleCalendar,
  { id = newEventId(), ...input }: NewEvent,
  { email, now }: Writer,
): StoredEvent {
  return put(calendar, {
    ...input,
    id,
    iCalUID: `${id}@google.com`,
    status: input.status ?? 'confirmed',
    creator: email,
    sequence: 0,
    created: now,
    updated: now,
  });
}

/** Replaces a single event, a master or an exception. Exceptions that a master's new pattern lacks are cancelled. */
export function replaceEvent(
  { calendar, event }: PlacedEvent,
  input: EventInput,
  { now }: Writer,
): StoredEvent {
  const replaced = put(calendar, {
    ...event,
    ...input,
    recurrence: event.instanceOf === undefined ? input.recurrence : undefined,
    status: input.status ?? 'confirmed',
    sequence: event.sequence + 1,
    updated: now,
  });
  if (event.instanceOf === undefined) cancelLostExceptions(calendar, replaced, now);
  return replaced;
}

/** Stores details that Google itself adds to an event. */
export function amendEvent(
  { calendar, event }: PlacedEvent,
  details: EventDetails,
  now: number,
): StoredEvent {
  return put(calendar, { ...event, details, updated: now });
}

/**
 * Google keeps exceptions that are still in the pattern. No source confirms that the others stay as cancelled ones,
 * which a sync lists.
 */
function cancelLostExceptions(calendar: GoogleCalendar, master: StoredEvent, now: number): void {
  for (const exception of exceptionsOf(calendar, master.id)) {
    const { instanceOf, status } = exception;
    if (instanceOf === undefined || status === 'cancelled') continue;
    const stays = isMaster(master) && patternInstanceAt(calendar, master, instanceOf.original) !== undefined;
    if (!stays) put(calendar, { ...exception, status: 'cancelled', updated: now });
  }
}

/**
 * Deletes an event, a series or an instance. A deleted series takes its exceptions with it. No source confirms that a
 * sync lists only the master; it is the harder case for clients.
 */
export function cancelEvent({ calendar, event }: PlacedEvent, { now }: Writer): void {
  put(calendar, { ...event, status: 'cancelled', updated: now, sequence: event.sequence + 1 });
  if (event.instanceOf !== undefined) return;
  for (const id of calendar.exceptions.get(event.id) ?? []) calendar.events.delete(id);
  calendar.exceptions.delete(event.id);
}

function put(calendar: GoogleCalendar, event: Omit<StoredEvent, 'version'>): StoredEvent {
  calendar.version += 1;
  const stored: StoredEvent = { ...event, version: calendar.version };
  calendar.events.set(event.id, stored);
  if (event.instanceOf !== undefined) {
    const { masterId } = event.instanceOf;
    const ids = calendar.exceptions.get(masterId) ?? new Set();
    calendar.exceptions.set(masterId, ids.add(event.id));
  }
  return stored;
}

/**
 * Returns an event by its id, or an instance of a series by its id; an unchanged instance is returned as the exception
 * it would become.
 */
export function findEvent(calendar: GoogleCalendar, id: string): StoredEvent | undefined {
  const event = calendar.events.get(id);
  if (event !== undefined) return event;
  const parsedId = parseInstanceId(id);
  const master = parsedId && calendar.events.get(parsedId.masterId);
  if (parsedId === undefined || master === undefined || !isMaster(master)) return undefined;
  return instanceAt(calendar, master, parsedId.originalStart);
}

/** An instance of the pattern as the exception it would become when somebody changes it. */
export function instanceAt(
  calendar: GoogleCalendar,
  master: StoredEvent,
  originalStart: EventTime,
): StoredEvent | undefined {
  const instance = patternInstanceAt(calendar, master, originalStart);
  return instance && unchangedInstance(calendar, master, instance);
}

export function unchangedInstance(
  calendar: GoogleCalendar,
  master: StoredEvent,
  { originalStart, startsAt, endsAt }: { originalStart: EventTime; startsAt: number; endsAt: number },
): StoredEvent {
  return {
    ...master,
    id: formatInstanceId(master.id, originalStart, calendar.timeZone),
    start: timeAt(master.start, startsAt),
    end: timeAt(master.end, endsAt),
    recurrence: undefined,
    instanceOf: { masterId: master.id, original: originalStart },
    // Adds half a step, because no stored event has such a version.
    version: calendar.instanceVersions === 'own' ? master.version + 0.5 : master.version,
  };
}

/** The instant in the type and zone of `model`. */
function timeAt(model: EventTime, instant: number): EventTime {
  if (model.type === 'date') return { type: 'date', date: formatLocal(instant).slice(0, 10) };
  const zone = model.type === 'zoned' ? model.zone : 'UTC';
  return { type: 'zoned', local: formatLocal(localOfInstant(zone, instant)), zone };
}

/** Returns the event's interval; for a cancelled exception, that of the instance it cancels. */
export const spanOf = ({ start, end }: StoredEvent, { timeZone }: GoogleCalendar) => ({
  startsAt: toInstant(start, timeZone),
  endsAt: toInstant(end, timeZone),
});
