/** Events as the mirror stores them, with the JSON of responses (render-event.ts). */
import type { Place } from '../lib/recurrence/place-of.ts';
import type { RenderedMembers, RenderedObject } from '../lib/rendered-json.ts';
import type { CalendarEvent, EventResource, LeftOutResource } from './event.ts';

/** The changes of a sync or a write to a calendar in the mirror. Plain data, so that a thread can create it. */
export type MirroredChanges = {
  readonly changed: readonly MirroredResource[];
  /** Only their etags are stored. Their earlier content is deleted. */
  readonly leftOut: readonly LeftOutResource[];
  /** By href. */
  readonly removed: readonly string[];
  /** Whether the application itself made this change; by default false. */
  readonly own?: boolean;
  /** The resources that the first sync has read with these changes, and those that were listed (Changes.expected). */
  readonly progress?: { readonly read: number; readonly expected: number | undefined } | undefined;
};

/** A resource as rendered for the time zone of its calendar. If that changes, the calendar is listed again. */
export type MirroredResource = Pick<
  EventResource,
  'href' | 'etag' | 'eventId' | 'seriesId' | 'unreadable'
> & {
  /** Undefined if it is longer than LONGEST_ORIGINAL bytes. */
  readonly original: RenderedObject | undefined;
  /** The SHA-256 of the JSON of an original that is not stored, in hex digits. */
  readonly originalDigest: string | undefined;
  /** The master first; each `occurrence` is unique. */
  readonly events: readonly MirroredEvent[];
  /** The size of its texts in UTF-8. */
  readonly bytes: number;
};

/** The maximum JSON of a provider's own object that is stored, in bytes of UTF-8. */
export const LONGEST_ORIGINAL = 65_536;

export type MirroredEvent = {
  /** Identifies it within its resource; empty for single events and masters. */
  readonly occurrence: string;
  /** The id on the wire. An override in its master's resource has the master's id. */
  readonly id: string;
  /** Set for masters and for occurrences of a series. */
  readonly seriesId: string | undefined;
  readonly uid: string;
  /** JSON of a Timing. */
  readonly timing: string;
  /** Its place in the index of times. */
  readonly place: Place;
  readonly content: RenderedMembers<EventMembers>;
  /** Folded as search-text.ts does. */
  readonly searchText: string;
  /** The size of content, timing and searchText in UTF-8. */
  readonly bytes: number;
};

type TimingName = 'start' | 'end' | 'recurrence' | 'recurrenceId' | 'thisAndFuture';

/** The times of an event, as its calendar expresses them. */
export type Timing = Pick<CalendarEvent, TimingName> & { readonly cancelled?: true };

/** The members of an event in responses (docs/wire.md 2.5) that the mirror stores. */
export type EventMembers = InstanceMembers &
  Omit<CalendarEvent, TimingName | 'uid' | 'lastModified'> & {
    readonly allDay: boolean;
    /** An IANA name. */
    readonly timeZone?: string;
    readonly lastModified?: string;
  };

/** Resources that a calendar's last sync left out, in whole or in part: the name of one, and a public sentence. */
export type LeftOutEvents = {
  readonly count: number;
  readonly name: string;
  readonly message: string;
  /** The first ten. Undefined in data that an earlier version stored. */
  readonly eventIds?: readonly string[];
};

/** Events that a calendar's last sync left out: over the budget of a resource, or unreadable. */
export type LeftOutOfCalendar = {
  readonly tooComplex?: LeftOutEvents | undefined;
  readonly unreadable?: LeftOutEvents | undefined;
};

/** Members that differ between the occurrences of a series. The content of a single event has them. */
export type InstanceMembers = {
  readonly id?: string;
  readonly start?: string;
  readonly end?: string;
  /** On all-day events only. */
  readonly startDate?: string;
  readonly endDate?: string;
  readonly recurringEventId?: string;
};

export const INSTANCE_MEMBERS: ReadonlySet<keyof InstanceMembers> = new Set([
  'id',
  'start',
  'end',
  'startDate',
  'endDate',
  'recurringEventId',
]);
