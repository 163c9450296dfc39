/** Guest lists as Google takes them: whole lists, each guest with their answer. */
import type { calendar_v3 } from '@googleapis/calendar';

import type { Attendee } from '../../calendars/event.ts';
import type { Rsvp } from '../../calendars/event-writing.ts';
import { UnsupportedByProvider } from '../../calendars/unsupported.ts';
import { objects, text } from '../json-value.ts';

type Guest = calendar_v3.Schema$EventAttendee;
type Guests = calendar_v3.Schema$Event['attendees'];

/**
 * Exactly these guests. Who is on the former list keeps all that Google knows of them, their answer first of all, which
 * is theirs to give. Who is the organizer is Google's to say.
 */
export function guestList(attendees: readonly Attendee[], former: Guests): Guest[] {
  const known = new Map(objects<Guest>(former).map((guest) => [addressOf(guest), guest]));
  return attendees.map(({ email, name, status }) => {
    const guest = known.get(email.toLowerCase());
    const named = name === undefined ? {} : { displayName: name };
    if (guest !== undefined) return { ...guest, ...named };
    return { email, ...named, responseStatus: status === 'none' ? 'needsAction' : status };
  });
}

/**
 * The former list with the answer of the one whose calendar this is. Fails as UnsupportedByProvider when that one is
 * not invited.
 */
export function answeredList(former: Guests, { response, comment }: Rsvp): Guest[] {
  const guests = objects<Guest>(former);
  if (!guests.some(({ self }) => self === true)) {
    const message = 'The user is not among the guests of this event at Google';
    throw new UnsupportedByProvider('field_not_supported_by_provider', message, 'response');
  }
  const said = comment === undefined ? {} : { comment };
  return guests.map((guest) =>
    guest.self === true ? { ...guest, responseStatus: response, ...said } : guest,
  );
}

const addressOf = ({ email }: Guest): string => (text(email) ?? '').toLowerCase();
