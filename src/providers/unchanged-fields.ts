/** Removes unchanged fields from a change: guests may send back fields that they read but may not change. */
import { isDeepStrictEqual } from 'node:util';

import type { Attendee, CalendarEvent } from '../calendars/event.ts';
import type { EventChange } from '../calendars/event-writing.ts';

/** The fields that the organizer sets, besides the attendees. */
const SHARED_FIELDS = [
  'title',
  'description',
  'location',
  'status',
  'start',
  'end',
  'recurrence',
  'conference',
] as const;

/** Returns the change without the organizer's fields whose value stays the same. */
export function withoutUnchanged(change: EventChange, event: CalendarEvent): EventChange {
  const same: string[] = SHARED_FIELDS.filter((field) =>
    isDeepStrictEqual(change[field] ?? undefined, event[field]),
  );
  if (change.attendees && isSameList(change.attendees, event.attendees)) same.push('attendees');
  return Object.fromEntries(Object.entries(change).filter(([field]) => !same.includes(field)));
}

/** Returns whether both have the same guests. `list` need not have their names or responses. */
function isSameList(list: readonly Attendee[], guests: readonly Attendee[]): boolean {
  const guestByEmail = new Map(guests.map((guest) => [guest.email.toLowerCase(), guest]));
  const isKnown = ({ email, name, status }: Attendee) => {
    const guest = guestByEmail.get(email.toLowerCase());
    if (guest === undefined) return false;
    return (name === undefined || name === guest.name) && (status === 'none' || status === guest.status);
  };
  return list.length === guests.length && list.every(isKnown);
}
