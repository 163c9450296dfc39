/** Events as the REST interface takes and tells them. Instants are RFC 3339 text in what it tells. */
import type { CalendarIds, Instant, Provider, ReadProblem } from './calendar-shapes.ts';

/** Somebody who is invited, or invites. */
export type Attendee = {
  readonly email: string;
  readonly name?: string;
  readonly status?: 'accepted' | 'declined' | 'tentative' | 'none';
  readonly organizer?: boolean;
};

/** The rule of a series to be written. */
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
};

/** The rule of a series as a calendar has it: more than can be written, made by other programs too. */
export type KnownRecurrence = Partial<Omit<Recurrence, 'frequency'>> & {
  /** Absent where there is no rule, or none that can be followed. */
  readonly frequency?: 'SECONDLY' | 'MINUTELY' | 'HOURLY' | Recurrence['frequency'];
  readonly bySetPos?: readonly number[];
  readonly byYearDay?: readonly number[];
  readonly byWeekNo?: readonly number[];
  /** Absent when weeks begin on Monday. */
  readonly weekStart?: string;
  /** Starts that do not take place, and further ones. */
  readonly exDates?: readonly string[];
  readonly rDates?: readonly string[];
  /** As iCalendar has them, where the members above cannot say it. */
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
  /** What people know the account by: its `display`. */
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
  /** The account's own answer, where its provider marks it (Google, Microsoft). */
  readonly response?: 'accepted' | 'declined' | 'tentative' | 'none';
  /** Your own values, kept with the event. */
  readonly custom?: Readonly<Record<string, unknown>>;
  /** The URL to join at. */
  readonly conference?: string;
  readonly conferenceData?: Readonly<Record<string, unknown>>;
  readonly availability?: 'busy' | 'free';
  readonly privacy?: 'public' | 'private' | 'confidential';
  readonly status?: 'confirmed' | 'tentative' | 'cancelled';
  readonly lastModified?: string;
  readonly link?: string;
  /** The version, for `ifMatch`; absent where the calendar's server gives none. */
  readonly etag?: string;
  /** The provider's own object, of 64 kB at the most. */
  readonly original?: Readonly<Record<string, unknown>>;
  /** `original` is larger than is shown, and left out. */
  readonly originalTruncated?: true;
};

/** Which events; each member optional. */
export type EventsQuery = {
  /** The current month in UTC by default. */
  readonly start?: Instant | undefined;
  readonly end?: Instant | undefined;
  /** All when absent. */
  readonly calendarIds?: CalendarIds | undefined;
  /** False: series instead of their instances. */
  readonly singleEvents?: boolean | undefined;
  /** Words that all must be in an event. */
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

/** The calendar an event is made in. */
export type EventPlace = {
  readonly provider: Provider;
  /** `primary`: the account's main calendar. */
  readonly calendarId: string;
  /** Needed only where two accounts of a provider show one calendar. */
  readonly account?: string;
};

/** Which event: the members of an event itself, its `id` being the `eventId`. */
export type EventAddress = EventPlace & { readonly eventId: string };

/** An event to be made. */
export type EventFields = {
  readonly title: string;
  readonly start: Instant;
  /** Exclusive; of all-day events too. */
  readonly end: Instant;
  /** The dates of `start` and `end` are meant, as they are written: give text such as `2026-11-15`. */
  readonly allDay?: boolean;
  /** IANA: where a series keeps its time of day; the calendar's zone when absent. */
  readonly timeZone?: string;
  readonly description?: string;
  readonly location?: string;
  /** E-mail addresses, or more about each. */
  readonly attendees?: readonly (string | Attendee)[];
  readonly recurrence?: Recurrence;
  readonly custom?: Readonly<Record<string, unknown>>;
  /** The URL to join at. */
  readonly conference?: string;
  /** `autoGenerate`: the provider makes a meeting. */
  readonly conferenceData?: { readonly provider?: string; readonly autoGenerate?: boolean };
  readonly availability?: 'busy' | 'free';
  readonly privacy?: 'public' | 'private' | 'confidential';
  readonly status?: 'confirmed' | 'tentative' | 'cancelled';
  readonly color?: string;
};

/** Which part of a series is meant, by the id of one of its instances. */
export type SeriesMode = 'this' | 'following' | 'all';

/** How an event is made, or an invitation answered. */
export type RepeatOptions = {
  /** Makes a repetition harmless for 24 hours, by another process too; one is drawn for the call when absent. */
  readonly idempotencyKey?: string | undefined;
};

/** What of a series is changed or deleted, and which version of it. */
export type ChangeOptions = {
  /** When absent: the one event, or the whole series if that is what `eventId` names. */
  readonly mode?: SeriesMode | undefined;
  /** The master's id; the service finds it by an instance's. */
  readonly recurringEventId?: string | undefined;
  /** The `etag` the change is based on: refused with status 412 when the event has another by now. */
  readonly ifMatch?: string | undefined;
};

/** How an invitation is answered. */
export type ResponseOptions = RepeatOptions & {
  readonly mode?: 'this' | 'all' | undefined;
  readonly recurringEventId?: string | undefined;
  /** Words to the organizer. */
  readonly comment?: string | undefined;
};

/** An event or series as changes tell it: a series is one, with what differs from its rule. */
export type ChangedEvent = CalendarEvent & {
  /** Instances that were changed by themselves; `thisAndFuture`: and all later ones with it. */
  readonly overrides?: readonly (CalendarEvent & { readonly thisAndFuture?: true })[];
  /** Ids of instances that do not take place. */
  readonly cancelledInstances?: readonly string[];
};

/** One change; of a deleted event only its name is known. */
export type Change =
  | { readonly changeType: 'created' | 'updated'; readonly event: ChangedEvent }
  | {
      readonly changeType: 'deleted';
      readonly event: Required<EventPlace> & Pick<CalendarEvent, 'id'>;
    };

/** Where to go on, or how to begin. */
export type ChangesQuery = {
  /** Of the last page that was kept; begin from now when absent. */
  readonly cursor?: string | undefined;
  /** Without a cursor: begin with everything there is. */
  readonly initial?: boolean | undefined;
  /** 250 by default, 1,000 at most. */
  readonly pageSize?: number | undefined;
};

/** Changes in order. Keep `cursor` together with what you made of them. */
export type ChangesPage = {
  readonly changes: readonly Change[];
  readonly cursor: string;
  /** Whether there is another page already. */
  readonly more: boolean;
  readonly errors?: readonly ReadProblem[];
};
