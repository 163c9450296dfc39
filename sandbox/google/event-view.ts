/** Events as the API answers them, typed by Google's published types. */
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { writeTime } from './event-times.ts';
import type { AccessRole, GoogleCalendar, GoogleEvent, StoredEvent } from './google-store.ts';

export type Viewer = {
  readonly role: AccessRole;
  /** The grant shows no more than that somebody is busy. */
  readonly busyOnly: boolean;
  /** The zone whose offsets times are written in. */
  readonly timeZone: string;
  readonly origin: string;
};

/** In quotes, as HTTP writes them: the resource carries the same text as the header. */
export const etagOf = ({ version }: { readonly version: number }): string =>
  `"${3_500_000_000_000_000 + version}"`;

export function viewOf(calendar: GoogleCalendar, event: StoredEvent, viewer: Viewer): GoogleEvent {
  const { instanceOf, status } = event;
  const time = (value: EventTime) => writeTime(value, viewer.timeZone);
  const head: GoogleEvent = {
    kind: 'calendar#event',
    etag: etagOf(event),
    id: event.id,
    status,
    ...(instanceOf === undefined
      ? {}
      : { recurringEventId: instanceOf.masterId, originalStartTime: time(instanceOf.original) }),
  };
  // All that is guaranteed of what is cancelled. (The organizer is shown more by Google; nobody may rely on it.)
  if (status === 'cancelled') return head;
  const placed: GoogleEvent = {
    ...head,
    start: time(event.start),
    end: time(event.end),
    ...(event.recurrence === undefined ? {} : { recurrence: [...event.recurrence] }),
    iCalUID: event.iCalUID,
    sequence: event.sequence,
    created: new Date(event.created).toISOString(),
    updated: new Date(event.updated).toISOString(),
    eventType: event.details.eventType ?? 'default',
    ...(event.details.transparency === 'transparent' ? { transparency: 'transparent' } : {}),
  };
  // No source confirms which fields are left of an event that may only be seen as busy.
  if (hidesDetails(event, viewer)) return { ...placed, visibility: 'private' };
  return { ...placed, ...detailsOf(calendar, event, viewer) };
}

function hidesDetails({ details }: StoredEvent, { role, busyOnly }: Viewer): boolean {
  if (busyOnly || role === 'freeBusyReader') return true;
  const isPrivate = details.visibility === 'private' || details.visibility === 'confidential';
  return isPrivate && role === 'reader';
}

function detailsOf(calendar: GoogleCalendar, event: StoredEvent, { origin }: Viewer): GoogleEvent {
  const { attendees, ...details } = event.details;
  // `self` means the calendar that this copy of the event is on, not the reader.
  const self = (address: string) => (address === calendar.id ? { self: true } : {});
  return {
    ...details,
    htmlLink: `${origin}/calendar/event?eid=${Buffer.from(`${event.id} ${calendar.id}`).toString('base64url')}`,
    creator: { email: event.creator, ...self(event.creator) },
    organizer: { email: calendar.id, displayName: calendar.title, self: true },
    ...(attendees === undefined
      ? {}
      : {
          attendees: attendees.map((attendee) => ({
            ...attendee,
            responseStatus: attendee.responseStatus ?? 'needsAction',
            ...self(attendee.email ?? ''),
          })),
        }),
    reminders: details.reminders ?? { useDefault: true },
  };
}
