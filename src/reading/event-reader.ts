/** What a read sees of the mirror. Instants are epoch milliseconds. */
import type { AccountHealth } from '../calendars/account-store.ts';
import type { EventMembers, LeftOutEvents } from '../calendars/mirrored-event.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { Series, SeriesMaster } from '../lib/recurrence/series.ts';
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
  /** What the grant may do with it: its own scope, or a narrower one where its approval covers the account so. */
  readonly scope: Scope;
  readonly provider: ProviderKind;
  readonly accountId: string;
  /** What the user recognises it by. */
  readonly display: string;
  readonly health: AccountHealth;
  readonly calendarPermission: boolean | undefined;
  /** In the provider's order. */
  readonly calendars: readonly ReadableCalendar[];
};

export type ReadableCalendar = Freshness & {
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
  /** What of it was left out, being over the budget of a resource. */
  readonly tooComplex: LeftOutEvents | undefined;
  readonly access: 'write' | 'read';
  /** The account's main calendar. */
  readonly primary: boolean;
  /** The provider's own object. */
  readonly original: RenderedObject;
};

/** From `start` up to, not including, `end`. */
export type EventWindow = { readonly start: number; readonly end: number };

/** Where a listing goes on: behind this event. Events are ordered by these three, in this order. */
export type EventPosition = { readonly startsAt: number; readonly calendarKey: string; readonly id: string };

/** What an answer says of an event. */
export type EventContent = {
  /** Of an event of a series, without INSTANCE_MEMBERS, which differ from instance to instance. */
  readonly content: RenderedMembers<EventMembers>;
  /** The provider's own object. */
  readonly original: RenderedObject;
  /** Of an event of a series. */
  readonly allDay?: boolean;
  /** Of the resource it comes from; null where its server gives none. */
  readonly etag: string | null;
  /** Of an event of a series, in a search: 0 where it is not what is searched for. */
  readonly matches?: number;
};

/** A single event, or an instance whose series the mirror does not have. */
export type SingleEvent = EventPosition & EventContent;

export type MirroredSeries = {
  readonly calendarKey: string;
  /** The master's id on the wire. */
  readonly id: string;
  readonly series: Series<EventContent> & { readonly master: SeriesMaster<EventContent> };
};

export type SinglesAndSeries = {
  readonly singles: readonly SingleEvent[];
  readonly series: readonly MirroredSeries[];
};

/** Which events a listing has. */
export type Listing = {
  /** They overlap it. */
  readonly window: EventWindow;
  /** They are behind this position. */
  readonly after?: EventPosition | undefined;
  /** They are no more than this. */
  readonly limit: number;
  /** They have all of these terms, MOST_SEARCH_TERMS at most, folded as search-text.ts does. */
  readonly search?: readonly string[] | undefined;
};

export interface EventReader {
  /**
   * The accounts that the reader's grant covers, in provider order, then by when they were linked, with the calendars
   * that their user did not leave out (docs/security.md T3). Of an account that several covered groups have, one is shown.
   */
  accountsOf(reader: ScopedReader): Promise<MirroredAccount[]>;

  /** Single events, in order. None cancelled. */
  singleEvents(calendarKeys: readonly string[], listing: Listing): Promise<SingleEvent[]>;

  /**
   * What these ids name: single events, instances known alone, and series by their master's id, with all their
   * overrides. None cancelled.
   */
  eventsById(calendarKeys: readonly string[], ids: readonly string[]): Promise<SinglesAndSeries>;

  /**
   * Series that can have instances in the window, with all their overrides. None cancelled. With `search`, those of
   * which any event has all of its words; each of them says whether it does.
   */
  seriesIn(
    calendarKeys: readonly string[],
    window: EventWindow,
    search?: readonly string[],
  ): Promise<MirroredSeries[]>;
}
