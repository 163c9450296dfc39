/**
 * The data of a person in Exchange: calendars with single events and series. Objects are replaced as a whole and never
 * altered, so that the expansion of an event remains valid as long as its object.
 */
import type {
  CalendarColor,
  Event as GraphEvent,
  Location,
  OnlineMeetingInfo,
  SingleValueLegacyExtendedProperty,
} from '@microsoft/microsoft-graph-types';

import type { StoredTime } from './graph-time.ts';
import type { StoredRecurrence } from './recurrence-pattern.ts';

export type Mailbox = {
  readonly email: string;
  /** An IANA zone from the person's settings, from which Outlook's calendars take their zone. */
  timeZone: string;
  /** The calendars by id, in the order of creation; the first is the default one. */
  readonly calendars: Map<string, StoredCalendar>;
  /** The destination of deleted events; no listing of calendars includes it. */
  readonly deletedItems: StoredCalendar;
  /** The person's other addresses. */
  readonly aliases: Set<string>;
  /** Counts every change; `changeKey` is derived from it. */
  change: number;
  /** Whether Teams is available for online meetings. */
  onlineMeetings: boolean;
  /** The responses that organizers got to their invitations, in order. */
  readonly responses: SentResponse[];
};

export type SentResponse = {
  readonly eventId: string;
  /** The original start of the occurrence that the response is about. */
  readonly original: string | undefined;
  readonly response: 'accepted' | 'tentativelyAccepted' | 'declined';
  readonly comment: string | undefined;
};

export type StoredCalendar = {
  readonly id: string;
  readonly name: string;
  /** `#rrggbb`; empty if the color is `auto`. */
  readonly hexColor: string;
  /** Graph's name for the color, if it was chosen by that. */
  readonly color?: CalendarColor;
  readonly canEdit: boolean;
  readonly isDefault: boolean;
  /** The owner, if another person shared the calendar: its events are not found under `/me/events`. */
  readonly sharedBy: { readonly address: string; readonly name: string } | undefined;
  readonly change: number;
  /** The events by item key, in the order of creation. */
  readonly events: Map<string, StoredEvent>;
  /** The mailbox's change number of the last change to an event here. */
  eventsChange: number;
};

export type StoredEvent = {
  readonly key: string;
  readonly iCalUId: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly change: number;
  readonly transactionId: string | undefined;
  readonly content: EventContent;
  readonly attachments: readonly StoredAttachment[];
  readonly recurrence: StoredRecurrence | undefined;
  /** The exceptions by original start, as in ids. */
  readonly exceptions: ReadonlyMap<string, EventException>;
  /** Original starts of occurrences that were deleted. */
  readonly deleted: ReadonlySet<string>;
};

/** An attachment; `type` is OData's, such as `#microsoft.graph.fileAttachment`. */
export type StoredAttachment = {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly contentType: string;
  readonly isInline: boolean;
  readonly contentId: string | null;
  /** Base64. */
  readonly contentBytes: string;
};

/** The separate content of a moved or changed occurrence; the rest is the master's. */
export type EventException = {
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly change: number;
  readonly content: Partial<EventContent>;
};

/** The fields that are returned as they were written. */
export type PlainMembers = Pick<
  GraphEvent,
  | 'allowNewTimeProposals'
  | 'attendees'
  | 'body'
  | 'categories'
  | 'hideAttendees'
  | 'importance'
  | 'isReminderOn'
  | 'location'
  | 'reminderMinutesBeforeStart'
  | 'responseRequested'
  | 'responseStatus'
  | 'sensitivity'
  | 'showAs'
  | 'subject'
>;

export type EventContent = PlainMembers & {
  readonly isAllDay: boolean;
  /** Defined if there is more than one place, or one with more than a name. */
  readonly locations: readonly Location[] | undefined;
  readonly start: StoredTime;
  readonly end: StoredTime;
  /** The zone names of the organizer's program. */
  readonly startZoneName: string;
  readonly endZoneName: string;
  readonly organizer: { readonly name: string; readonly address: string };
  readonly isCancelled: boolean;
  readonly onlineMeetingProvider: NonNullable<GraphEvent['onlineMeetingProvider']>;
  readonly onlineMeeting: OnlineMeetingInfo | undefined;
  readonly extendedProperties: readonly SingleValueLegacyExtendedProperty[];
};

/** Returns Graph's text for a state of an item. */
export const changeKeyOf = (change: number): string =>
  Buffer.from(`CQAAABYAAAC${String(change).padStart(12, '0')}`).toString('base64');

/** Returns the etag, which `If-Match` is compared with. */
export const etagOf = (change: number): string => `W/"${changeKeyOf(change)}"`;

/** Returns the next change number of the mailbox. */
export function nextChange(mailbox: Mailbox): number {
  mailbox.change += 1;
  return mailbox.change;
}
