/** Guest lists as Google has them: whole lists, each guest with their answer. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { Attendee } from '../../calendars/event.ts';
import type { Rsvp } from '../../calendars/event-writing.ts';
import { objects, text, withoutUndefined } from '../json-value.ts';
import { unsupportedField } from '../unsupported-field.ts';

type Guest = calendar_v3.Schema$EventAttendee;
type Guests = calendar_v3.Schema$Event['attendees'];

/**
 * Google's guest list exactly as it is (docs/wire.md 2.5): the organizer is in it only where Google lists it.
 */
export function attendeesOf({ attendees }: calendar_v3.Schema$Event): Attendee[] {
  return objects<Guest>(attendees).flatMap((guest) => {
    const email = text(guest.email);
    if (email === undefined) return [];
    const status = statusOf(guest);
    const organizer = guest.organizer === true ? (true as const) : undefined;
    return withoutUndefined({ email, name: text(guest.displayName), status, organizer });
  });
}

/** The answer of the one whose calendar this is, under whatever address they were invited; `undefined` for who is no guest. */
export function responseOf({ attendees }: calendar_v3.Schema$Event): Attendee['status'] | undefined {
  const self = objects<Guest>(attendees).find(isSelf);
  return self && statusOf(self);
}

const RESPONSES = ['accepted', 'declined', 'tentative'] as const;

function statusOf({ responseStatus }: Guest): Attendee['status'] {
  const response = text(responseStatus);
  return RESPONSES.find((value) => value === response) ?? 'none';
}

const isSelf = ({ self }: Guest): boolean => self === true;

/** A list that Google shortened is never written back: who is not on it would lose the event. */
export function refuseShortenedList({ attendeesOmitted }: calendar_v3.Schema$Event): void {
  if (attendeesOmitted === true)
    throw unsupportedField(
      'attendees',
      'Google does not name all guests of this event, so that their list cannot be written',
    );
}

/**
 * Exactly these guests. Who is on the former list keeps all that Google knows of them, their answer first of all, which
 * is theirs to give. Who is the organizer is Google's to say.
 */
export function guestList(attendees: readonly Attendee[], former: Guests): Guest[] {
  const guests = new Map(objects<Guest>(former).map((guest) => [addressOf(guest), guest]));
  return attendees.map(({ email, name, status }) => {
    const guest = guests.get(email.toLowerCase());
    const nameFields = withoutUndefined({ displayName: name });
    if (guest !== undefined) return { ...guest, ...nameFields };
    return { email, ...nameFields, responseStatus: status === 'none' ? 'needsAction' : status };
  });
}

/**
 * The former list with the answer of the one whose calendar this is. Fails as UnsupportedByProvider when that one is
 * not invited.
 */
export function answeredList(former: Guests, { response, comment }: Rsvp): Guest[] {
  const guests = objects<Guest>(former);
  if (!guests.some(isSelf))
    throw unsupportedField('response', 'The user is not among the guests of this event at Google');
  const answer = { responseStatus: response, ...withoutUndefined({ comment }) };
  return guests.map((guest) => (isSelf(guest) ? { ...guest, ...answer } : guest));
}

/** The guests as a new event takes them, their answers with them. Who they are at Google is Google's to say. */
export function copiedGuests(former: Guests): Guest[] {
  return objects<Guest>(former).map(({ id: _id, self: _self, organizer: _organizer, ...guest }) => guest);
}

/** For comparisons. */
export const addressOf = ({ email }: Guest): string => (text(email) ?? '').toLowerCase();
