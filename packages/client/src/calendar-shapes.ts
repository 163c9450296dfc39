/** What the REST interface takes and answers, in its own words. Instants are RFC 3339 text. */

export type Provider = 'google' | 'microsoft' | 'apple' | 'caldav';
export type Scope = 'free-busy' | 'read' | 'read-write';

export type Account = {
  readonly id: string;
  readonly display?: string;
  /** The provider's own scopes. */
  readonly grantedScopes?: readonly string[];
  /** `null` where the provider has no such permission. */
  readonly calendarPermissionGranted?: boolean | null;
  /** `reauth_required`: send the user through the authorization URL again. */
  readonly syncState?: 'active' | 'reauth_required';
  readonly syncStateUpdatedAt?: string | null;
};

export type ConnectionStatus = {
  readonly connections: Readonly<Record<Provider, readonly Account[]>>;
  readonly limitReached: boolean;
};

export type Calendar = {
  readonly provider: Provider;
  readonly id: string;
  readonly title: string;
  /** An IANA zone. */
  readonly timeZone: string;
  readonly account?: string;
  readonly color?: string;
  readonly description?: string;
  readonly primary?: boolean;
  readonly access?: 'read' | 'write';
  /** The provider's own object. */
  readonly original?: Readonly<Record<string, unknown>>;
};

export type AttendeeStatus = 'accepted' | 'declined' | 'tentative' | 'none';

export type Attendee = {
  readonly email: string;
  readonly name?: string;
  readonly status?: AttendeeStatus;
  readonly organizer?: boolean;
};

export type Recurrence = {
  readonly frequency: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval?: number;
  readonly count?: number;
  /** `YYYYMMDDTHHMMSSZ`; not together with `count`. */
  readonly until?: string;
  /** `MO` … `SU`, with an ordinal such as `2MO` or `-1FR` where the frequency allows it. */
  readonly byDay?: readonly string[];
  readonly byMonthDay?: readonly number[];
  readonly byMonth?: readonly number[];
};

export type CalendarEvent = {
  readonly provider: Provider;
  readonly id: string;
  readonly calendarId: string;
  readonly title: string;
  readonly start: string;
  /** Exclusive. */
  readonly end: string;
  readonly allDay: boolean;
  readonly account?: string;
  readonly description?: string;
  readonly location?: string;
  /** The master's id, on instances of a series. */
  readonly recurringEventId?: string;
  /** On masters. */
  readonly recurrence?: Recurrence;
  readonly timeZone?: string;
  /** The dates of an all-day event; `endDate` is exclusive. */
  readonly startDate?: string;
  readonly endDate?: string;
  readonly color?: string;
  readonly attendees?: readonly Attendee[];
  readonly custom?: Readonly<Record<string, unknown>>;
  readonly conference?: string | null;
  readonly conferenceData?: Readonly<Record<string, unknown>>;
  readonly availability?: 'busy' | 'free';
  readonly privacy?: 'public' | 'private' | 'confidential';
  readonly status?: 'confirmed' | 'tentative' | 'cancelled';
  readonly lastModified?: string;
  readonly link?: string;
  /** The version, for `ifMatch`. */
  readonly etag?: string;
  readonly original?: Readonly<Record<string, unknown>>;
};

/** A calendar or account that could not be served, beside the others' data. */
export type ReadProblem = {
  readonly provider: Provider;
  readonly account: string;
  readonly code: string;
  readonly message: string;
};

export type EventsPage = {
  readonly events: readonly CalendarEvent[];
  readonly pageSize: number;
  readonly nextPageToken?: string;
  readonly errors?: readonly ReadProblem[];
};

/** Instants as text or Date. */
export type Instant = string | Date;

export type EventsQuery = {
  readonly start?: Instant;
  readonly end?: Instant;
  /** Ids of calendars, by provider; all when absent. */
  readonly calendarIds?: Partial<Readonly<Record<Provider, readonly string[]>>> | readonly string[];
  /** False: masters instead of their instances. */
  readonly singleEvents?: boolean;
  /** Search words. */
  readonly q?: string;
  readonly pageSize?: number;
};

export type EventFields = {
  readonly title: string;
  readonly start: Instant;
  readonly end: Instant;
  readonly allDay?: boolean;
  readonly timeZone?: string;
  readonly description?: string;
  readonly location?: string;
  readonly attendees?: readonly (string | Attendee)[];
  readonly recurrence?: Recurrence;
  readonly custom?: Readonly<Record<string, unknown>>;
  readonly conference?: string;
  readonly conferenceData?: { readonly provider?: string; readonly autoGenerate?: boolean };
  readonly availability?: 'busy' | 'free';
  readonly privacy?: 'public' | 'private' | 'confidential';
  readonly status?: 'confirmed' | 'tentative' | 'cancelled';
  readonly color?: string;
};

export type EventAddress = {
  readonly provider: Provider;
  readonly calendarId: string;
  readonly eventId: string;
};

/** Which part of a series is meant. */
export type SeriesMode = 'this' | 'following' | 'all';

export type BusyInterval = { readonly start: string; readonly end: string };
