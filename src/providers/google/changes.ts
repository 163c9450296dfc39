/**
 * Reads the changes of a calendar with Events: list. Recurring events come as masters and exceptions
 * (`singleEvents=false`); we expand them. `showDeleted` is not set: with a sync token Google sends deleted events
 * anyway, and a full listing has no tombstones except the cancelled exceptions of existing series.
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
  /** The granted provider scopes. A sync token is valid only for the detail that they show. */
  readonly scopes: readonly string[];
};

export async function* changesSince(
  { calendarHref, token, scopes }: ChangesRequest,
  api: GoogleApi,
  log: Log,
): AsyncGenerator<Changes> {
  const syncToken = token === undefined ? undefined : readSyncState(token, scopes);
  const path = `/calendars/${encodeURIComponent(calendarHref)}/events`;
  // Google's maximum.
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
      logLeftOut(log, calendarHref, { changed: [], leftOut: listLeftOut(events) });
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

/** Yields the parts of a full listing. An unlisted event counts as deleted, so no tombstones are needed. */
async function* fullParts(pages: AsyncIterable<readonly ListedEvent[]>): AsyncGenerator<Changes> {
  for await (const events of pages) {
    yield { changed: resourcesIn(events), removed: [], complete: true, leftOut: namedLeftOut(events) };
  }
}

/**
 * Yields the changes of a delta. A deleted series deletes its exceptions, except those that Google still lists: a
 * person removed from a series may still be invited to one occurrence. So exceptions come last.
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

const listLeftOut = (events: readonly ListedEvent[]): LeftOutResource[] =>
  events.flatMap((event) => (event.is === 'too complex' || event.is === 'unreadable' ? event.resource : []));

/** Leaves out events without an id, which are only logged. */
const namedLeftOut = (events: readonly ListedEvent[]): LeftOutResource[] =>
  listLeftOut(events).filter(({ href }) => href !== '');

const resourcesIn = (events: readonly ListedEvent[]): EventResource[] =>
  events.flatMap((event) => (event.is === 'resource' ? event.resource : []));

/** Returns how much of an event the grant shows: everything (`words`) or only that it is busy (`busy`). */
const toDetailLevel = (scopes: readonly string[]): string => (covers(scopes, 'read') ? 'words' : 'busy');

export const writeSyncState = (token: string, scopes: readonly string[]): string =>
  `${toDetailLevel(scopes)} ${token}`;

/** Returns Google's token. Fails as `sync_token_expired` if the grant now shows more or less. */
export function readSyncState(sealed: string, scopes: readonly string[]): string {
  const start = `${toDetailLevel(scopes)} `;
  if (sealed.startsWith(start)) return sealed.slice(start.length);
  throw new ProviderError('sync_token_expired', 'The permission changed, so events show other fields');
}
