/**
 * Single events and series of one calendar: read by name as a sync would have brought them, inserted, patched and deleted.
 * Google sends invitations, changes and cancellations to all guests (`sendUpdates=all`), as CalDAV servers and Microsoft do.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import type { EventResource } from '../../calendars/event.ts';
import { undefinedIf } from '../expected-failure.ts';
import { objects, text } from '../json-value.ts';
import type { ApiWrite, GoogleApi } from './api.ts';
import { unreadable } from './api-refusal.ts';
import type { EventBody } from './event-body.ts';
import { isSeries, listedEvent } from './event-resource.ts';

type GoogleEvent = calendar_v3.Schema$Event;
type Entry = calendar_v3.Schema$CalendarListEntry;

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
  entry(): Promise<Entry>;
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

export function googleEvents(calendarHref: string, api: GoogleApi): GoogleEvents {
  const calendarId = encodeURIComponent(calendarHref);
  const path = `/calendars/${calendarId}/events`;
  const get = (id: string) =>
    undefinedIf('not_found', api.get<GoogleEvent>({ operation: 'events.get', path: pathIn(path, id) }));
  const entry = () =>
    api.get<Entry>({ operation: 'calendarList.get', path: `/users/me/calendarList/${calendarId}` });
  const resourceOf = async (event: GoogleEvent): Promise<EventResource> => {
    // What Google tells no zone of is in the calendar's.
    const zone = hasOpenZone(event) ? text((await entry()).timeZone) : undefined;
    const listed = listedEvent(event, zone ?? 'UTC');
    if (listed.is === 'resource') return listed.resource;
    throw unreadable('Google answered an event that cannot be read');
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
      return {
        master: await resourceOf(event),
        exceptions: isSeries(event) ? await exceptionsOf(event) : [],
      };
    },
    ...writesTo(path, api),
  };
}

const pathIn = (path: string, id: string): string => `${path}/${encodeURIComponent(id)}`;

const hasOpenZone = ({ start, originalStartTime }: GoogleEvent): boolean =>
  [start, originalStartTime].some((time) => text(time?.dateTime) !== undefined && !text(time?.timeZone));

async function listExceptions(master: GoogleEvent, path: string, api: GoogleApi): Promise<EventResource[]> {
  const iCalUID = text(master.iCalUID);
  if (iCalUID === undefined) throw unreadable('Google answered a series without a UID');
  // Google's most.
  const parameters = { maxResults: '2500', singleEvents: 'false', iCalUID };
  const exceptions: EventResource[] = [];
  for await (const page of api.list<calendar_v3.Schema$Events>({
    operation: 'events.list',
    path,
    parameters,
  })) {
    const items = objects<GoogleEvent>(page.items).filter((event) => event.recurringEventId === master.id);
    const listed = items.map((event) => listedEvent(event, text(page.timeZone) ?? 'UTC'));
    exceptions.push(...listed.flatMap((event) => (event.is === 'resource' ? event.resource : [])));
  }
  return exceptions;
}

function writesTo(path: string, api: GoogleApi): Pick<GoogleEvents, 'insert' | 'patch' | 'delete'> {
  const write = async (request: ApiWrite): Promise<GoogleEvent> => {
    const event = await api.write<GoogleEvent>(request);
    if (event === undefined) throw unreadable();
    return event;
  };
  return {
    insert: (body) =>
      write({ method: 'POST', operation: 'events.insert', path, body, parameters: parametersFor(body) }),
    patch({ id, etag, body, isQuiet }) {
      const request = { method: 'PATCH', operation: 'events.patch', path: pathIn(path, id), body } as const;
      const parameters = { ...parametersFor(body), ...(isQuiet && { sendUpdates: 'none' }) };
      return write({ ...request, parameters, ifMatch: etag });
    },
    async delete({ id, etag }) {
      const request = { method: 'DELETE', operation: 'events.delete', path: pathIn(path, id) } as const;
      await undefinedIf('not_found', api.write({ ...request, parameters: PARAMETERS, ifMatch: etag }));
    },
  };
}

const PARAMETERS = { sendUpdates: 'all' };

/** Conferences are left as they are unless the request says that it knows of them. */
const parametersFor = ({ conferenceData }: EventBody) =>
  conferenceData === undefined ? PARAMETERS : { ...PARAMETERS, conferenceDataVersion: '1' };
