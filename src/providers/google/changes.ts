/**
 * Reads the changes of a calendar: Events: list with a sync token, or everything without one. Recurring events come as
 * masters and exceptions (`singleEvents=false`); we expand them.
 *
 * Deleted events are not requested (`showDeleted` is not set): with a sync token Google sends them anyway, and a full
 * listing has no tombstones, only the cancelled exceptions of existing series.
 */
import type { calendar_v3 } from '@googleapis/calendar';
import type { Changes } from '../../calendars/calendar-provider.ts';
import type { EventResource, LeftOutResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import type { Log } from '../../lib/log.ts';
import { objects, text } from '../json-value.ts';
import { logLeftOut } from '../log-left-out.ts';
import type { GoogleApi } from './api.ts';
import { type ListedEvent, listedEvent } from './event-resource.ts';
import { covers } from './scopes.ts';

export type ChangesRequest = {
  readonly calendarHref: string;
  readonly token: string | undefined;
  /** The provider's scopes as granted: what they show of an event is part of what was synced. */
  readonly scopes: readonly string[];
};

export async function* changesSince(
  { calendarHref, token, scopes }: ChangesRequest,
  api: GoogleApi,
  log: Log,
): AsyncGenerator<Changes> {
  const syncToken = token === undefined ? undefined : readSyncState(token, scopes);
  const path = `/calendars/${encodeURIComponent(calendarHref)}/events`;
  // Google's most.
  const parameters = { maxResults: '2500', singleEvents: 'false', syncToken };
  let next: string | undefined;
  const pages = async function* (): AsyncGenerator<ListedEvent[]> {
    for await (const page of api.list<calendar_v3.Schema$Events>({
      operation: 'events.list',
      path,
      parameters,
    })) {
      next = text(page.nextSyncToken) ?? next;
      const events = eventsIn(page);
      logLeftOut(log, calendarHref, { changed: [], leftOut: leftOutOf(events) });
      yield events;
    }
  };
  yield* syncToken === undefined ? fullParts(pages()) : deltaParts(pages());
  const end = { changed: [], removed: [], complete: syncToken === undefined };
  yield next === undefined ? end : { ...end, next: writeSyncState(next, scopes) };
}

function eventsIn(page: calendar_v3.Schema$Events): ListedEvent[] {
  const zone = text(page.timeZone) ?? 'UTC';
  return objects<calendar_v3.Schema$Event>(page.items).map((event) => listedEvent(event, zone));
}

/**
 * Yields the parts of a full listing. An event that it does not list is deleted, so its tombstones are not repeated.
 */
async function* fullParts(pages: AsyncIterable<readonly ListedEvent[]>): AsyncGenerator<Changes> {
  for await (const events of pages) {
    yield { changed: resourcesIn(events), removed: [], complete: true, leftOut: namedLeftOut(events) };
  }
}

/**
 * Yields the changes of a delta. A deleted series takes its exceptions with it, except those that Google still lists:
 * somebody who is no longer invited to a series may be invited to one of its occurrences. So exceptions come last,
 * after all deletions.
 */
async function* deltaParts(pages: AsyncIterable<readonly ListedEvent[]>): AsyncGenerator<Changes> {
  const exceptions: EventResource[] = [];
  const leftOut: LeftOutResource[] = [];
  const deleted = new Set<string>();
  for await (const events of pages) {
    const resources = resourcesIn(events);
    const removed = events.flatMap((event) => (event.is === 'gone' ? event.href : []));
    for (const href of removed) deleted.add(href);
    exceptions.push(...resources.filter(({ seriesId }) => seriesId !== undefined));
    const changed = resources.filter(({ seriesId }) => seriesId === undefined);
    leftOut.push(...namedLeftOut(events));
    yield { changed, removed, complete: false };
  }
  // A cancelled exception of a deleted series adds nothing.
  const isMoot = ({ seriesId, events: [event] }: EventResource) =>
    event?.status === 'cancelled' && seriesId !== undefined && deleted.has(seriesId);
  yield {
    changed: exceptions.filter((exception) => !isMoot(exception)),
    removed: exceptions.filter(isMoot).map(({ href }) => href),
    leftOut,
    complete: false,
  };
}

const leftOutOf = (events: readonly ListedEvent[]): LeftOutResource[] =>
  events.flatMap((event) => (event.is === 'too complex' || event.is === 'unreadable' ? event.resource : []));

/** Without an id it is only logged. */
const namedLeftOut = (events: readonly ListedEvent[]): LeftOutResource[] =>
  leftOutOf(events).filter(({ href }) => href !== '');

const resourcesIn = (events: readonly ListedEvent[]): EventResource[] =>
  events.flatMap((event) => (event.is === 'resource' ? event.resource : []));

/** How much the grant shows. `words`: all there is to an event; `busy`: no more than that somebody is busy. */
const detailOf = (scopes: readonly string[]): string => (covers(scopes, 'read') ? 'words' : 'busy');

export const writeSyncState = (token: string, scopes: readonly string[]): string =>
  `${detailOf(scopes)} ${token}`;

/** Google's own token. Fails as `sync_token_expired` when the grant shows something else now. */
export function readSyncState(sealed: string, scopes: readonly string[]): string {
  const start = `${detailOf(scopes)} `;
  if (sealed.startsWith(start)) return sealed.slice(start.length);
  throw new ProviderError('sync_token_expired', 'The permission changed, and with it what events show');
}
