/** The members of an event that are kept the way they were written, and what a new event has in their places. */
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { EventBody } from './event.schema.ts';
import type { EventContent, PlainMembers } from './mailbox.ts';

/** `null` puts a member back to what a new event has. */
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

/** An attendee who stays keeps what they answered. */
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

/** What Outlook gives a new event. */
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
