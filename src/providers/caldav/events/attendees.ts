/** Reads the attendees of an event. */
import type { Attendee } from '../../../calendars/event.ts';
import type { VAttendee, VEvent } from '../../../lib/icalendar/v-event.ts';
import { percentDecoded } from '../dav/href.ts';

/**
 * Returns the attendees, each address once, without those that have no e-mail address. iCalendar keeps the organizer
 * outside the guest list; here the organizer is in it, marked (docs/wire.md 2.5).
 */
export function listAttendees({ organizer, attendees }: Pick<VEvent, 'organizer' | 'attendees'>): Attendee[] {
  const organizerEmail = organizer && readEmail(organizer);
  const byAddress = new Map<string, Attendee>();
  if (organizer !== undefined && organizerEmail !== undefined) {
    // An organizer attends, unless an entry of the guest list says otherwise.
    const organizerEntry: Attendee = {
      ...toAttendee(organizer, organizerEmail),
      status: 'accepted',
      organizer: true,
    };
    byAddress.set(organizerEmail.toLowerCase(), organizerEntry);
  }
  for (const attendee of attendees) {
    const email = readEmail(attendee);
    if (email === undefined) continue;
    const key = email.toLowerCase();
    const organizes = byAddress.get(key)?.organizer;
    if (byAddress.has(key) && organizes === undefined) continue;
    const entry = toAttendee(attendee, email);
    byAddress.set(
      key,
      organizes === undefined ? entry : { ...byAddress.get(key), ...entry, organizer: true },
    );
  }
  return [...byAddress.values()];
}

function toAttendee({ name, participation }: VAttendee, email: string): Attendee {
  return { email, ...(name?.trim() && { name: name.trim() }), status: toAttendeeStatus(participation) };
}

function toAttendeeStatus(participation: string | undefined): Attendee['status'] {
  if (participation === 'ACCEPTED') return 'accepted';
  if (participation === 'DECLINED') return 'declined';
  return participation === 'TENTATIVE' ? 'tentative' : 'none';
}

/** Longer addresses reach nobody (RFC 5321 §4.5.3.1.3), even if they are percent-encoded. */
const LONGEST_ADDRESS = 1000;

/** Rooms and principals have addresses of other kinds, sometimes with an EMAIL parameter. */
function readEmail({ address, email }: VAttendee): string | undefined {
  const candidates = [address, email ?? ''].map((text) => text.slice(0, LONGEST_ADDRESS));
  return candidates
    .map((candidate) => candidate.replace(/^mailto:/i, '').replace(/\?.*$/s, ''))
    .map((candidate) => percentDecoded(candidate.trim()))
    .find((candidate) => /^[^\s@<>:/]+@[^\s@<>:/]+$/.test(candidate));
}
