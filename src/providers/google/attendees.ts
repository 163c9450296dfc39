/** Maps Google's guest lists, which are read and written whole, with each guest's response. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { Attendee } from '../../calendars/event.ts';
import type { Rsvp } from '../../calendars/event-writing.ts';
import { objects, text, withoutUndefined } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';

type Guest = calendar_v3.Schema$EventAttendee;
type Guests = calendar_v3.Schema$Event['attendees'];

/** Returns the guest list unchanged (docs/wire.md 2.5). The organizer is included only if Google lists it. */
export function toAttendees({ attendees }: calendar_v3.Schema$Event): Attendee[] {
  return objects<Guest>(attendees).flatMap((guest) => {
    const email = text(guest.email);
    if (email === undefined) return [];
    const status = toAttendeeStatus(guest);
    const organizer = guest.organizer === true ? (true as const) : undefined;
    return withoutUndefined({ email, name: text(guest.displayName), status, organizer });
  });
}

/** Returns the response of the calendar's owner, invited under any address; `undefined` if not a guest. */
export function readOwnResponse({ attendees }: calendar_v3.Schema$Event): Attendee['status'] | undefined {
  const self = objects<Guest>(attendees).find(isSelf);
  return self && toAttendeeStatus(self);
}

const RESPONSES = ['accepted', 'declined', 'tentative'] as const;

function toAttendeeStatus({ responseStatus }: Guest): Attendee['status'] {
  const response = text(responseStatus);
  return RESPONSES.find((value) => value === response) ?? 'none';
}

const isSelf = ({ self }: Guest): boolean => self === true;

/** Refuses to write a list that Google shortened: the missing guests would lose the event. */
export function refuseShortenedList({ attendeesOmitted }: calendar_v3.Schema$Event): void {
  if (attendeesOmitted === true)
    throw unsupportedField(
      'attendees',
      'Google does not list all attendees of this event, so the list cannot be changed',
    );
}

/** Returns exactly these guests. Guests in `former` keep what Google stores of them, such as their response. */
export function buildGuestList(attendees: readonly Attendee[], former: Guests): Guest[] {
  const guests = new Map(objects<Guest>(former).map((guest) => [normalizeAddress(guest), guest]));
  return attendees.map(({ email, name, status }) => {
    const guest = guests.get(email.toLowerCase());
    const nameFields = withoutUndefined({ displayName: name });
    if (guest !== undefined) return { ...guest, ...nameFields };
    return { email, ...nameFields, responseStatus: status === 'none' ? 'needsAction' : status };
  });
}

/** Returns `former` with the response of the calendar's owner. Fails as UnsupportedByProvider if not invited. */
export function withOwnResponse(former: Guests, { response, comment }: Rsvp): Guest[] {
  const guests = objects<Guest>(former);
  if (!guests.some(isSelf))
    throw unsupportedField('response', 'The user is not an attendee of this event at Google');
  const answer = { responseStatus: response, ...withoutUndefined({ comment }) };
  return guests.map((guest) => (isSelf(guest) ? { ...guest, ...answer } : guest));
}

/** Returns the guests for a new event with their responses, without the members that Google sets. */
export function copyGuests(former: Guests): Guest[] {
  return objects<Guest>(former).map(({ id: _id, self: _self, organizer: _organizer, ...guest }) => guest);
}

/** Returns the lowercase address for comparisons. */
export const normalizeAddress = ({ email }: Guest): string => (text(email) ?? '').toLowerCase();
