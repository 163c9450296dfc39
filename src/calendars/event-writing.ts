/**
 * What a provider can do to events: the part of an account that writes. Every call is conditional on the version
 * the caller saw, and answers what the mirror is to hold, as a sync would have brought it. Instants enter as
 * EventTime, in the zone they are meant in. Fails with ProviderError; with `UnsupportedByProvider` for what the
 * provider cannot express, before anything is sent.
 */

import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import type { Attendee, CalendarEvent, EventResource } from './event.ts';

export interface EventWriting {
  /**
   * Creates an event or a series. `key` (32 hex digits) makes a repetition harmless: the same key in the same calendar
   * is one event, whether or not the first answer was lost.
   */
  create(calendarHref: string, draft: EventDraft, key: string): Promise<WriteResult>;

  /**
   * Makes the later half of the series `target`, which is being split: a new series made of the provider's own objects,
   * its exceptions as well, with everything that Kalends does not model, changed only where `later` says. Repeated with the
   * same key it goes on where it was interrupted; it is not called again once it has answered, and never after the old series
   * was ended. Answers all resources of the new series, its master first. What a provider cannot copy is made anew
   * (docs/providers.md). No attendee is notified: the new series has none but the organizer, and `invitations` says whom
   * `inviteLater` has to invite. Fails, before anything is sent: as `organizer_only` where the account may not end the old series; as
   * `precondition_failed` where that is another version by now; with UnsupportedByProvider where the provider cannot express
   * the new one.
   */
  copyLater(calendarHref: string, target: WriteTarget, later: LaterHalf): Promise<CopiedHalf>;

  /**
   * Invites the attendees of a series that `copyLater` created at `href`, once the old series has ended. Skips lists that are
   * complete, so that a repetition notifies nobody twice. Returns what it changed; nothing if the series has been deleted.
   */
  inviteLater(calendarHref: string, href: string, invitations: unknown): Promise<WriteResult>;

  /** What `create` or `copyLater` made with this key, whole, the master first; `undefined` when it is not there. Writes nothing. */
  findCreated(calendarHref: string, key: string): Promise<readonly EventResource[] | undefined>;

  /**
   * Changes what `change` names and nothing else of that very version; `precondition_failed` when the provider has
   * another by now, `not_found` when it is gone. With `instance`, that occurrence alone. Overrides of instances that
   * a changed `recurrence` no longer names go with it; the others stay.
   */
  update(calendarHref: string, target: WriteTarget, change: EventChange): Promise<WriteResult>;

  /** The event, the whole series, or with `instance` that occurrence alone. Gone already is no failure. */
  delete(calendarHref: string, target: WriteTarget): Promise<WriteResult>;

  /** The answer of the account's own user to an invitation. */
  respond(calendarHref: string, target: WriteTarget, response: Rsvp): Promise<WriteResult>;

  /** The resource as it is now with its overrides, for a merge after `precondition_failed`; `undefined` when gone. */
  read(calendarHref: string, href: string): Promise<readonly EventResource[] | undefined>;
}

/** Resources to write into the mirror and hrefs to take out of it, in one transaction. */
export type WriteResult = {
  readonly changed: readonly EventResource[];
  readonly removed: readonly string[];
};

/** The result of `copyLater`. */
export type CopiedHalf = WriteResult & {
  /** A JSON value that only the adapter reads. Undefined if nobody but the organizer attends. */
  readonly invitations?: unknown;
};

/** What becomes of a series from one instance on. Times are of the new series, in its own zone. */
export type LaterHalf = {
  /** Makes a repetition harmless, as that of `create`. */
  readonly key: string;
  /** Original start, in the old series, of the instance that the new one begins with. */
  readonly at: EventTime;
  /**
   * Times and rules of the new master, and what the caller wants changed of it. `recurrence` null: a single event, made of
   * the exception of its start where there is one; refused where there are others.
   */
  readonly change: EventChange &
    Pick<EventDraft, 'start' | 'end'> & { readonly recurrence: Recurrence | null };
  /** Changed instances: each made of the old exception, with its own times, and the caller's other changes. */
  readonly exceptions: readonly LaterException[];
  /** Starts of the new series that do not take place; they are among the exdates of its `recurrence` as well. */
  readonly cancelled: readonly EventTime[];
};

export type LaterException = {
  /** Its original start in the old series, as the mirror has it. */
  readonly recurrenceId: EventTime;
  /** Its original start in the new series. */
  readonly instance: EventTime;
  /** When it takes place; absent where it is as its series has it. */
  readonly times?: Pick<EventDraft, 'start' | 'end'>;
};

export type WriteTarget = {
  /** Of the single event, or of the series' master. */
  readonly href: string;
  /** The version the change is based on; `undefined` where the mirror has none. */
  readonly etag: string | undefined;
  /** Original start of the occurrence meant, in the type of the master's start. */
  readonly instance?: EventTime;
  /** The override that the mirror has for it as a resource of its own, where there is one. */
  readonly override?: { readonly href: string; readonly etag: string | undefined };
  /** What the mirror holds of the event or series, master first. */
  readonly stored: readonly EventResource[];
  /** A deletion notifies nobody, at a provider that leaves this to the caller. */
  readonly isQuiet?: boolean;
};

export type EventDraft = Pick<
  CalendarEvent,
  'title' | 'start' | 'end' | 'recurrence' | 'description' | 'location' | 'color' | 'conference' | 'custom'
> & {
  readonly status: CalendarEvent['status'] | undefined;
  readonly availability: CalendarEvent['availability'] | undefined;
  readonly privacy: CalendarEvent['privacy'] | undefined;
  readonly attendees: readonly Attendee[] | undefined;
  /** A Meet or Teams link made by the provider; wins over `conference`. */
  readonly autoConference: boolean;
};

/** Absent: stays as it is. `null`: is taken away. */
export type EventChange = {
  readonly [Field in keyof EventDraft]?:
    | EventDraft[Field]
    | (undefined extends EventDraft[Field] ? null : never);
};

export type Rsvp = {
  readonly response: 'accepted' | 'declined' | 'tentative';
  readonly comment: string | undefined;
};
