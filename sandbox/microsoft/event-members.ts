/** The fields of an event that are stored as written, and their defaults in a new event. */
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { EventBody } from './event.schema.ts';
import type { EventContent, PlainMembers } from './mailbox.ts';

/** Returns the fields; `null` resets one to its default. */
export function plainMembers(body: EventBody, before: EventContent): PlainMembers {
  const names = Object.keys(BLANK).filter((name) => name in body);
  const members = Object.fromEntries(
    // The schema has checked the values; BLANK has the names that PlainMembers has.
    names.map((name) => [name, body[name as keyof EventBody] ?? BLANK[name as keyof typeof BLANK]]),
  ) as PlainMembers;
  const { location, attendees, body: text } = body;
  return {
    ...members,
    ...(location && { location: { ...BLANK.location, uniqueId: location.displayName ?? '', ...location } }),
    ...(text && { body: { contentType: text.contentType ?? 'text', content: text.content ?? '' } }),
    ...(attendees && { attendees: attendees.map((attendee) => withResponse(attendee, before)) }),
  };
}

type AttendeeBody = NonNullable<EventBody['attendees']>[number];

/** An attendee who stays keeps their response. */
function withResponse({ emailAddress, type }: AttendeeBody, before: EventContent) {
  const address = emailAddress.address ?? '';
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) {
    throw new SandboxRefusal(400, 'ErrorInvalidRecipients', 'At least one recipient is not valid.');
  }
  const same = before.attendees?.find((attendee) => attendee.emailAddress?.address === address);
  return {
    type: type ?? ('required' as const),
    status: same?.status ?? { response: 'none' as const, time: '0001-01-01T00:00:00Z' },
    emailAddress: { name: emailAddress.name ?? address, address },
  };
}

/** The defaults that Outlook gives a new event. */
export const BLANK = {
  allowNewTimeProposals: true,
  attendees: [],
  body: { contentType: 'html', content: '' },
  categories: [],
  hideAttendees: false,
  importance: 'normal',
  isReminderOn: true,
  location: {
    displayName: '',
    locationType: 'default',
    uniqueIdType: 'unknown',
    address: {},
    coordinates: {},
  },
  reminderMinutesBeforeStart: 15,
  responseRequested: true,
  sensitivity: 'normal',
  showAs: 'busy',
  subject: '',
} satisfies PlainMembers;
