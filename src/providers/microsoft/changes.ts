/**
 * Reads the changes of a calendar. Outside of its beta, Graph has no delta of events, only one of calendarView. So:
 *
 * - at first, and after Graph forgot the last delta, a delta begins and then everything is listed, without a window.
 *   Later changes are in the next delta;
 * - after that the delta says which events to read. An event that it reports as removed may only have left the window,
 *   and one in Deleted Items is still found by its id. So all versions are listed and compared with the mirror's; an
 *   event that is missing from two listings is deleted;
 * - every 15 minutes versions are compared anyway: for events outside of the window, and because users report deletions
 *   that no delta reported, mostly in personal accounts (microsoft-graph-docs#7036, #11728);
 * - every 30 days everything is listed again, with a new window.
 *
 * If Graph responds too slowly, the window is shortened; then versions are compared each time.
 */
import type { Changes, StoredVersions } from '../../calendars/calendar-provider.ts';
import type { LeftOutResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { DAY } from '../../lib/recurrence/civil.ts';
import { unreadableAnswer } from '../meaning.ts';
import { isWithin } from './api.ts';
import { findGraphStatus } from './api-refusal.ts';
import {
  deltaUrl,
  followDelta,
  type Hints,
  halveWindow,
  isShortened,
  noHints,
  windowAround,
} from './delta.ts';
import { parseExceptionHref } from './event-resource.ts';
import { findListed, listVersions } from './membership.ts';
import { listEvents, type ReadEvent, readEvents, resourcesIn, type Source } from './read-events.ts';
import { readSyncState, type SyncState, type Window, writeSyncState } from './sync-state.ts';

export type ChangesInput = {
  readonly source: Source;
  readonly token: string | undefined;
  readonly stored: StoredVersions;
};
export type ChangesDeps = { readonly now: () => number };

/** How long a window is used before a new one is drawn. */
const WINDOW_LIFETIME_MS = 30 * DAY;
/** When a shortened window is tried at full length again: the cause may be temporary. */
const SHORTENED_WINDOW_MS = DAY;
/** How often all versions are compared, whatever the delta says: one request for a thousand events. */
const COMPARE_INTERVAL_MS = 15 * 60_000;

/** If more events than this changed, a listing is faster than reading each of them. */
const MAX_SINGLE_READS = 500;

export async function* changesSince(input: ChangesInput, deps: ChangesDeps): AsyncGenerator<Changes> {
  let leftOut: LeftOutResource[] = [];
  const leaveOut = (resource: LeftOutResource) => leftOut.push(resource);
  const source: Source = { ...input.source, leaveOut };
  for await (const part of readChangedParts({ ...input, source }, deps)) {
    if (leftOut.length === 0) {
      yield part;
      continue;
    }
    const hrefs = new Set(leftOut.map(({ href }) => href));
    yield { ...part, removed: part.removed.filter((href) => !hrefs.has(href)), leftOut };
    leftOut = [];
  }
}

async function* readChangedParts(input: ChangesInput, { now }: ChangesDeps): AsyncGenerator<Changes> {
  const startedAt = now();
  const { source, token } = input;
  const state = token === undefined ? undefined : readSyncState(token);
  if (state !== undefined && state.basic !== source.basic)
    throw new ProviderError('sync_token_expired', 'The permission changed, so events show other fields');
  if (state === undefined || startedAt - state.drawnAt >= lifetimeOf(state.window)) {
    yield* listAll(input, windowAround(startedAt), startedAt);
    return;
  }
  // The token was written for another API address.
  if (!isWithin(source.graph.apiUrl, state.link))
    throw new ProviderError('sync_token_expired', 'The sync token belongs to another URL');

  const delta = await readDelta(source, state, startedAt);
  if ('tooLong' in delta) yield* listAll(input, delta.tooLong, startedAt);
  else yield* readHinted(input, { ...state, ...delta }, startedAt);
}

const lifetimeOf = (window: Window): number =>
  isShortened(window) ? SHORTENED_WINDOW_MS : WINDOW_LIFETIME_MS;

type Delta = { readonly hints: Hints; readonly link: string };

/** Returns the changes of the delta, or a shorter window if Graph cannot respond in time for this one. */
async function readDelta(
  source: Source,
  { link, window }: SyncState,
  now: number,
): Promise<Delta | { readonly tooLong: Window }> {
  const hints = noHints();
  let next: string | undefined;
  try {
    for await (const deltaLink of followDelta(source.graph, link, hints)) next = deltaLink ?? next;
  } catch (failure) {
    const shorter = findGraphStatus(failure) === 504 ? halveWindow(window, now) : undefined;
    if (shorter === undefined) throw failure;
    return { tooLong: shorter };
  }
  return { hints, link: next ?? link };
}

async function* readHinted(
  input: ChangesInput,
  { hints, ...state }: SyncState & Delta,
  startedAt: number,
): AsyncGenerator<Changes> {
  const { source, stored } = input;
  // A shortened window leaves out events near enough to matter, so versions are compared each time.
  const isDue = startedAt - state.comparedAt >= COMPARE_INTERVAL_MS || isShortened(state.window);
  const isQuiet = hints.touched.size === 0 && hints.removed.size === 0;
  let comparedAt = state.comparedAt;
  if (!isQuiet || isDue) {
    const mirror = buildMirror(await stored());
    const ids = listEventsToRead(hints, mirror);
    let deleted: readonly string[] = [];
    if (isDue || hints.removed.size > 0) {
      deleted = await compareVersions(source, mirror, ids);
      comparedAt = startedAt;
    }
    if (ids.size > MAX_SINGLE_READS) {
      yield* listAll(input, windowAround(startedAt), startedAt);
      return;
    }
    if (deleted.length > 0)
      yield { changed: [], removed: deleted.flatMap((id) => listMirrorHrefs(id, mirror)), complete: false };
    for await (const batch of readEvents(source, ids)) yield toChanges(batch, mirror);
  }
  const next = writeSyncState({ ...state, comparedAt });
  yield { changed: [], removed: [], complete: false, next };
}

/** The content of the mirror: events and masters with their versions, exceptions by series. */
type Mirror = {
  readonly versions: ReadonlyMap<string, string | undefined>;
  /** Hrefs of exceptions by series id. */
  readonly exceptions: ReadonlyMap<string, readonly string[]>;
  /** Series ids by exception id. */
  readonly seriesOf: ReadonlyMap<string, string>;
};

function buildMirror(storedVersions: ReadonlyMap<string, string | undefined>): Mirror {
  const versions = new Map<string, string | undefined>();
  const exceptions = new Map<string, string[]>();
  const seriesOf = new Map<string, string>();
  for (const [href, etag] of storedVersions) {
    const exception = parseExceptionHref(href);
    if (exception === undefined) versions.set(href, etag);
    else {
      const { seriesId, id } = exception;
      seriesOf.set(id, seriesId);
      exceptions.set(seriesId, [...(exceptions.get(seriesId) ?? []), href]);
    }
  }
  return { versions, exceptions, seriesOf };
}

/** Returns the events to read. A removed occurrence may be the only hint that its series has changed. */
function listEventsToRead({ touched, removed }: Hints, { versions, seriesOf }: Mirror): Map<string, boolean> {
  const ids = new Map(touched);
  for (const id of removed) {
    const series = seriesOf.get(id);
    if (series !== undefined) ids.set(series, true);
    else if (versions.has(id)) ids.set(id, ids.get(id) ?? false);
  }
  return ids;
}

/**
 * Adds to `ids` the events whose version differs from the mirror's, removes those that are not in the calendar, and
 * returns the ids of deleted events. Pages shift while they are read, so an event is deleted only if two listings lack
 * it. An event that only the second one has is read.
 */
async function compareVersions(
  source: Source,
  { versions, exceptions }: Mirror,
  ids: Map<string, boolean>,
): Promise<readonly string[]> {
  const listed = await listVersions(source);
  for (const [id, { changeKey, series }] of listed) {
    if (changeKey === undefined || versions.get(id) !== changeKey) ids.set(id, series);
  }
  const existing = new Set([...versions.keys(), ...exceptions.keys(), ...ids.keys()]);
  const missing = [...existing].filter((id) => !listed.has(id));
  const relistedIds = await findListed(source, missing);
  for (const id of missing) {
    if (relistedIds.has(id)) ids.set(id, ids.get(id) ?? false);
    else ids.delete(id);
  }
  return missing.filter((id) => !relistedIds.has(id));
}

function toChanges(batch: readonly ReadEvent[], mirror: Mirror): Changes {
  const changed = resourcesIn(batch);
  const changedHrefs = new Set(changed.map(({ href }) => href));
  const removed = batch.flatMap(({ id, resources }) =>
    listMirrorHrefs(id, mirror).filter(
      (href) => resources === 'gone' || (href !== id && !changedHrefs.has(href)),
    ),
  );
  return { changed, removed, complete: false };
}

const listMirrorHrefs = (id: string, { exceptions }: Mirror): readonly string[] => [
  id,
  ...(exceptions.get(id) ?? []),
];

/** Lists the single events and masters of the mirror, and whether they are known to be series. */
const listMirrorEvents = ({ versions, exceptions }: Mirror): (readonly [id: string, isSeries: boolean])[] =>
  [...versions.keys()].map((id) => [id, exceptions.has(id)] as const);

/** Lists everything, and begins a delta before the listing. */
async function* listAll(
  { source, stored }: ChangesInput,
  longest: Window,
  startedAt: number,
): AsyncGenerator<Changes> {
  const { hints, link, window } = yield* beginDelta(source, longest, startedAt);
  const unlisted = new Map([...listMirrorEvents(buildMirror(await stored())), ...hints.touched]);
  for await (const { ids, changed } of listEvents(source)) {
    for (const id of ids) unlisted.delete(id);
    yield { changed, removed: [], complete: true };
  }
  // Pages shift. An event that the listing missed, but the mirror or the delta has, is read by its id.
  const listed = await findListed(source, unlisted.keys());
  for (const id of unlisted.keys()) if (!listed.has(id)) unlisted.delete(id);
  for await (const batch of readEvents(source, unlisted))
    yield { changed: resourcesIn(batch), removed: [], complete: true };
  const { basic } = source;
  const next = writeSyncState({ link, window, basic, drawnAt: startedAt, comparedAt: startedAt });
  yield { changed: [], removed: [], complete: true, next };
}

/** Begins a delta, whose first round has everything in the window. Halves the window if Graph times out. */
async function* beginDelta(
  source: Source,
  longest: Window,
  now: number,
): AsyncGenerator<Changes, Delta & { readonly window: Window }> {
  for (let window = longest; ; ) {
    const hints = noHints();
    let link: string | undefined;
    try {
      for await (const deltaLink of followDelta(source.graph, deltaUrl(source.url, window), hints)) {
        link = deltaLink ?? link;
        // An empty part shows the caller that the work continues.
        yield { changed: [], removed: [], complete: true };
      }
    } catch (failure) {
      const shorter = findGraphStatus(failure) === 504 ? halveWindow(window, now) : undefined;
      if (shorter === undefined) throw failure;
      window = shorter;
      continue;
    }
    if (link === undefined) throw unreadableAnswer('Microsoft ends a delta without a link to the next');
    return { hints, link, window };
  }
}
