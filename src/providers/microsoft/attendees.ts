/** Maps the attendees of an event, as read and as written. */
import type {
  Attendee as GraphAttendee,
  Event as GraphEvent,
  Recipient,
  ResponseStatus,
} from '@microsoft/microsoft-graph-types';

import type { Attendee } from '../../calendars/event.ts';
import { unsupportedField } from '../unsupported-field.ts';

/**
 * Returns the attendees, each address once, with the organizer marked, whom Outlook keeps separately (docs/wire.md
 * 2.5). The response of the calendar's `owner` comes from the event itself: the list in a guest's copy often lacks it.
 */
export function toAttendees(
  event: Pick<GraphEvent, 'organizer' | 'attendees' | 'isOrganizer' | 'responseStatus'>,
  owner?: string,
): Attendee[] {
  const { organizer, attendees } = event;
  const ownResponse = readOwnResponse(event) ?? 'none';
  const byAddress = new Map<string, Attendee>();
  const host = organizer ? toAttendee(organizer, 'organizer') : undefined;
  if (host !== undefined) byAddress.set(host.email.toLowerCase(), { ...host, organizer: true });
  for (const attendee of attendees ?? []) {
    const entry = toAttendee(attendee, attendee.status?.response);
    const before = byAddress.get(entry?.email.toLowerCase() ?? '');
    if (entry === undefined || (before !== undefined && !before.organizer)) continue;
    // An organizer without a response still attends.
    const answered = before !== undefined && entry.status === 'none' ? before.status : entry.status;
    const isOwner = normalizeEmail(entry.email) === normalizeEmail(owner);
    const status = isOwner && ownResponse !== 'none' ? ownResponse : answered;
    byAddress.set(entry.email.toLowerCase(), { ...before, ...entry, status });
  }
  return [...byAddress.values()];
}

/** Returns the response of the calendar's owner; `undefined` for their own event. */
export function readOwnResponse({
  isOrganizer,
  responseStatus,
}: Pick<GraphEvent, 'isOrganizer' | 'responseStatus'>): Attendee['status'] | undefined {
  const response = responseStatus?.response;
  if (isOrganizer === true || !response || response === 'organizer') return undefined;
  return toAttendeeStatus(response);
}

/** Returns whether an attendee may lack the owner's response, which the event itself has. */
export function lacksOwnAnswer(event: GraphEvent): boolean {
  const ownResponse = readOwnResponse(event) ?? 'none';
  if (ownResponse === 'none') return false;
  return (event.attendees ?? []).some(({ status }) => toAttendeeStatus(status?.response) !== ownResponse);
}

/** Returns `undefined` without an e-mail address, which some rooms and members of lists lack. */
function toAttendee({ emailAddress }: Recipient, response: ResponseStatus['response']): Attendee | undefined {
  const email = emailAddress?.address?.trim();
  if (!email || !/^[^\s@]+@[^\s@]+$/.test(email)) return undefined;
  const name = emailAddress?.name?.trim();
  return { email, ...(name && name !== email && { name }), status: toAttendeeStatus(response) };
}

function toAttendeeStatus(response: ResponseStatus['response']): Attendee['status'] {
  switch (response) {
    case 'organizer':
    case 'accepted':
      return 'accepted';
    case 'declined':
      return 'declined';
    case 'tentativelyAccepted':
      return 'tentative';
    default:
      return 'none';
  }
}

/** Returns the guests without the organizer. Responses are not written: Exchange keeps those of remaining guests. */
export function buildGuestList(
  attendees: readonly Attendee[],
  former: GraphEvent['attendees'],
  organizer: string | undefined,
): GraphAttendee[] {
  const formerGuests = new Map(
    (former ?? []).map((guest) => [normalizeEmail(guest.emailAddress?.address), guest]),
  );
  const guests = new Map<string, GraphAttendee>();
  for (const { email, name, organizer: invites } of attendees) {
    const key = normalizeEmail(email);
    const before = formerGuests.get(key);
    if (key === normalizeEmail(organizer) && before === undefined) continue;
    if (invites && key !== normalizeEmail(organizer))
      throw unsupportedField(
        'attendees',
        'The organizer of an Outlook event is always the owner of its calendar',
      );
    guests.set(key, {
      type: before?.type ?? 'required',
      emailAddress: { address: email, name: name ?? before?.emailAddress?.name ?? email },
    });
  }
  return [...guests.values()];
}

const normalizeEmail = (email: string | null | undefined): string => email?.trim().toLowerCase() ?? '';
