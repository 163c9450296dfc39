/** Events in the API's responses, typed by Google's published types. */
import type { EventTime } from '../../src/lib/recurrence/event-time.ts';
import { writeTime } from './event-times.ts';
import type { AccessRole, GoogleCalendar, GoogleEvent, StoredEvent } from './google-store.ts';

export type Viewer = {
  readonly role: AccessRole;
  /** The grant allows the application to see only when the user is busy. */
  readonly busyOnly: boolean;
  /** The zone whose offsets are used in times. */
  readonly timeZone: string;
  readonly origin: string;
  /** If an event has more guests than this, it lists only the calendar's own. */
  readonly mostGuests: number;
  /** Whether organizers see the details of events that they cancelled. */
  readonly cancelledDetails: boolean;
};

/** The etag in quotes, as in HTTP: the resource has the same text as the header. */
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
  // A cancelled event is only guaranteed to have these fields.
  const showsWhole = status !== 'cancelled' || (viewer.cancelledDetails && event.invitation === undefined);
  if (!showsWhole) return head;
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
  // No source confirms which fields remain of an event that is only visible as busy.
  if (hidesDetails(event, viewer)) return { ...placed, visibility: 'private' };
  return { ...placed, ...detailsOf(calendar, event, viewer) };
}

function hidesDetails({ details }: StoredEvent, { role, busyOnly }: Viewer): boolean {
  if (busyOnly || role === 'freeBusyReader') return true;
  const isPrivate = details.visibility === 'private' || details.visibility === 'confidential';
  return isPrivate && role !== 'owner' && role !== 'writer';
}

function detailsOf(
  calendar: GoogleCalendar,
  event: StoredEvent,
  { origin, mostGuests }: Viewer,
): GoogleEvent {
  const { attendees, ...details } = event.details;
  const { invitation } = event;
  // `self` means the calendar that this copy of the event is on, not the reader. It may be invited by an alias.
  const isSelf = (address: string) => address === calendar.id || address === invitation?.guest;
  const self = (address: string) => (isSelf(address) ? { self: true } : {});
  const isWhole = (attendees?.length ?? 0) <= mostGuests;
  const visibleAttendees = isWhole ? attendees : attendees?.filter(({ email }) => isSelf(email ?? ''));
  return {
    ...details,
    htmlLink: `${origin}/calendar/event?eid=${Buffer.from(`${event.id} ${calendar.id}`).toString('base64url')}`,
    creator: { email: event.creator, ...self(event.creator) },
    organizer:
      invitation === undefined
        ? { email: calendar.id, displayName: calendar.title, self: true }
        : { email: invitation.organizer },
    ...(isWhole ? {} : { attendeesOmitted: true }),
    ...(visibleAttendees === undefined
      ? {}
      : {
          attendees: visibleAttendees.map((attendee) => ({
            ...attendee,
            responseStatus: attendee.responseStatus ?? 'needsAction',
            ...self(attendee.email ?? ''),
          })),
        }),
    reminders: details.reminders ?? { useDefault: true },
  };
}
