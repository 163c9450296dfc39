/** Events as the mirror stores them, with the JSON that answers show (render-event.ts). */
import type { Place } from '../lib/recurrence/place-of.ts';
import type { RenderedMembers, RenderedObject } from '../lib/rendered-json.ts';
import type { CalendarEvent, EventResource, LeftOutResource } from './event.ts';

/** What a sync or a write changes in a calendar of the mirror. Plain data, so that a thread can make it. */
export type MirroredChanges = {
  readonly changed: readonly MirroredResource[];
  /** These are known by their etags alone: what they held before goes. */
  readonly leftOut: readonly LeftOutResource[];
  /** By href. */
  readonly removed: readonly string[];
  /** Whether the application itself made this change; false where it is absent. */
  readonly own?: boolean;
};

/** A resource as it was rendered for a calendar in one zone. A calendar whose zone changes is listed anew. */
export type MirroredResource = Pick<
  EventResource,
  'href' | 'etag' | 'eventId' | 'seriesId' | 'unreadable'
> & {
  /** Absent where it takes more than LONGEST_ORIGINAL bytes. */
  readonly original: RenderedObject | undefined;
  /** The SHA-256 of an original that is absent, of its JSON in UTF-8; hex digits. */
  readonly originalDigest: string | undefined;
  /** A master first; no two with one `occurrence`. */
  readonly events: readonly MirroredEvent[];
  /** What its texts take in UTF-8. */
  readonly bytes: number;
};

/** The longest JSON of a provider's own object that is kept, in bytes of UTF-8. */
export const LONGEST_ORIGINAL = 65_536;

export type MirroredEvent = {
  /** Names it within its resource: empty for single events and masters. */
  readonly occurrence: string;
  /** The id on the wire; of an override in its master's resource the master's. */
  readonly id: string;
  /** Of a master and of an instance. */
  readonly seriesId: string | undefined;
  readonly uid: string;
  /** JSON of a Timing. */
  readonly timing: string;
  /** Where it is found. */
  readonly place: Place;
  readonly content: RenderedMembers<EventMembers>;
  /** Folded as search-text.ts does. */
  readonly searchText: string;
  /** What content, timing and searchText take in UTF-8. */
  readonly bytes: number;
};

type TimingName = 'start' | 'end' | 'recurrence' | 'recurrenceId' | 'thisAndFuture';

/** The times as the calendar means them. */
export type Timing = Pick<CalendarEvent, TimingName> & { readonly cancelled?: true };

/** The members of an event in an answer (docs/wire.md 2.5) that the mirror stores. */
export type EventMembers = InstanceMembers &
  Omit<CalendarEvent, TimingName | 'uid' | 'lastModified'> & {
    readonly allDay: boolean;
    /** An IANA name. */
    readonly timeZone?: string;
    readonly lastModified?: string;
  };

/** Resources that a calendar's last sync left out, in whole or in part, with the name of one and a public sentence about it. */
export type LeftOutEvents = {
  readonly count: number;
  readonly name: string;
  readonly message: string;
  /** The first ten. Absent in what an earlier version stored. */
  readonly eventIds?: readonly string[];
};

/** Events that a calendar's last sync left out: over the budget of a resource, and not readable. */
export type LeftOutOfCalendar = {
  readonly tooComplex?: LeftOutEvents | undefined;
  readonly unreadable?: LeftOutEvents | undefined;
};

/** These differ from instance to instance of a series. The content of a single event has them. */
export type InstanceMembers = {
  readonly id?: string;
  readonly start?: string;
  readonly end?: string;
  /** All-day events have dates. */
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
