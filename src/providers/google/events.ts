/**
 * Single events and series of one calendar: read by name as a sync would have brought them, inserted, patched and deleted.
 * Google sends invitations, changes and cancellations to all guests (`sendUpdates=all`), as CalDAV servers and Microsoft do.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import type { EventResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { ICalendarError } from '../../lib/icalendar/icalendar-error.ts';
import { isObject, objects, text } from '../json-value.ts';
import type { GoogleApi } from './api.ts';
import { unreadable } from './api-refusal.ts';
import type { EventBody } from './event-body.ts';
import { type ListedEvent, listedEvent } from './event-resource.ts';
import { pagesOf } from './pages.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export interface GoogleEvents {
  /** Cancelled ones too; `undefined` when there is none. */
  get(id: string): Promise<GoogleEvent | undefined>;
  /** Exceptions have the `iCalUID` of their master; cancelled ones are listed with the others. */
  exceptionsOf(master: GoogleEvent): Promise<EventResource[]>;
  /** An event or a series with its exceptions, master first; `undefined` when it is gone. */
  series(id: string): Promise<SeriesNow | undefined>;
  /** Fails as `invalid_response` for one that has no id or no time. */
  resourceOf(event: GoogleEvent): Promise<EventResource>;
  /** The calendar in the user's list. */
  entry(): Promise<calendar_v3.Schema$CalendarListEntry>;
  /** Fails as `precondition_failed` when the body's `id` is taken, by a deleted event too. */
  insert(body: EventBody): Promise<GoogleEvent>;
  /** Fails as `precondition_failed` when the event's version is not `etag`, as `not_found` when it is gone. */
  patch(change: EventPatch): Promise<GoogleEvent>;
  /** The same; one that is gone is no failure. */
  delete(version: EventVersion): Promise<void>;
}

export type EventVersion = {
  readonly id: string;
  /** The version the change is based on; whatever is there when absent. */
  readonly etag: string | undefined;
};

export type EventPatch = EventVersion & {
  readonly body: EventBody;
  /** Does not tell the guests. */
  readonly isQuiet?: true;
};

export type SeriesNow = { readonly master: EventResource; readonly exceptions: readonly EventResource[] };

/** Google's most. */
const PAGE_SIZE = '2500';

export function googleEvents(calendarHref: string, api: GoogleApi): GoogleEvents {
  const id = encodeURIComponent(calendarHref);
  const path = `/calendars/${id}/events`;
  const get = async (eventId: string): Promise<GoogleEvent | undefined> => {
    try {
      return objectOf<GoogleEvent>(await api.get('events.get', `${path}/${encodeURIComponent(eventId)}`, {}));
    } catch (error) {
      if (error instanceof ProviderError && error.kind === 'not_found') return undefined;
      throw error;
    }
  };
  const entry = async () =>
    objectOf<Entry>(await api.get('calendarList.get', `/users/me/calendarList/${id}`, {}));
  const resourceOf = async (event: GoogleEvent): Promise<EventResource> => {
    // What Google tells no zone of is in the calendar's.
    const zone = hasOpenZone(event) ? text((await entry()).timeZone) : undefined;
    const listed = readEvent(event, zone ?? 'UTC');
    if (listed.is === 'resource') return listed.resource;
    throw unreadable(undefined, 'Google answered an event that cannot be read');
  };
  const exceptionsOf = (master: GoogleEvent) => listExceptions(master, path, api);
  return {
    get,
    entry,
    resourceOf,
    exceptionsOf,
    async series(masterId) {
      const event = await get(masterId);
      if (event === undefined || event.status === 'cancelled') return undefined;
      const recurs = (event.recurrence ?? []).length > 0;
      return { master: await resourceOf(event), exceptions: recurs ? await exceptionsOf(event) : [] };
    },
    ...writesTo(path, api),
  };
}

type Entry = calendar_v3.Schema$CalendarListEntry;

const hasOpenZone = ({ start, originalStartTime }: GoogleEvent): boolean =>
  [start, originalStartTime].some((time) => text(time?.dateTime) !== undefined && !text(time?.timeZone));

async function listExceptions(
  { id: masterId, iCalUID: uid }: GoogleEvent,
  path: string,
  api: GoogleApi,
): Promise<EventResource[]> {
  const iCalUID = text(uid);
  if (iCalUID === undefined) throw unreadable(undefined, 'Google answered a series without a UID');
  const ask = (pageToken: string | undefined) =>
    api.get('events.list', path, { maxResults: PAGE_SIZE, singleEvents: 'false', iCalUID, pageToken });
  const found: EventResource[] = [];
  for await (const page of pagesOf<calendar_v3.Schema$Events>(ask)) {
    const zone = text(page.timeZone) ?? 'UTC';
    for (const event of objects<GoogleEvent>(page.items)) {
      if (event.recurringEventId !== masterId) continue;
      const listed = readEvent(event, zone);
      if (listed.is === 'resource') found.push(listed.resource);
    }
  }
  return found;
}

function writesTo(path: string, api: GoogleApi): Pick<GoogleEvents, 'insert' | 'patch' | 'delete'> {
  const pathOf = (id: string): string => `${path}/${encodeURIComponent(id)}`;
  return {
    async insert(body) {
      const request = { method: 'POST', operation: 'events.insert', path, body } as const;
      return objectOf<GoogleEvent>(await api.write({ ...request, parameters: parametersFor(body) }));
    },
    async patch({ id, etag, body, isQuiet }) {
      const request = { method: 'PATCH', operation: 'events.patch', path: pathOf(id), body } as const;
      const parameters = isQuiet ? { ...parametersFor(body), sendUpdates: 'none' } : parametersFor(body);
      return objectOf<GoogleEvent>(await api.write({ ...request, parameters, ifMatch: etag }));
    },
    async delete({ id, etag }) {
      const request = { method: 'DELETE', operation: 'events.delete', path: pathOf(id) } as const;
      try {
        await api.write({ ...request, parameters: PARAMETERS, ifMatch: etag });
      } catch (error) {
        if (!(error instanceof ProviderError) || error.kind !== 'not_found') throw error;
      }
    },
  };
}

const PARAMETERS = { sendUpdates: 'all' };

/** Conferences are left as they are unless the request says that it knows of them. */
const parametersFor = ({ conferenceData }: EventBody) =>
  conferenceData === undefined ? PARAMETERS : { ...PARAMETERS, conferenceDataVersion: '1' };

function readEvent(event: GoogleEvent, zone: string): ListedEvent {
  try {
    return listedEvent(event, zone);
  } catch (error) {
    if (error instanceof ICalendarError) return { is: 'unreadable', id: text(event.id) };
    throw error;
  }
}

/** An object is all that is known of an answer: whoever reads a member checks it. */
function objectOf<T extends object>(answer: unknown): T {
  if (!isObject(answer)) throw unreadable(undefined);
  // Every member of the published types may be absent, and may still be anything.
  return answer as T;
}
