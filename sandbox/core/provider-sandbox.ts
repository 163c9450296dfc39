/**
 * One built-in provider: a server on loopback that speaks the provider's own protocol, and the changes that people make
 * in the provider's own app. Tests and demo data use it, so that one scenario runs on all four.
 */
import type { SandboxClock } from './clock.ts';
import type { Faults, SandboxKind } from './faults.ts';
import type { ShownMessage } from './sent-messages.page.ts';

export type SandboxDeps = {
  readonly clock: SandboxClock;
  readonly faults: Faults;
  /** Called before each response: the state that it reports must be stored by then. */
  readonly beforeAnswer?: (() => void) | undefined;
};

export interface ProviderSandbox {
  readonly kind: SandboxKind;
  /** `http://127.0.0.1:PORT`. */
  readonly origin: string;
  readonly manual: ManualChanges & EventEditor;
  /** Returns how many requests of this operation and user got a response since the start; of all if absent. */
  requests(operation?: string, user?: string): number;
  /**
   * Returns the messages that were sent to people so far, oldest first. A CalDAV server that does not schedule sends
   * nothing.
   */
  sent(): readonly ShownMessage[];
  close(): Promise<void>;
}

export type Person = {
  /** The sign-in name. */
  readonly email: string;
  readonly name: string;
  /** App-specific or CalDAV password; Google and Microsoft's chooser asks for none. */
  readonly password?: string;
};

/** A time as a person means it: a date (`2026-11-28`), or a local time (`2026-11-28T09:00:00`) in an IANA zone. */
export type DraftTime = { readonly date: string } | { readonly dateTime: string; readonly timeZone: string };

export type EventDraft = {
  readonly title: string;
  readonly start: DraftTime;
  /** Exclusive. */
  readonly end: DraftTime;
  readonly recurrence?: DraftRecurrence;
  readonly description?: string;
  readonly location?: string;
  readonly attendees?: readonly { readonly email: string; readonly name?: string }[];
  readonly availability?: 'busy' | 'free';
  readonly privacy?: 'public' | 'private';
  /** A URL to join the meeting at. */
  readonly conference?: string;
};

/** A recurrence that all four providers can express. */
export type DraftRecurrence = {
  readonly frequency: 'daily' | 'weekly' | 'monthly' | 'yearly';
  readonly interval?: number;
  readonly count?: number;
  /** The last day on which an occurrence may start, inclusive: a date. */
  readonly until?: string;
  /** For weekly. */
  readonly weekdays?: readonly ('MO' | 'TU' | 'WE' | 'TH' | 'FR' | 'SA' | 'SU')[];
};

/** An event or a whole series, with its first start. */
export type ListedEvent = Pick<EventDraft, 'title' | 'start' | 'end'> & { readonly id: string };

/** The events in an account by the ids of their provider, for scripts that know none. */
export interface EventEditor {
  /** Returns the ids of a person's calendars, the oldest first. `undefined` if there is no such person. */
  calendars(email: string): readonly string[] | undefined;
  /** Returns the events of one of these calendars. */
  events(email: string, calendarId: string): readonly ListedEvent[];
  /** Changes the title or the times of one of these events; the rest stays as far as the provider keeps it. */
  changeEvent(
    email: string,
    calendarId: string,
    change: Partial<ListedEvent> & { readonly id: string },
  ): void;
}

/** An occurrence as its provider shows it, after recurrences and exceptions. */
export type ListedInstance = {
  readonly title: string;
  /** Epoch milliseconds; for an all-day event midnight UTC of its date. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly allDay: boolean;
};

/** An occurrence of the series `id`; `original` is its start by the rule, in the form of the master's start. */
export type OccurrenceId = { readonly id: string; readonly original: DraftTime };

/** Ids are the provider's own. Every call rejects with an Error for what does not exist. */
export interface ManualChanges {
  addPerson(person: Person): Promise<void>;
  addCalendar(
    email: string,
    calendar: { title: string; color?: string; timeZone: string; readOnly?: boolean },
  ): Promise<string>;
  renameCalendar(email: string, calendarId: string, title: string): Promise<void>;
  removeCalendar(email: string, calendarId: string): Promise<void>;
  createEvent(email: string, calendarId: string, draft: EventDraft): Promise<string>;
  /** Replaces all fields of a single event or master; exceptions stay as far as the provider keeps them. */
  updateEvent(email: string, calendarId: string, draft: EventDraft & { readonly id: string }): Promise<void>;
  /** Deletes the event, or the whole series. */
  deleteEvent(email: string, calendarId: string, eventId: string): Promise<void>;
  changeOccurrence(
    email: string,
    calendarId: string,
    change: OccurrenceId & Partial<Pick<EventDraft, 'title' | 'start' | 'end'>>,
  ): Promise<void>;
  deleteOccurrence(email: string, calendarId: string, occurrence: OccurrenceId): Promise<void>;
  /** Withdraws the application's access for the user (password changed, permission removed): its tokens end. */
  revokeAccess(email: string): Promise<void>;
  /** Invalidates all sync tokens and delta links so far. */
  forgetSyncTokens(email: string, calendarId: string): Promise<void>;
  /** Returns what the provider's own app shows of a window: overlapping occurrences, sorted by start, then title. */
  instances(
    email: string,
    calendarId: string,
    window: { readonly start: number; readonly end: number },
  ): Promise<ListedInstance[]>;
}
