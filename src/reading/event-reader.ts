/** Reads from the mirror. Instants are epoch milliseconds. */
import type { AccountHealth } from '../calendars/account-store.ts';
import type { EventMembers, LeftOutOfCalendar } from '../calendars/mirrored-event.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { RenderedMembers, RenderedObject } from '../lib/rendered-json.ts';
import type { ScopedReader } from '../oauth/grant.ts';
import type { Scope } from '../oauth/scope.ts';

export type ReadingUser = { readonly clientId: string; readonly userId: string };

/** The freshness of mirrored data. */
export type Freshness = {
  /** The last time when it equaled the provider's data; undefined before its first sync. */
  readonly syncedAt: number | undefined;
  readonly failedAt: number | undefined;
  readonly failure: SyncFailure | undefined;
};

/** An account with its list of calendars as of the last sync. */
export type MirroredAccount = Freshness & {
  readonly accountKey: string;
  /** The grant's scope, or a narrower one if the user consented to less for this account. */
  readonly scope: Scope;
  readonly provider: ProviderKind;
  readonly accountId: string;
  /** The name by which the user recognizes the account. */
  readonly display: string;
  /** The user's e-mail addresses in events; none if the provider marks the user's own attendee. */
  readonly addresses: readonly string[];
  readonly health: AccountHealth;
  readonly calendarPermission: boolean | undefined;
  /** The calendars in the provider's order. */
  readonly calendars: readonly ReadableCalendar[];
};

export type ReadableCalendar = Freshness &
  LeftOutOfCalendar & {
    readonly calendarKey: string;
    readonly href: string;
    readonly title: string;
    readonly description: string | undefined;
    readonly color: string | undefined;
    readonly timeZone: string;
    /** Changes with every write to its events. */
    readonly revision: number;
    /** The approximate bytes of its events in the mirror. */
    readonly bytes: number;
    readonly access: 'write' | 'read';
    /** Whether it is the account's main calendar (main-calendar.ts); at most one is. */
    readonly primary: boolean;
    /** The alternative to `href` in requests: `primary` for the main calendar. */
    readonly alias: string | undefined;
  };

/** A range; `end` is exclusive. */
export type EventWindow = { readonly start: number; readonly end: number };

/** The position after which a listing continues. Events are sorted by these three fields in this order. */
export type EventPosition = { readonly startsAt: number; readonly calendarKey: string; readonly id: string };

export type EventContent = {
  /** The fields of the event. In a series, INSTANCE_MEMBERS are absent because instances differ in them. */
  readonly content: RenderedMembers<EventMembers>;
  /** The provider's own object; undefined if it is longer than the limit or was not requested. */
  readonly original: RenderedObject | undefined;
  /** The ETag of its resource; undefined if the server gives none. */
  readonly etag: string | undefined;
};

/** The name of a row of the mirror within its calendar. */
export type RowName = { readonly href: string; readonly recurrenceId: string };

/** A single event, or an instance whose series the mirror does not have. */
export type SingleEvent = EventPosition & RowName & EventContent;

/** A single event without its content. */
export type SingleName = EventPosition &
  RowName & {
    /** The approximate bytes in a response. */
    readonly size: number;
    /** The bytes of it that a search reads. */
    readonly searched: number;
  };

/** A row of a series without its content. */
export type SeriesRow = RowName & {
  /** JSON of a Timing. */
  readonly timing: string;
  /** Whether it matches the search; true without one. */
  readonly matches: boolean;
  /** Whether the provider's object is its own, not the master's. */
  readonly hasOriginal: boolean;
  /** The approximate bytes in a response. */
  readonly size: number;
  readonly stored?: EventContent;
};

export type MirroredSeries = {
  readonly calendarKey: string;
  /** The master's id on the wire. */
  readonly id: string;
  /** The master's row, then the rows of its overrides. */
  readonly rows: readonly SeriesRow[];
};

export type WholeSeries = MirroredSeries & {
  readonly rows: readonly (SeriesRow & { readonly stored: EventContent })[];
};

export type SinglesAndSeries = {
  readonly singles: readonly SingleEvent[];
  readonly series: readonly WholeSeries[];
};

export type Listing = {
  /** Events must overlap it. */
  readonly window: EventWindow;
  /** Events come after this position. */
  readonly after?: EventPosition | undefined;
  /** The maximum number of events. */
  readonly limit: number;
  /** Events contain all terms (at most MOST_SEARCH_TERMS, folded as in search-text.ts). */
  readonly search?: readonly string[] | undefined;
  /** True by default. */
  readonly originals?: boolean | undefined;
};

/** A position in the order of a calendar's masters. */
export type SeriesPlace = { readonly startsAt: number; readonly id: string };

/** Reads the mirror: small calendars at once, large ones in pieces, so that no statement takes long. */
export interface EventReader extends WholeReader, PieceReader {
  /**
   * Returns the accounts that the grant covers, each once, with the calendars that the user included (docs/security.md
   * T3).
   */
  accountsOf(reader: ScopedReader): Promise<MirroredAccount[]>;

  /** Returns the provider's own objects of these calendars, without objects that are too large to show. */
  calendarOriginals(calendarKeys: readonly string[]): Promise<ReadonlyMap<string, RenderedObject>>;
}

/** Reads small calendars at once. */
export interface WholeReader {
  /** Returns single events in order, without cancelled ones. */
  singleEvents(calendarKeys: readonly string[], listing: Listing): Promise<SingleEvent[]>;

  /** Returns single events, instances without a master, and whole series that have these ids, none cancelled. */
  eventsById(calendarKeys: readonly string[], ids: readonly string[]): Promise<SinglesAndSeries>;

  /** Returns the same for one calendar, unordered and without provider objects: for many calendars at once. */
  eventsToTell(calendarKey: string, ids: readonly string[]): Promise<SinglesAndSeries>;

  /** Returns whole series that can have instances in the window and, with `search`, a matching event. */
  seriesIn(
    calendarKeys: readonly string[],
    listing: Pick<Listing, 'window' | 'search' | 'originals'>,
  ): Promise<WholeSeries[]>;
}

/** Reads a calendar of any size in pieces. */
export interface PieceReader {
  /** Returns single events of a calendar in order, without content, filter or cancelled events. */
  singleNames(calendarKey: string, listing: Omit<Listing, 'search'>): Promise<SingleName[]>;

  /** Returns at most `limit` masters after `after` that can have instances in the window, in order. */
  mastersIn(
    calendarKey: string,
    listing: {
      readonly window: EventWindow;
      readonly after: SeriesPlace | undefined;
      readonly limit: number;
    },
  ): Promise<SeriesPlace[]>;

  /** Returns these series by master id without content, and the bytes of each row that a search reads. */
  seriesRows(
    calendarKey: string,
    ids: readonly string[],
  ): Promise<(MirroredSeries & { readonly searched: readonly number[] })[]>;

  matching(
    calendarKey: string,
    rows: readonly RowName[],
    search: readonly string[],
  ): Promise<ReadonlySet<string>>;

  /** Returns the content of existing rows, by `nameOfRow`. */
  contentsOf(
    calendarKey: string,
    rows: readonly RowName[],
    originals: boolean,
  ): Promise<ReadonlyMap<string, EventContent>>;

  /** Returns the sizes of these single events and series, without overrides that are separate resources. */
  sizesById(calendarKeys: readonly string[], ids: readonly string[]): Promise<EventSize[]>;
}

export type EventSize = {
  readonly calendarKey: string;
  readonly id: string;
  /** The approximate bytes of all rows in a response. */
  readonly size: number;
  readonly rows: number;
  /** The bytes of the largest provider object. */
  readonly original: number;
};

/** Returns a row's name as one text. */
export const nameOfRow = ({ href, recurrenceId }: RowName): string => `${href} ${recurrenceId}`;
