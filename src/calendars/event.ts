/** Events as Kalends keeps them, the same for every provider. */
import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';

/**
 * One VEVENT: a single event, the master of a series, or an override of one of its instances.
 * `end` is exclusive; it is of the same type as `start`.
 */
export type CalendarEvent = {
  readonly uid: string;
  readonly title: string;
  readonly start: EventTime;
  readonly end: EventTime;
  /** On masters only. */
  readonly recurrence?: Recurrence;
  /** On overrides only: the original start of the instance replaced, in the type of the master's start. */
  readonly recurrenceId?: EventTime;
  /** The override holds for every later instance too (RANGE=THISANDFUTURE). */
  readonly thisAndFuture?: true;
  readonly status: 'confirmed' | 'tentative' | 'cancelled';
  readonly availability: 'busy' | 'free';
  readonly privacy: 'public' | 'private' | 'confidential';
  readonly description?: string;
  readonly location?: string;
  readonly color?: string;
  readonly attendees: readonly Attendee[];
  /** The account's own answer, where its provider marks it; else it is that of the guest with one of its addresses. */
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

/**
 * What a provider keeps and versions as one thing: in CalDAV a resource with a master and all its
 * overrides, elsewhere one event. `href` names it within its calendar.
 */
export type EventResource = {
  readonly href: string;
  readonly etag: string | undefined;
  /** Prefix of the wire ids of its events; unique in the calendar. */
  readonly eventId: string;
  /**
   * For an override that is a resource of its own, as with Google and Microsoft: the series it belongs to, whether that
   * is there or not, by its `href`, which equals its `eventId`. All `events` are then overrides (`recurrenceId`).
   */
  readonly seriesId?: string;
  readonly events: readonly CalendarEvent[];
  /** The provider's own object, for `original`. */
  readonly original: Readonly<Record<string, unknown>>;
  /** Why part of the resource is missing from `events`, such as "the changed occurrence of 2027-01-13 cannot be read". */
  readonly unreadable?: string;
  /** Of one that the mirror holds without its `original`, which was too large to keep: as MirroredResource has it. */
  readonly originalDigest?: string;
};

/** A resource that is left out of its calendar, whose others are read. */
export type LeftOutResource = {
  /** `too_complex`: over the budget of a resource (docs/security.md T13). */
  readonly kind: 'too_complex' | 'unreadable';
  readonly href: string;
  /** Undefined also if the text of an unreadable one was not received: it is asked for again. */
  readonly etag: string | undefined;
  /** Why, as a public clause, such as "it has more than 20 recurrence rules". */
  readonly reason: string;
  /** The name that people know it by, if that is not the last segment of `href`. */
  readonly eventId?: string;
  /** As of EventResource: it is deleted with its series. */
  readonly seriesId?: string;
};
