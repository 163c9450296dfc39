/** Events in the shapes of the REST interface. Instants in responses are RFC 3339 text. */
import type { CalendarIds, Instant, Provider, ReadProblem } from './calendar-shapes.ts';

/** A person who is invited, or who invites. */
export type Attendee = {
  readonly email: string;
  readonly name?: string;
  readonly status?: 'accepted' | 'declined' | 'tentative' | 'none';
  readonly organizer?: boolean;
};

/** The rule of a series to create. */
export type Recurrence = {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval?: number;
  readonly count?: number;
  /** `YYYYMMDDTHHMMSSZ`; not together with `count`. */
  readonly until?: string;
  /** `MO` … `SU`, with an ordinal such as `2MO` or `-1FR` in monthly and yearly rules. */
  readonly byDay?: readonly string[];
  readonly byMonthDay?: readonly number[];
  readonly byMonth?: readonly number[];
  /** `MO` … `SU`; Monday if absent. */
  readonly weekStart?: string;
};

/**
 * The rule of a series in a calendar: it may have more fields than can be written, since other programs create series
 * too.
 */
export type KnownRecurrence = Partial<Omit<Recurrence, 'frequency'>> & {
  /** Absent if there is no rule, or none that can be followed. */
  readonly frequency?: 'SECONDLY' | 'MINUTELY' | 'HOURLY' | Recurrence['frequency'];
  readonly bySetPos?: readonly number[];
  readonly byYearDay?: readonly number[];
  readonly byWeekNo?: readonly number[];
  /** Starts that do not take place, and additional starts. */
  readonly exDates?: readonly string[];
  readonly rDates?: readonly string[];
  /** The rules as in iCalendar, if the fields above cannot express them. */
  readonly rrules?: readonly string[];
};

/**
 * An event, an instance of a series, or a series. Scope `free-busy` sees the first seven members, `availability` and
 * `status`.
 */
export type CalendarEvent = {
  readonly provider: Provider;
  readonly id: string;
  readonly calendarId: string;
  readonly title: string;
  readonly start: string;
  /** Exclusive. */
  readonly end: string;
  readonly allDay: boolean;
  /** The id of the calendar's account. */
  readonly account?: string;
  /** The name that people know the account by: its `display`. */
  readonly accountName?: string;
  readonly description?: string;
  readonly location?: string;
  /** The master's id, on instances of a series. */
  readonly recurringEventId?: string;
  /** On masters. */
  readonly recurrence?: KnownRecurrence;
  /** IANA; absent on all-day events. */
  readonly timeZone?: string;
  /** The dates of an all-day event; `endDate` is exclusive. */
  readonly startDate?: string;
  readonly endDate?: string;
  readonly color?: string;
  readonly attendees?: readonly Attendee[];
  /** The account's own response, if the provider marks it (Google, Microsoft). */
  readonly response?: 'accepted' | 'declined' | 'tentative' | 'none';
  /** Your own values, stored with the event. */
  readonly custom?: Readonly<Record<string, unknown>>;
  /** The URL to join at. */
  readonly conference?: string;
  readonly conferenceData?: Readonly<Record<string, unknown>>;
  readonly availability?: 'busy' | 'free';
  readonly privacy?: 'public' | 'private' | 'confidential';
  readonly status?: 'confirmed' | 'tentative' | 'cancelled';
  readonly lastModified?: string;
  readonly link?: string;
  /** The version, for `ifMatch`; absent if the calendar's server provides none. */
  readonly etag?: string;
  /** The provider's own object, at most 64 kB. */
  readonly original?: Readonly<Record<string, unknown>>;
  /** True if `original` is too large and was left out. */
  readonly originalTruncated?: true;
};

/** The events to list; each field is optional. */
export type EventsQuery = {
  /** The current month in UTC by default. */
  readonly start?: Instant | undefined;
  readonly end?: Instant | undefined;
  /** All when absent. */
  readonly calendarIds?: CalendarIds | undefined;
  /** False: series instead of their instances. */
  readonly singleEvents?: boolean | undefined;
  /** Words that an event must all contain. */
  readonly q?: string | undefined;
  /** 250 by default, 1,000 at most. */
  readonly pageSize?: number | undefined;
};

/** One page of a listing, sorted by start. */
export type EventsPage = {
  readonly events: readonly CalendarEvent[];
  readonly pageSize: number;
  /** Absent on the last page. */
  readonly nextPageToken?: string;
  readonly errors?: readonly ReadProblem[];
};

/** The calendar in which an event is created. */
export type EventPlace = {
  readonly provider: Provider;
  /** `primary`: the account's main calendar. */
  readonly calendarId: string;
  /** Needed only where two accounts of a provider show one calendar. */
  readonly account?: string;
};

/** The address of an event: the fields of an event itself, with its `id` as `eventId`. */
export type EventAddress = EventPlace & { readonly eventId: string };

/** The fields of an event to create. */
export type EventFields = {
  readonly title: string;
  readonly start: Instant;
  /** Exclusive, for all-day events too. */
  readonly end: Instant;
  /** If true, only the dates in `start` and `end` count: pass text such as `2026-11-15`. */
  readonly allDay?: boolean;
  /** An IANA zone in which a series keeps its time of day; the calendar's zone if absent. */
  readonly timeZone?: string;
  readonly description?: string;
  readonly location?: string;
  /** E-mail addresses, or more about each. */
  readonly attendees?: readonly (string | Attendee)[];
  readonly recurrence?: Recurrence;
  readonly custom?: Readonly<Record<string, unknown>>;
  /** The URL to join at. */
  readonly conference?: string;
  /** `autoGenerate`: the provider creates a meeting. `url` counts if `conference` is absent. */
  readonly conferenceData?: {
    readonly provider?: string;
    readonly autoGenerate?: boolean;
    readonly url?: string;
  };
  readonly availability?: 'busy' | 'free';
  readonly privacy?: 'public' | 'private' | 'confidential';
  readonly status?: 'confirmed' | 'tentative' | 'cancelled';
  readonly color?: string;
};

/** The part of a series to change, relative to the occurrence whose id is given. */
export type SeriesMode = 'this' | 'following' | 'all';

/** Options for creating an event or responding to an invitation. */
export type RepeatOptions = {
  /** Makes repeating the call harmless for 24 hours, also by another process; generated for the call if absent. */
  readonly idempotencyKey?: string | undefined;
};

/** The part of a series to change or delete, and the version on which the change is based. */
export type ChangeOptions = {
  /** When absent: the one event, or the whole series if that is what `eventId` names. */
  readonly mode?: SeriesMode | undefined;
  /** The master's id; the service can find it by the id of an occurrence. */
  readonly recurringEventId?: string | undefined;
  /** The `etag` on which the change is based: if the event has another one by now, the call fails with status 412. */
  readonly ifMatch?: string | undefined;
};

/** How an invitation is answered. */
export type ResponseOptions = RepeatOptions & {
  readonly mode?: 'this' | 'all' | undefined;
  readonly recurringEventId?: string | undefined;
  /** A text for the organizer. */
  readonly comment?: string | undefined;
};

/** An event or series in changes: a series is one event, with its exceptions. */
export type ChangedEvent = CalendarEvent & {
  /** Occurrences that were changed separately; `thisAndFuture` means that all later ones changed too. */
  readonly overrides?: readonly (CalendarEvent & { readonly thisAndFuture?: true })[];
  /** Ids of cancelled occurrences. */
  readonly cancelledInstances?: readonly string[];
};

type DeliveredFields = Omit<ChangedEvent, 'original' | 'originalTruncated'>;

/** An event in a delivery. A deleted event has its other fields as far as they are known. */
export type DeliveredEvent = {
  /** True if the application made the change itself. */
  readonly own?: true;
} & (
  | (DeliveredFields & {
      readonly changeType: 'created' | 'updated';
      /** The changed fields of an updated event. */
      readonly changedFields?: readonly string[];
    })
  | (Partial<DeliveredFields> &
      Pick<CalendarEvent, 'provider' | 'calendarId' | 'id'> & { readonly changeType: 'deleted' })
);

/** One change; for a deleted event only its ids are known. */
export type Change =
  | { readonly changeType: 'created' | 'updated'; readonly event: ChangedEvent }
  | {
      readonly changeType: 'deleted';
      readonly event: Required<EventPlace> & Pick<CalendarEvent, 'id'>;
    };

/** The position to continue from, or how to begin. */
export type ChangesQuery = {
  /** The cursor of the last page that was stored; if absent, begins from now. */
  readonly cursor?: string | undefined;
  /** Without a cursor: begins with all existing events. */
  readonly initial?: boolean | undefined;
  /** 250 by default, 1,000 at most. */
  readonly pageSize?: number | undefined;
};

/** Changes in order. Store `cursor` together with the result of processing them. */
export type ChangesPage = {
  readonly changes: readonly Change[];
  readonly cursor: string;
  /** True if another page is available now. */
  readonly more: boolean;
  readonly errors?: readonly ReadProblem[];
};
