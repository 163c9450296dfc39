/** events.list: pages of a calendar's events, or of what changed since a sync token. */
import type { calendar_v3 } from '@googleapis/calendar';

import { type FaultEffect, hasEffect } from '../core/faults.ts';
import { TooManyOccurrences } from '../core/occurrences.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import { spanOf, unchangedInstance } from './calendar-events.ts';
import { instancesOf, isMaster } from './event-series.ts';
import { textOfInstant } from './event-times.ts';
import { etagOf, type Viewer, viewOf } from './event-view.ts';
import type { GoogleCalendar, StoredEvent } from './google-store.ts';
import type { GoogleHabits } from './habits.ts';
import { fullSyncRequired, type PageToken, readPageToken, readSyncToken, tokenText } from './page-tokens.ts';
import { flag, instant, pageSize, parametersOf, withFaults, zone } from './query.ts';

const DAY = 86_400_000;
/** The distance to which a series without an end is expanded if the listing has none. No source confirms it. */
const HORIZON = 2 * 366 * DAY;

type Window = { readonly start: number | undefined; readonly end: number | undefined };

type Listing = {
  readonly singleEvents: boolean;
  readonly showDeleted: boolean;
  /** The version after which changes are listed. */
  readonly since: number | undefined;
  readonly updatedMin: number | undefined;
  readonly window: Window;
  readonly orderBy: 'startTime' | 'updated' | undefined;
  readonly query: URLSearchParams;
  readonly now: number;
  readonly habits: GoogleHabits;
};

export type ListEventsInput = {
  readonly calendar: GoogleCalendar;
  readonly query: URLSearchParams;
  readonly viewer: Omit<Viewer, 'timeZone'>;
  readonly effects: readonly FaultEffect[];
  readonly now: number;
  /** The maximum of events in a page, whatever the client requests. */
  readonly eventsPerPage: number;
  readonly habits: GoogleHabits;
};

/** The parameters that a sync token excludes. */
const NOT_WITH_SYNC = [
  'iCalUID',
  'orderBy',
  'privateExtendedProperty',
  'q',
  'sharedExtendedProperty',
  'timeMin',
  'timeMax',
  'updatedMin',
];
/**
 * The parameters whose listings have no sync token; a listing with a window has one, for that window. No source
 * confirms either.
 */
const WITHOUT_SYNC = NOT_WITH_SYNC.filter((name) => name !== 'timeMin' && name !== 'timeMax');
const REPEATING = ['singleEvents', 'eventTypes', 'maxAttendees', 'showHiddenInvitations', 'timeZone'];

/** Throws the errors of Google, or TooManyOccurrences for a calendar with more instances than any real one. */
export function listEvents(input: ListEventsInput): calendar_v3.Schema$Events {
  const { calendar, query, effects, now } = input;
  if (query.has('syncToken') && hasEffect(effects, 'token_forgotten')) throw fullSyncRequired();
  const { listing, page, repeating } = readListing(input);
  const size = pageSize(query, 250, input.eventsPerPage);
  const version = page?.version ?? calendar.version;
  const rows = listEventRows(calendar, listing).filter(({ key }) => page === undefined || key > page.after);
  rows.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const pageRows = rows.slice(0, size);
  const last = pageRows.at(-1);
  const viewer = { ...input.viewer, timeZone: zone(query, calendar.timeZone) };
  const items = withFaults(
    pageRows.map(({ event }) => viewOf(calendar, event, viewer)),
    effects,
  );
  const next: calendar_v3.Schema$Events = {};
  if (last !== undefined && pageRows.length < rows.length) {
    const parameters = parametersOf(query);
    next.nextPageToken = tokenText({ kind: 'page', of: calendar.id, after: last.key, version, parameters });
  } else if (!WITHOUT_SYNC.some((name) => query.has(name))) {
    const { start, end } = listing.window;
    const window = [start ?? null, end ?? null] as const;
    const { id: of, tokenEpoch: epoch } = calendar;
    next.nextSyncToken = tokenText({ kind: 'sync', of, epoch, version, parameters: repeating, window });
  }
  return {
    kind: 'calendar#events',
    etag: etagOf(calendar),
    summary: calendar.title,
    updated: textOfInstant(now, 'UTC'),
    timeZone: viewer.timeZone,
    accessRole: viewer.role,
    defaultReminders: [],
    ...next,
    items,
  };
}

function readListing({ calendar, query, now, habits }: ListEventsInput) {
  const repeatingParameters = [...query].filter(([name]) => REPEATING.includes(name));
  const repeating = new URLSearchParams(repeatingParameters.sort()).toString();
  const syncText = query.get('syncToken');
  const pageText = query.get('pageToken');
  const page: PageToken | undefined =
    pageText === null
      ? undefined
      : readPageToken(pageText, { of: calendar.id, parameters: parametersOf(query) });
  const singleEvents = flag(query, 'singleEvents') ?? false;
  const common = { singleEvents, query, now, habits };
  if (syncText !== null) {
    refuseBesideSync(query);
    const { id: of, tokenEpoch: epoch } = calendar;
    const { version, window } = readSyncToken(syncText, { of, epoch, parameters: repeating });
    const [start, end] = window.map((bound) => bound ?? undefined);
    const options = { showDeleted: true, updatedMin: undefined, orderBy: undefined };
    return { listing: { ...common, ...options, since: version, window: { start, end } }, page, repeating };
  }
  const orderBy = readOrder(query, singleEvents);
  const window = { start: instant(query, 'timeMin'), end: instant(query, 'timeMax') };
  if (window.start !== undefined && window.end !== undefined && window.end <= window.start) {
    throw new SandboxRefusal(400, 'timeRangeEmpty', 'The specified time range is empty.');
  }
  const updatedMin = instant(query, 'updatedMin');
  const showDeleted = flag(query, 'showDeleted') ?? false;
  const listing: Listing = { ...common, showDeleted, updatedMin, orderBy, window, since: undefined };
  return { listing, page, repeating };
}

function refuseBesideSync(query: URLSearchParams): void {
  const forbidden = NOT_WITH_SYNC.find((name) => query.has(name));
  if (forbidden !== undefined) {
    throw new SandboxRefusal(
      400,
      'badRequest',
      `Sync token cannot be used with ${forbidden} query restrictions.`,
    );
  }
  if (flag(query, 'showDeleted') === false) {
    throw new SandboxRefusal(400, 'badRequest', 'Sync token cannot be used with showDeleted=false.');
  }
}

function readOrder(query: URLSearchParams, singleEvents: boolean): Listing['orderBy'] {
  const orderBy = query.get('orderBy') ?? undefined;
  if (orderBy === undefined || orderBy === 'updated') return orderBy;
  if (orderBy !== 'startTime')
    throw new SandboxRefusal(400, 'invalidParameter', 'Invalid value for orderBy.');
  if (singleEvents) return orderBy;
  throw new SandboxRefusal(
    400,
    'badRequest',
    'The requested ordering is not available for the particular query.',
  );
}

type Row = { readonly key: string; readonly event: StoredEvent };

function listEventRows(calendar: GoogleCalendar, listing: Listing): Row[] {
  const rows: Row[] = [];
  for (const event of calendar.events.values()) {
    if (!isOfKind(event, listing)) continue;
    const events = listing.singleEvents
      ? instanceRows(calendar, event, listing)
      : resourceRows(calendar, event, listing);
    for (const listedEvent of events)
      rows.push({ key: keyOf(calendar, listedEvent, listing), event: listedEvent });
  }
  return rows;
}

function keyOf(calendar: GoogleCalendar, event: StoredEvent, { orderBy }: Listing): string {
  const number = (value: number) => String(value + 1e14).padStart(16, '0');
  if (orderBy === 'updated') return `${number(event.updated)} ${event.id}`;
  return orderBy === undefined ? event.id : `${number(spanOf(event, calendar).startsAt)} ${event.id}`;
}

const isNew = ({ version, updated }: StoredEvent, { since, updatedMin }: Listing): boolean =>
  (since === undefined || version > since) && (updatedMin === undefined || updated >= updatedMin);

/** Returns whether deleted events are listed at all. */
const listsDeletions = ({ showDeleted, since, updatedMin }: Listing): boolean =>
  showDeleted || since !== undefined || updatedMin !== undefined;

/** Returns events as stored: masters and exceptions separately. Cancelled exceptions are always listed. */
function resourceRows(calendar: GoogleCalendar, event: StoredEvent, listing: Listing): StoredEvent[] {
  if (!isNew(event, listing)) return [];
  if (event.status === 'cancelled' && event.instanceOf === undefined) {
    return listsDeletions(listing) ? [event] : [];
  }
  const { window } = listing;
  const inside = isMaster(event)
    ? seriesReaches(calendar, event, window)
    : touches(spanOf(event, calendar), window);
  // An event that a change moved out of the listing's window is listed too, because clients cannot know otherwise.
  return inside || listing.since !== undefined ? [event] : [];
}

/** Returns single events and instances, without masters. An instance is new if its master or its exception is new. */
function instanceRows(calendar: GoogleCalendar, event: StoredEvent, listing: Listing): StoredEvent[] {
  if (event.instanceOf !== undefined) {
    const isDeletion = event.status === 'cancelled' && listsDeletions(listing);
    const inside = listing.since !== undefined || touches(spanOf(event, calendar), listing.window);
    return isDeletion && inside && isNew(event, listing) ? [event] : [];
  }
  if (event.status === 'cancelled' && !listsDeletions(listing)) return [];
  if (!isMaster(event)) {
    const shows = isNew(event, listing) && touches(spanOf(event, calendar), listing.window);
    return shows ? [event] : [];
  }
  const window = {
    start: listing.window.start ?? spanOf(event, calendar).startsAt - DAY,
    end: listing.window.end ?? listing.now + HORIZON,
  };
  const instances = instancesOf(calendar, event, window).map((instance) =>
    instance.isOverride ? instance.payload : unchangedInstance(calendar, event, instance),
  );
  return isNew(event, listing) ? instances : instances.filter((instance) => isNew(instance, listing));
}

/** timeMin bounds the end and timeMax the start, both exclusively. An event without length counts where it starts. */
function touches(
  { startsAt, endsAt }: { startsAt: number; endsAt: number },
  { start, end }: Window,
): boolean {
  const endsAfter = start === undefined || endsAt > start || (endsAt === startsAt && startsAt >= start);
  return endsAfter && (end === undefined || startsAt < end);
}

/** Returns whether any instance of a series is in the window. */
function seriesReaches(calendar: GoogleCalendar, master: StoredEvent, { start, end }: Window): boolean {
  if (start === undefined && end === undefined) return true;
  const from = start ?? spanOf(master, calendar).startsAt;
  try {
    const window = { start: from, end: end ?? from + 10 * HORIZON };
    return instancesOf(calendar, master, window).length > 0;
  } catch (error) {
    // Too many to count means that there are some.
    if (error instanceof TooManyOccurrences) return true;
    throw error;
  }
}

function isOfKind({ details, iCalUID, status }: StoredEvent, { query, habits }: Listing): boolean {
  const eventTypes = query.getAll('eventTypes');
  if (eventTypes.length > 0 && !eventTypes.includes(details.eventType ?? 'default')) return false;
  const uid = query.get('iCalUID');
  if (uid !== null && uid !== iCalUID) return false;
  if (uid !== null && status === 'cancelled' && !habits.uidFindsCancelled) return false;
  const text = query.get('q')?.toLowerCase();
  const texts = [details.summary, details.description, details.location];
  if (text && !texts.some((value) => value?.toLowerCase().includes(text))) return false;
  const properties = details.extendedProperties ?? {};
  return (
    hasAll(query.getAll('privateExtendedProperty'), properties.private ?? {}) &&
    hasAll(query.getAll('sharedExtendedProperty'), properties.shared ?? {})
  );
}

const hasAll = (pairs: readonly string[], properties: Readonly<Record<string, string>>): boolean =>
  pairs.every((pair) => {
    const at = pair.indexOf('=');
    return properties[pair.slice(0, at)] === pair.slice(at + 1);
  });
