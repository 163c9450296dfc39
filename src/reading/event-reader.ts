/** The mirror as a read sees it. Instants are epoch milliseconds. */
import type { AccountHealth } from '../calendars/account-store.ts';
import type { EventMembers, LeftOutOfCalendar } from '../calendars/mirrored-event.ts';
import type { ProviderKind } from '../calendars/provider-facts.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { RenderedMembers, RenderedObject } from '../lib/rendered-json.ts';
import type { ScopedReader } from '../oauth/grant.ts';
import type { Scope } from '../oauth/scope.ts';

/** A user of an application. */
export type ReadingUser = { readonly clientId: string; readonly userId: string };

/** How fresh something mirrored is. */
export type Freshness = {
  /** When it was last known to equal the provider's; undefined before its first sync. */
  readonly syncedAt: number | undefined;
  readonly failedAt: number | undefined;
  readonly failure: SyncFailure | undefined;
};

/** An account as its list of calendars was last known. */
export type MirroredAccount = Freshness & {
  readonly accountKey: string;
  /** The grant's own scope, or a narrower one if the user's consent covers the account only for that. */
  readonly scope: Scope;
  readonly provider: ProviderKind;
  readonly accountId: string;
  /** The name by which the user recognizes the account. */
  readonly display: string;
  /**
   * E-mail addresses by which events name its user, as its server names them; none where events mark the user
   * themselves.
   */
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
    /** About how many bytes its events take in the mirror. */
    readonly bytes: number;
    readonly access: 'write' | 'read';
    /** The account's main calendar (main-calendar.ts); no more than one is. */
    readonly primary: boolean;
    /** The other name that callers may use instead of `href`: `primary`, for the main calendar. */
    readonly alias: string | undefined;
  };

/** A range from `start` (inclusive) to `end` (exclusive). */
export type EventWindow = { readonly start: number; readonly end: number };

/** The position after which a listing continues. Events are ordered by these three fields, in this order. */
export type EventPosition = { readonly startsAt: number; readonly calendarKey: string; readonly id: string };

/** The content of an event in a response. */
export type EventContent = {
  /** The members; those of an event of a series lack INSTANCE_MEMBERS, which differ from instance to instance. */
  readonly content: RenderedMembers<EventMembers>;
  /** The provider's own object; undefined if it is longer than the limit or was not requested. */
  readonly original: RenderedObject | undefined;
  /** The ETag of its resource; undefined if the server gives none. */
  readonly etag: string | undefined;
};

/** Names a row of the mirror within its calendar. */
export type RowName = { readonly href: string; readonly recurrenceId: string };

/** A single event, or an instance whose series the mirror does not have. */
export type SingleEvent = EventPosition & RowName & EventContent;

/** A single event without what it says. */
export type SingleName = EventPosition &
  RowName & {
    /** Its approximate bytes in a response. */
    readonly size: number;
    /** How many bytes of it a search looks at. */
    readonly searched: number;
  };

/** A row of a series without what it says. */
export type SeriesRow = RowName & {
  /** JSON of a Timing. */
  readonly timing: string;
  /** In a search: whether it contains all the words. */
  readonly matches: boolean;
  /** Whether its provider's own object is its own, and not its master's. */
  readonly hasOriginal: boolean;
  /** Its approximate bytes in a response. */
  readonly size: number;
  /** The content, if it was read already. */
  readonly stored?: EventContent;
};

export type MirroredSeries = {
  readonly calendarKey: string;
  /** The master's id on the wire. */
  readonly id: string;
  /** The master's, then those of its overrides. */
  readonly rows: readonly SeriesRow[];
};

/** A series with all that it says. */
export type WholeSeries = MirroredSeries & {
  readonly rows: readonly (SeriesRow & { readonly stored: EventContent })[];
};

export type SinglesAndSeries = {
  readonly singles: readonly SingleEvent[];
  readonly series: readonly WholeSeries[];
};

/** The range of a listing. */
export type Listing = {
  /** They overlap it. */
  readonly window: EventWindow;
  /** They are behind this position. */
  readonly after?: EventPosition | undefined;
  /** They are no more than this. */
  readonly limit: number;
  /** They have all of these terms, MOST_SEARCH_TERMS at most, folded as search-text.ts does. */
  readonly search?: readonly string[] | undefined;
  /** Whether `original` is requested; true unless given. */
  readonly originals?: boolean | undefined;
};

/** A place in the order of a calendar's masters. */
export type SeriesPlace = { readonly startsAt: number; readonly id: string };

/** Reads the mirror: what is small whole, what is large in pieces, so that no statement takes long. */
export interface EventReader extends WholeReader, PieceReader {
  /**
   * Returns the accounts that the reader's grant covers, in provider order, then by the time of linking, with the
   * calendars that their user did not leave out (docs/security.md T3). An account that several covered groups have
   * appears once.
   */
  accountsOf(reader: ScopedReader): Promise<MirroredAccount[]>;

  /** Returns the provider's own objects of these calendars. One that is too large to show is missing. */
  calendarOriginals(calendarKeys: readonly string[]): Promise<ReadonlyMap<string, RenderedObject>>;
}

/** Reads all that calendars have at once, if that is little. */
export interface WholeReader {
  /** Single events, in order. None cancelled. */
  singleEvents(calendarKeys: readonly string[], listing: Listing): Promise<SingleEvent[]>;

  /**
   * Returns the single events, instances without a known master, and series (by their master's id, with all overrides)
   * that have these ids. None is cancelled.
   */
  eventsById(calendarKeys: readonly string[], ids: readonly string[]): Promise<SinglesAndSeries>;

  /** The same of one calendar without their providers' objects, in no order: for many calendars at once. */
  eventsToTell(calendarKey: string, ids: readonly string[]): Promise<SinglesAndSeries>;

  /**
   * Series that can have instances in the window, with all their overrides and what they say. None cancelled. With
   * `search`, those of which any event has all of its words.
   */
  seriesIn(
    calendarKeys: readonly string[],
    listing: Pick<Listing, 'window' | 'search' | 'originals'>,
  ): Promise<WholeSeries[]>;
}

/** Reads a calendar of any size piece by piece. */
export interface PieceReader {
  /** Single events of one calendar, in order, without what they say, whatever is searched for. None cancelled. */
  singleNames(calendarKey: string, listing: Omit<Listing, 'search'>): Promise<SingleName[]>;

  /** The masters that can have instances in the window and are behind `after`, in order, no more than `limit`. */
  mastersIn(
    calendarKey: string,
    listing: {
      readonly window: EventWindow;
      readonly after: SeriesPlace | undefined;
      readonly limit: number;
    },
  ): Promise<SeriesPlace[]>;

  /** These series without what they say, by their masters' ids, and how many bytes of each row a search looks at. */
  seriesRows(
    calendarKey: string,
    ids: readonly string[],
  ): Promise<(MirroredSeries & { readonly searched: readonly number[] })[]>;

  /** Returns those of the rows that contain all of the words. */
  matching(
    calendarKey: string,
    rows: readonly RowName[],
    search: readonly string[],
  ): Promise<ReadonlySet<string>>;

  /** Returns the content of these rows, by `nameOfRow`, without those that were deleted. */
  contentsOf(
    calendarKey: string,
    rows: readonly RowName[],
    originals: boolean,
  ): Promise<ReadonlyMap<string, EventContent>>;

  /** Returns the sizes of these single events and series. Overrides that are separate resources are not counted. */
  sizesById(calendarKeys: readonly string[], ids: readonly string[]): Promise<EventSize[]>;
}

export type EventSize = {
  readonly calendarKey: string;
  readonly id: string;
  /** The approximate bytes of all rows together in a response. */
  readonly size: number;
  readonly rows: number;
  /** Bytes of the largest provider object among them. */
  readonly original: number;
};

/** A row's name as one text. */
export const nameOfRow = ({ href, recurrenceId }: RowName): string => `${href} ${recurrenceId}`;
