/** Events as Kalends stores them, in one form for every provider. */
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';

/** A VEVENT: a single event, the master of a series, or an override. `end` is exclusive and of the type of `start`. */
export type CalendarEvent = {
  readonly uid: string;
  readonly title: string;
  readonly start: EventTime;
  readonly end: EventTime;
  /** On masters only. */
  readonly recurrence?: Recurrence;
  /** On overrides only: the original start of the occurrence, in the type of the master's start. */
  readonly recurrenceId?: EventTime;
  /** Whether the override also applies to every later occurrence (RANGE=THISANDFUTURE). */
  readonly thisAndFuture?: true;
  readonly status: 'confirmed' | 'tentative' | 'cancelled';
  readonly availability: 'busy' | 'free';
  readonly privacy: 'public' | 'private' | 'confidential';
  readonly description?: string;
  readonly location?: string;
  readonly color?: string;
  readonly attendees: readonly Attendee[];
  /** The user's own response, if the provider marks it; otherwise the attendee with the user's address has it. */
  readonly response?: Attendee['status'];
  /** A URL where the meeting can be joined. */
  readonly conference?: string;
  /** The provider's own object for the conference: Google's `conferenceData`, Graph's `onlineMeeting`. */
  readonly conferenceData?: Readonly<Record<string, unknown>>;
  readonly link?: string;
  readonly custom?: Readonly<Record<string, unknown>>;
  /** Epoch milliseconds. */
  readonly lastModified?: number;
};

export type Attendee = {
  readonly email: string;
  readonly name?: string;
  readonly status: 'accepted' | 'declined' | 'tentative' | 'none';
  readonly organizer?: true;
};

/** The unit that a provider stores and versions: in CalDAV a master with its overrides, elsewhere one event. */
export type EventResource = {
  readonly href: string;
  readonly etag: string | undefined;
  /** Prefix of the wire ids of its events; unique in the calendar. */
  readonly eventId: string;
  /**
   * For an override that is a separate resource (Google, Microsoft): the `href` of its series, which equals that one's
   * `eventId`. The series may be missing. All `events` are then overrides.
   */
  readonly seriesId?: string;
  readonly events: readonly CalendarEvent[];
  /** The provider's own object, for `original`. */
  readonly original: Readonly<Record<string, unknown>>;
  /** The part of the resource that is missing, such as "the changed occurrence of 2027-01-13 cannot be read". */
  readonly unreadable?: string;
  /** The digest of an `original` that is too large to store, as in MirroredResource. */
  readonly originalDigest?: string;
};

/** A resource that is left out of its calendar. The others are read. */
export type LeftOutResource = {
  /** `too_complex`: over the budget of a resource (docs/security.md T13). */
  readonly kind: 'too_complex' | 'unreadable';
  readonly href: string;
  /** Undefined also if the text of an unreadable one was not received, so that it is requested again. */
  readonly etag: string | undefined;
  /** The reason as a public clause, such as "it has more than 20 recurrence rules". */
  readonly reason: string;
  /** The name that people know, if it is not the last segment of `href`. */
  readonly eventId?: string;
  /** The series, as in EventResource: the resource is deleted with it. */
  readonly seriesId?: string;
};
