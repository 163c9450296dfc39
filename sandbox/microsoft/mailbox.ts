/**
 * What Exchange keeps of a person: calendars with single events and series. Everything here is replaced whole when
 * it changes, never altered, so that what was expanded from an event holds as long as the object does.
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
  /** IANA; of the person's settings, which is where Outlook's calendars have their zone from. */
  timeZone: string;
  /** By id, in the order they were made; the first is the default one. */
  readonly calendars: Map<string, StoredCalendar>;
  /** Where what is deleted goes; no listing of calendars names it. */
  readonly deletedItems: StoredCalendar;
  /** The person's other addresses. */
  readonly aliases: Set<string>;
  /** Counts every change; `changeKey` is made of it. */
  change: number;
  /** Whether Teams is there to make online meetings with. */
  onlineMeetings: boolean;
  /** The answers that organizers got to their invitations, in order. */
  readonly responses: SentResponse[];
};

export type SentResponse = {
  readonly eventId: string;
  /** Of the occurrence answered. */
  readonly original: string | undefined;
  readonly response: 'accepted' | 'tentativelyAccepted' | 'declined';
  readonly comment: string | undefined;
};

export type StoredCalendar = {
  readonly id: string;
  readonly name: string;
  /** `#rrggbb`; empty when the colour is `auto`. */
  readonly hexColor: string;
  /** Graph's name for it, where it was chosen by that. */
  readonly color?: CalendarColor;
  readonly canEdit: boolean;
  readonly isDefault: boolean;
  /** Another person's calendar that was shared: its events are not found under `/me/events`. */
  readonly sharedBy: { readonly address: string; readonly name: string } | undefined;
  readonly change: number;
  /** By item key, in the order they were made. */
  readonly events: Map<string, StoredEvent>;
  /** The mailbox's count when an event was last changed in here. */
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
  /** By original start, as in ids. */
  readonly exceptions: ReadonlyMap<string, EventException>;
  /** Original starts of occurrences that were deleted. */
  readonly deleted: ReadonlySet<string>;
};

/** `type` is OData's, as `#microsoft.graph.fileAttachment`. */
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

/** What a moved or changed occurrence has of its own; the rest is the master's. */
export type EventException = {
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly change: number;
  readonly content: Partial<EventContent>;
};

/** Members that are shown the way they were written. */
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
  /** Where there is more than one place, or one that is more than its name. */
  readonly locations: readonly Location[] | undefined;
  readonly start: StoredTime;
  readonly end: StoredTime;
  /** As the organizer's program called the zones. */
  readonly startZoneName: string;
  readonly endZoneName: string;
  readonly organizer: { readonly name: string; readonly address: string };
  readonly isCancelled: boolean;
  readonly onlineMeetingProvider: NonNullable<GraphEvent['onlineMeetingProvider']>;
  readonly onlineMeeting: OnlineMeetingInfo | undefined;
  readonly extendedProperties: readonly SingleValueLegacyExtendedProperty[];
};

/** Graph's text for a state of an item. */
export const changeKeyOf = (change: number): string =>
  Buffer.from(`CQAAABYAAAC${String(change).padStart(12, '0')}`).toString('base64');

/** What `If-Match` is compared with. */
export const etagOf = (change: number): string => `W/"${changeKeyOf(change)}"`;

/** The next state of the mailbox. */
export function nextChange(mailbox: Mailbox): number {
  mailbox.change += 1;
  return mailbox.change;
}
