/**
 * Reads and writes the events of one calendar. Google notifies all attendees of invitations, changes and cancellations
 * (`sendUpdates=all`), as CalDAV servers and Microsoft do.
 */
import type { calendar_v3 } from '@googleapis/calendar';

import type { EventResource } from '../../calendars/event.ts';
import type { Log } from '../../lib/log.ts';
import { undefinedIf } from '../expected-failure.ts';
import { objects, text } from '../json-value.ts';
import type { ApiRead, ApiWrite, GoogleApi } from './api.ts';
import { unreadable } from './api-refusal.ts';
import type { EventBody } from './event-body.ts';
import { isSeries, listedEvent } from './event-resource.ts';

type GoogleEvent = calendar_v3.Schema$Event;
type Entry = calendar_v3.Schema$CalendarListEntry;

export interface GoogleEvents {
  /** Returns an event, cancelled ones included; `undefined` if there is none. */
  get(id: string): Promise<GoogleEvent | undefined>;
  /** Returns the exceptions with the `iCalUID` of their master. Cancelled ones may lack it and are then missing. */
  exceptionsOf(master: GoogleEvent): Promise<EventResource[]>;
  /** Returns an event, or a series with its `exceptionsOf`; `undefined` if it does not exist. */
  series(id: string): Promise<SeriesNow | undefined>;
  /** Returns the same with all cancelled exceptions, for callers that do not know them. */
  wholeSeries(id: string): Promise<SeriesNow | undefined>;
  /** Fails as `invalid_response` if an event has no id or no time. */
  resourceOf(event: GoogleEvent): Promise<EventResource>;
  /** Returns the calendar's entry in the user's list. */
  entry(): Promise<Entry>;
  /** Fails as `precondition_failed` if the `id` in the body is taken, even by a deleted event. */
  insert(body: EventBody, notice?: Notice): Promise<GoogleEvent>;
  /** Fails as `precondition_failed` if the version is not `etag`, as `not_found` if the event does not exist. */
  patch(change: EventPatch): Promise<GoogleEvent>;
  /** Deletes an event in the same way. Succeeds if it does not exist. */
  delete(version: EventVersion & Pick<EventPatch, 'isQuiet'>): Promise<void>;
  /** Logs that an occurrence has members of its series because Google refused its own. */
  reportRefused(occurrence: string, members: readonly string[]): void;
}

/** Attendees are notified of an insertion unless it is `quiet`. */
export type Notice = 'quiet';

export type EventVersion = {
  readonly id: string;
  /** The version that the change is based on; undefined for any version. */
  readonly etag: string | undefined;
};

export type EventPatch = EventVersion & {
  readonly body: EventBody;
  /** No attendee is notified. */
  readonly isQuiet?: boolean | undefined;
};

export type SeriesNow = { readonly master: EventResource; readonly exceptions: readonly EventResource[] };

export function googleEvents(calendarHref: string, api: GoogleApi, log: Log): GoogleEvents {
  const calendarId = encodeURIComponent(calendarHref);
  const path = `/calendars/${calendarId}/events`;
  const get = (id: string) =>
    undefinedIf(
      'not_found',
      api.get<GoogleEvent>({ operation: 'events.get', path: buildEventPath(path, id) }),
    );
  const entry = () =>
    api.get<Entry>({ operation: 'calendarList.get', path: `/users/me/calendarList/${calendarId}` });
  const resourceOf = async (event: GoogleEvent): Promise<EventResource> => {
    // If Google sends no zone with an event, it has the calendar's zone.
    const zone = hasOpenZone(event) ? text((await entry()).timeZone) : undefined;
    const listed = listedEvent(event, zone ?? 'UTC');
    if (listed.is === 'resource') return listed.resource;
    throw unreadable('Google returned an event that cannot be read');
  };
  const exceptionsOf = (master: GoogleEvent) => listExceptions(master, path, api);
  const seriesWith = async (
    masterId: string,
    exceptionsIn: (master: GoogleEvent) => Promise<EventResource[]>,
  ): Promise<SeriesNow | undefined> => {
    const event = await get(masterId);
    if (event === undefined || event.status === 'cancelled') return undefined;
    const exceptions = isSeries(event) ? await exceptionsIn(event) : [];
    return { master: await resourceOf(event), exceptions };
  };
  return {
    get,
    entry,
    resourceOf,
    exceptionsOf,
    series: (id) => seriesWith(id, exceptionsOf),
    wholeSeries: (id) => {
      const listAllExceptions = async (master: GoogleEvent) => {
        const listed = [...(await listCancelled(master, path, api)), ...(await exceptionsOf(master))];
        return [...new Map(listed.map((exception) => [exception.href, exception])).values()];
      };
      // It may be deleted while its instances are listed.
      return undefinedIf('not_found', seriesWith(id, listAllExceptions));
    },
    ...writesTo(path, api),
    reportRefused: (occurrence, members) =>
      log.warn(
        { event: 'occurrence_not_kept', calendar: calendarHref, occurrence, members },
        'Google refused fields of an occurrence, which now has those of its series',
      ),
  };
}

const buildEventPath = (path: string, id: string): string => `${path}/${encodeURIComponent(id)}`;

const hasOpenZone = ({ start, originalStartTime }: GoogleEvent): boolean =>
  [start, originalStartTime].some((time) => text(time?.dateTime) !== undefined && !text(time?.timeZone));

async function listExceptions(master: GoogleEvent, path: string, api: GoogleApi): Promise<EventResource[]> {
  const iCalUID = text(master.iCalUID);
  if (iCalUID === undefined) throw unreadable('Google returned a series without a UID');
  const parameters = { singleEvents: 'false', iCalUID };
  const request = { operation: 'events.list', path, parameters };
  return collect(request, ({ recurringEventId }) => recurringEventId === master.id, api);
}

/** Lists deleted occurrences. Only a listing of all instances has all of them, so few members are requested. */
async function listCancelled(master: GoogleEvent, path: string, api: GoogleApi): Promise<EventResource[]> {
  const fields = 'timeZone,nextPageToken,items(id,etag,status,iCalUID,recurringEventId,originalStartTime)';
  const request = {
    operation: 'events.instances',
    path: `${buildEventPath(path, master.id ?? '')}/instances`,
    parameters: { showDeleted: 'true', fields },
  };
  return collect(request, ({ status }) => status === 'cancelled', api);
}

async function collect(
  { parameters, ...request }: ApiRead,
  isWanted: (event: GoogleEvent) => boolean,
  api: GoogleApi,
): Promise<EventResource[]> {
  const exceptions: EventResource[] = [];
  // Google's maximum.
  const largest = { ...parameters, maxResults: '2500' };
  for await (const page of api.list<calendar_v3.Schema$Events>({ ...request, parameters: largest })) {
    const items = objects<GoogleEvent>(page.items).filter(isWanted);
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
    insert(body, notice) {
      const parameters = { ...parametersFor(body), ...(notice && QUIETLY) };
      return write({ method: 'POST', operation: 'events.insert', path, body, parameters });
    },
    patch({ id, etag, body, isQuiet }) {
      const request = {
        method: 'PATCH',
        operation: 'events.patch',
        path: buildEventPath(path, id),
        body,
      } as const;
      const parameters = { ...parametersFor(body), ...(isQuiet && QUIETLY) };
      return write({ ...request, parameters, ifMatch: etag });
    },
    async delete({ id, etag, isQuiet }) {
      const request = {
        method: 'DELETE',
        operation: 'events.delete',
        path: buildEventPath(path, id),
      } as const;
      await undefinedIf(
        'not_found',
        api.write({ ...request, parameters: isQuiet ? QUIETLY : PARAMETERS, ifMatch: etag }),
      );
    },
  };
}

const PARAMETERS = { sendUpdates: 'all' };
const QUIETLY = { sendUpdates: 'none' };

/** Google ignores conferences and attachments in a request without these parameters. */
const parametersFor = ({ conferenceData, attachments }: EventBody) => ({
  ...PARAMETERS,
  ...(conferenceData === undefined ? {} : { conferenceDataVersion: '1' }),
  ...(attachments === undefined ? {} : { supportsAttachments: 'true' }),
});
