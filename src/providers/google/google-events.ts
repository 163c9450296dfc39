/** Single events and series of one calendar, asked for by name, as a sync would have brought them. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { EventResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { ICalendarError } from '../../lib/icalendar/icalendar-error.ts';
import type { GoogleApi } from './google-api.ts';
import { type ListedEvent, listedEvent } from './google-event.ts';
import { pagesOf } from './google-pages.ts';
import { unreadable } from './google-refusal.ts';
import { isObject, objects, text } from './json-value.ts';

type GoogleEvent = calendar_v3.Schema$Event;

export interface GoogleEvents {
  /** Below the API's address. */
  readonly path: string;
  pathOf(id: string): string;
  /** Cancelled ones too; `undefined` when there is none. */
  get(id: string): Promise<GoogleEvent | undefined>;
  /** Exceptions have the `iCalUID` of their master; cancelled ones are listed with the others. */
  exceptionsOf(master: GoogleEvent): Promise<EventResource[]>;
  /** An event or a series with its exceptions, master first; `undefined` when it is gone. */
  series(id: string): Promise<SeriesNow | undefined>;
  /** Fails as `invalid_response` for one that has no id or no time. */
  resourceOf(event: GoogleEvent): Promise<EventResource>;
  entry(): Promise<calendar_v3.Schema$CalendarListEntry>;
}

export type SeriesNow = { readonly master: EventResource; readonly exceptions: readonly EventResource[] };

/** Google's most. */
const PAGE_SIZE = '2500';

export function googleEvents(calendarHref: string, api: GoogleApi): GoogleEvents {
  const id = encodeURIComponent(calendarHref);
  const path = `/calendars/${id}/events`;
  const entry = async () =>
    objectOf<calendar_v3.Schema$CalendarListEntry>(
      await api.get('calendarList.get', `/users/me/calendarList/${id}`, {}),
    );
  const resourceOf = async (event: GoogleEvent): Promise<EventResource> => {
    // What Google tells no zone of is in the calendar's.
    const times = [event.start, event.originalStartTime];
    const isOpen = times.some(
      (time) => text(time?.dateTime) !== undefined && text(time?.timeZone) === undefined,
    );
    const zone = isOpen ? text((await entry()).timeZone) : undefined;
    const listed = readEvent(event, zone ?? 'UTC');
    if (listed.is === 'resource') return listed.resource;
    throw unreadable(undefined, 'Google answered an event that cannot be read');
  };
  const get = async (eventId: string): Promise<GoogleEvent | undefined> => {
    try {
      return objectOf<GoogleEvent>(await api.get('events.get', `${path}/${encodeURIComponent(eventId)}`, {}));
    } catch (error) {
      if (error instanceof ProviderError && error.kind === 'not_found') return undefined;
      throw error;
    }
  };
  const exceptionsOf = async ({ id: masterId, iCalUID: uid }: GoogleEvent): Promise<EventResource[]> => {
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
  };
  return {
    path,
    pathOf: (eventId) => `${path}/${encodeURIComponent(eventId)}`,
    get,
    resourceOf,
    entry,
    exceptionsOf,
    async series(masterId) {
      const event = await get(masterId);
      if (event === undefined || event.status === 'cancelled') return undefined;
      const recurs = (event.recurrence ?? []).length > 0;
      return { master: await resourceOf(event), exceptions: recurs ? await exceptionsOf(event) : [] };
    },
  };
}

function readEvent(event: GoogleEvent, zone: string): ListedEvent {
  try {
    return listedEvent(event, zone);
  } catch (error) {
    if (error instanceof ICalendarError) return { is: 'unreadable', id: text(event.id) };
    throw error;
  }
}

/** An object is all that is known of an answer: whoever reads a member checks it. */
export function objectOf<T extends object>(answer: unknown): T {
  if (!isObject(answer)) throw unreadable(undefined);
  // Every member of the published types may be absent, and may still be anything.
  return answer as T;
}
