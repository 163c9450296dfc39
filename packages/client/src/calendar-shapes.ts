/** Accounts, calendars and free time in the shapes of the REST interface. Instants are RFC 3339 text. */

/** The four kinds of calendar provider. */
export type Provider = 'google' | 'microsoft' | 'apple' | 'caldav';

/** The access of an application: see when the user is busy, read everything, or write too. */
export type Scope = 'free-busy' | 'read' | 'read-write';

/** The person who must act; `administrator` is the one of the user's organization; `nobody`: the problem passes. */
export type Actor = 'user' | 'operator' | 'administrator' | 'nobody';

/** The health of an account in full; the service's documentation lists the values of `reason`. */
export type AccountHealth = {
  readonly state: 'active' | 'degraded' | 'reauth_required';
  readonly reason?: string;
  readonly actor?: Actor;
  readonly message?: string;
  readonly since: string;
};

/** One account that the user connected. */
export type Account = {
  /** The same value as `account` elsewhere. */
  readonly id: string;
  readonly display: string;
  /** The provider's own scopes. */
  readonly grantedScopes: readonly string[];
  /** `null` if the provider has no such permission, or if it is unknown. */
  readonly calendarPermissionGranted: boolean | null;
  /** `reauth_required`: the provider refuses the account; send the user through the authorization URL again. */
  readonly syncState: 'active' | 'reauth_required';
  /** `null` until it first changes. */
  readonly syncStateUpdatedAt: string | null;
  readonly health: AccountHealth;
  /** Whether the provider sends push notifications of changes, or is polled. */
  readonly updates: 'push' | 'polling';
  /** When all its calendars last matched the provider; `null` until their first sync has finished. */
  readonly lastSyncedAt: string | null;
  /** The progress until all calendars were read. `eventsExpected` grows with each listed calendar. */
  readonly firstSync?: {
    readonly calendars: number;
    readonly calendarsRead: number;
    readonly events: number;
    /** `null` for providers that do not list events before they send them. */
    readonly eventsExpected: number | null;
  };
};

/** An account by its provider and its id. */
export type AccountOfProvider = { readonly provider: Provider; readonly account: string };

/** A link with which the user reconnects an account: a secret of the user, valid for seven days. */
export type ReconnectLink = { readonly url: string; readonly expiresAt: string };

/** The accounts of a user, by provider. */
export type ConnectionStatus = {
  readonly connections: Readonly<Record<Provider, readonly Account[]>>;
  readonly limitReached: boolean;
};

/** The result of a call that returns no data; `message` is for people. */
export type Done = { readonly success: true; readonly message: string };

/** One calendar of a connected account. */
export type Calendar = {
  readonly provider: Provider;
  /** The id of its account. */
  readonly account: string;
  /** The name that people know the account by: its `display`. */
  readonly accountName: string;
  readonly id: string;
  readonly title: string;
  /** An IANA zone. */
  readonly timeZone: string;
  /** `#rrggbb`. */
  readonly color?: string;
  readonly description?: string;
  /** True for the account's main calendar, which the id `primary` selects. */
  readonly primary: boolean;
  readonly access: 'read' | 'write';
  /** The provider's own object, at most 64 kB. */
  readonly original?: Readonly<Record<string, unknown>>;
  /** True if `original` is too large and was left out. */
  readonly originalTruncated?: true;
};

/** The fields of a calendar to create. */
export type CalendarFields = {
  readonly title: string;
  /** `#rrggbb`; at Microsoft one of Graph's names, such as `lightBlue`. */
  readonly color?: string;
  readonly description?: string;
  /** IANA; the provider's choice when absent. */
  readonly timeZone?: string;
};

/** The changes to a calendar; an empty description removes it. */
export type CalendarChange = Partial<Pick<CalendarFields, 'title' | 'color' | 'description'>>;

/**
 * An account that could not be brought up to date, or a calendar or event that was left out: its data may be old or
 * missing in the response.
 */
export type ReadProblem = {
  readonly provider: Provider;
  readonly account: string;
  /** The calendar, and possibly the event, of which something is left out. */
  readonly calendarId?: string;
  readonly eventId?: string;
  /** How many events of the calendar are left out, in whole or in part, and the names of the first ten. */
  readonly count?: number;
  readonly eventIds?: readonly string[];
  /** Such as `reauth_required`, `sync_in_progress`, `event_too_complex`, `event_unreadable`, `unavailable`. */
  readonly code: string;
  readonly message: string;
  /** The exact cause, and who must act. */
  readonly reason?: string;
  readonly actor?: Actor;
  /** The user of the account, if several users were requested. */
  readonly user_id?: string;
};

/** All calendars of the user, and the accounts whose calendars could not be read. */
export type CalendarList = {
  readonly calendars: readonly Calendar[];
  readonly errors: readonly ReadProblem[];
};

/** An instant as RFC 3339 text or a Date. */
export type Instant = string | Date;

/**
 * Ids of calendars, by provider, or of any; `primary` selects the main one of each account. An absent provider selects
 * none of its calendars.
 */
export type CalendarIds = Partial<Readonly<Record<Provider, readonly string[]>>> | readonly string[];

/** An interval of time; `end` is exclusive. */
export type TimeInterval = { readonly start: string; readonly end: string };

/** The window must be within a year. */
export type FreeBusyQuery = {
  readonly start: Instant;
  readonly end: Instant;
  /** All when absent. */
  readonly calendarIds?: CalendarIds;
  /** IANA: where the dates of all-day events are meant; each calendar's own zone when absent. */
  readonly timeZone?: string;
};

/** When the user is busy: disjoint intervals in order. */
export type FreeBusy = TimeInterval & {
  readonly busy: readonly TimeInterval[];
  readonly errors?: readonly ReadProblem[];
};

/** Hours of the day (`09:00`) in which a slot may be, on these days of the week, Default: Monday to Friday. */
export type WorkingHours = {
  readonly days?: readonly ('MO' | 'TU' | 'WE' | 'TH' | 'FR' | 'SA' | 'SU')[];
  readonly start: string;
  readonly end: string;
  readonly timeZone?: string;
};

/** The requirements for a free slot. Lengths are whole minutes. */
export type AvailabilityQuery = FreeBusyQuery & {
  readonly duration: number;
  /** Free time that must be around the slot. */
  readonly bufferBefore?: number;
  readonly bufferAfter?: number;
  /** Minutes from now until the earliest start of a slot. */
  readonly minimumNotice?: number;
  /** Minutes between the starts of two slots. Default: 30. */
  readonly step?: number;
  /** 50 by default, 500 at most. */
  readonly limit?: number;
  /** Default: any time. */
  readonly workingHours?: readonly WorkingHours[];
};

/** Free slots in order. */
export type Availability = {
  readonly slots: readonly TimeInterval[];
  readonly errors?: readonly ReadProblem[];
};
