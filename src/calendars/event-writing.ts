/**
 * Writes the events of an account. Every call is conditional on the version that the caller saw, and returns the new
 * resources of the mirror, as a sync would. Instants are EventTimes in their intended zone. Fails with ProviderError,
 * or with `UnsupportedByProvider` for what the provider cannot express, before anything is sent.
 */

import type { EventTime, Recurrence } from '../lib/recurrence/event-time.ts';
import type { Attendee, CalendarEvent, EventResource } from './event.ts';

export interface EventWriting {
  /** Creates an event or a series. Repeated with the same `key` (32 hex digits) in a calendar, it is the same event. */
  create(calendarHref: string, draft: EventDraft, key: string): Promise<WriteResult>;

  /**
   * Creates the later half of the series `target`: a new series from the provider's own objects, exceptions included,
   * with only the changes of `later`. Data that a provider cannot copy is created again (docs/providers.md). Returns
   * all resources of the new series, its master first. Nobody is notified: the new series has only its organizer, and
   * `inviteLater` invites those in `invitations`.
   *
   * A repetition with the same key continues an interrupted call. It is never called after a result or after the end of
   * the old series. Fails before anything is sent: as `organizer_only` if the account may not end the old series, as
   * `precondition_failed` if that has another version, with UnsupportedByProvider if the new one cannot be expressed.
   */
  copyLater(calendarHref: string, target: WriteTarget, later: LaterHalf): Promise<CopiedHalf>;

  /**
   * Invites the attendees of a series from `copyLater` at `href`, after the old series has ended. Skips complete lists,
   * so that a repetition notifies nobody twice. Returns its changes; none if the series was deleted.
   */
  inviteLater(calendarHref: string, href: string, invitations: unknown): Promise<WriteResult>;

  /** Returns the resources that `create` or `copyLater` created with this key, master first, or `undefined`. */
  findCreated(calendarHref: string, key: string): Promise<readonly EventResource[] | undefined>;

  /**
   * Changes only the fields of `change`. Fails as `precondition_failed` if the provider has another version, as
   * `not_found` if the event was deleted. With `instance`, changes only that occurrence. Deletes overrides of
   * occurrences that a changed `recurrence` no longer has.
   */
  update(calendarHref: string, target: WriteTarget, change: EventChange): Promise<WriteResult>;

  /** Deletes the event or the series; with `instance`, only that occurrence. Resolves if it no longer exists. */
  delete(calendarHref: string, target: WriteTarget): Promise<WriteResult>;

  /** Responds to an invitation as the account's user. */
  respond(calendarHref: string, target: WriteTarget, response: Rsvp): Promise<WriteResult>;

  /** Returns the current resource with its overrides, to merge after `precondition_failed`; `undefined` if deleted. */
  read(calendarHref: string, href: string): Promise<readonly EventResource[] | undefined>;
}

/** The resources to store in the mirror and the hrefs to delete from it, in one transaction. */
export type WriteResult = {
  readonly changed: readonly EventResource[];
  readonly removed: readonly string[];
};

export type CopiedHalf = WriteResult & {
  /** A JSON value that only the adapter reads. Undefined if nobody but the organizer attends. */
  readonly invitations?: unknown;
};

/** The later half of a series, from one occurrence on. Times are those of the new series, in its own zone. */
export type LaterHalf = {
  /** Makes a repetition harmless, as in `create`. */
  readonly key: string;
  /** Original start, in the old series, of the first occurrence of the new one. */
  readonly at: EventTime;
  /**
   * Times and rules of the new master, and the requested changes. If `recurrence` is null, it is a single event, based
   * on the exception at its start, if there is one; other exceptions are refused.
   */
  readonly change: EventChange &
    Pick<EventDraft, 'start' | 'end'> & { readonly recurrence: Recurrence | null };
  /** Changed occurrences. Each is based on its old exception, with its own times and the requested changes. */
  readonly exceptions: readonly LaterException[];
  /** Cancelled starts of the new series; they are also exdates of its `recurrence`. */
  readonly cancelled: readonly EventTime[];
};

export type LaterException = {
  /** Its original start in the old series, as in the mirror. */
  readonly recurrenceId: EventTime;
  /** Its original start in the new series. */
  readonly instance: EventTime;
  /** When it takes place, if not at the time of its series. */
  readonly times?: Pick<EventDraft, 'start' | 'end'>;
};

export type WriteTarget = {
  /** The href of the single event, or of the series' master. */
  readonly href: string;
  /** The version that the change is based on; `undefined` if the mirror has none. */
  readonly etag: string | undefined;
  /** Original start of the occurrence, in the type of the master's start. */
  readonly instance?: EventTime;
  /** The override that the mirror has as a separate resource, if any. */
  readonly override?: { readonly href: string; readonly etag: string | undefined };
  /** The resources of the event or series in the mirror, master first. */
  readonly stored: readonly EventResource[];
  /** Whether a deletion notifies nobody, if the provider leaves that to the caller. */
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
  /** Whether the provider creates a Meet or Teams link, instead of `conference`. */
  readonly autoConference: boolean;
};

/** A change. Absent fields stay as they are, and `null` removes a field. */
export type EventChange = {
  readonly [Field in keyof EventDraft]?:
    | EventDraft[Field]
    | (undefined extends EventDraft[Field] ? null : never);
};

export type Rsvp = {
  readonly response: 'accepted' | 'declined' | 'tentative';
  readonly comment: string | undefined;
};
