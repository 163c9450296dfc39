/**
 * Reads the changes of a calendar. Outside of its beta, Graph has no delta of events themselves, so:
 *
 * - the first time, and after Graph forgot the last delta, a delta of calendarView begins, then everything is listed
 *   without a window; what changes meanwhile is in the next delta;
 * - after that the delta says which events to read again. An event that it calls removed may only have left its window,
 *   and an event that was moved to Deleted Items is still found by its id. So the versions of everything are listed and
 *   compared with the mirror's; an event that is missing from two listings is deleted;
 * - every quarter of an hour they are compared anyway: for events outside of the window, and because users report
 *   deletions that no delta reported, mostly in personal accounts (microsoft-graph-docs#7036, #11728);
 * - once a month all of it is repeated, with a window around that day.
 *
 * A window for which Graph responds too slowly is shortened; then versions are compared each time.
 */
import type { Changes, StoredVersions } from '../../calendars/calendar-provider.ts';
import type { LeftOutResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { DAY } from '../../lib/recurrence/civil.ts';
import { unreadableAnswer } from '../meaning.ts';
import { isWithin } from './api.ts';
import { statusOf } from './api-refusal.ts';
import { deltaUrl, followDelta, type Hints, halved, isShortened, noHints, windowAround } from './delta.ts';
import { exceptionIn } from './event-resource.ts';
import { listedAmong, listVersions } from './membership.ts';
import { listEvents, type ReadEvent, readEvents, resourcesIn, type Source } from './read-events.ts';
import { readSyncState, type SyncState, type Window, writeSyncState } from './sync-state.ts';

export type ChangesInput = {
  readonly source: Source;
  readonly token: string | undefined;
  readonly stored: StoredVersions;
};
export type ChangesDeps = { readonly now: () => number };

/** The window is moved around the present after this time. */
const WINDOW_ROLLS_MS = 30 * DAY;
/** A shortened window is tried in its full length the next day: what was too much then may have passed. */
const SHORTENED_LASTS_MS = DAY;
/** How often ids and versions of everything are compared, whatever the delta says: a request for a thousand events. */
const COMPARED_EVERY_MS = 15 * 60_000;

/** If more events than this changed, a listing is faster than reading each of them. */
const MOST_READ_SINGLY = 500;

export async function* changesSince(input: ChangesInput, deps: ChangesDeps): AsyncGenerator<Changes> {
  let leftOut: LeftOutResource[] = [];
  const leaveOut = (resource: LeftOutResource) => leftOut.push(resource);
  const source: Source = { ...input.source, leaveOut };
  for await (const part of partsSince({ ...input, source }, deps)) {
    if (leftOut.length === 0) {
      yield part;
      continue;
    }
    const hrefs = new Set(leftOut.map(({ href }) => href));
    yield { ...part, removed: part.removed.filter((href) => !hrefs.has(href)), leftOut };
    leftOut = [];
  }
}

async function* partsSince(input: ChangesInput, { now }: ChangesDeps): AsyncGenerator<Changes> {
  const startedAt = now();
  const { source, token } = input;
  const state = token === undefined ? undefined : readSyncState(token);
  if (state !== undefined && state.basic !== source.basic)
    throw new ProviderError('sync_token_expired', 'The permission changed, and with it what events show');
  if (state === undefined || startedAt - state.drawnAt >= lifetimeOf(state.window)) {
    yield* listAll(input, windowAround(startedAt), startedAt);
    return;
  }
  // Another API than it was written for.
  if (!isWithin(source.graph.apiUrl, state.link))
    throw new ProviderError('sync_token_expired', 'The sync token is of another address');

  const delta = await deltaSince(source, state, startedAt);
  if ('tooLong' in delta) yield* listAll(input, delta.tooLong, startedAt);
  else yield* readHinted(input, { ...state, ...delta }, startedAt);
}

const lifetimeOf = (window: Window): number => (isShortened(window) ? SHORTENED_LASTS_MS : WINDOW_ROLLS_MS);

type Delta = { readonly hints: Hints; readonly link: string };

/** Returns the changes of the delta, or a shorter window if Graph cannot respond in time for this one. */
async function deltaSince(
  source: Source,
  { link, window }: SyncState,
  now: number,
): Promise<Delta | { readonly tooLong: Window }> {
  const hints = noHints();
  let next: string | undefined;
  try {
    for await (const deltaLink of followDelta(source.graph, link, hints)) next = deltaLink ?? next;
  } catch (failure) {
    const shorter = statusOf(failure) === 504 ? halved(window, now) : undefined;
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
  const isDue = startedAt - state.comparedAt >= COMPARED_EVERY_MS || isShortened(state.window);
  const isQuiet = hints.touched.size === 0 && hints.removed.size === 0;
  let comparedAt = state.comparedAt;
  if (!isQuiet || isDue) {
    const mirror = mirrorOf(await stored());
    const ids = eventsToRead(hints, mirror);
    let deleted: readonly string[] = [];
    if (isDue || hints.removed.size > 0) {
      deleted = await compareVersions(source, mirror, ids);
      comparedAt = startedAt;
    }
    if (ids.size > MOST_READ_SINGLY) {
      yield* listAll(input, windowAround(startedAt), startedAt);
      return;
    }
    if (deleted.length > 0)
      yield { changed: [], removed: deleted.flatMap((id) => hrefsOf(id, mirror)), complete: false };
    for await (const batch of readEvents(source, ids)) yield toChanges(batch, mirror);
  }
  const next = writeSyncState({ ...state, comparedAt });
  yield { changed: [], removed: [], complete: false, next };
}

/** The content of the mirror: events and masters with their versions, exceptions by series. */
type Mirror = {
  readonly versions: ReadonlyMap<string, string | undefined>;
  /** The hrefs of a series' exceptions. */
  readonly exceptions: ReadonlyMap<string, readonly string[]>;
  /** The series of each exception, by the exception's id. */
  readonly seriesOf: ReadonlyMap<string, string>;
};

function mirrorOf(storedVersions: ReadonlyMap<string, string | undefined>): Mirror {
  const versions = new Map<string, string | undefined>();
  const exceptions = new Map<string, string[]>();
  const seriesOf = new Map<string, string>();
  for (const [href, etag] of storedVersions) {
    const exception = exceptionIn(href);
    if (exception === undefined) versions.set(href, etag);
    else {
      const { seriesId, id } = exception;
      seriesOf.set(id, seriesId);
      exceptions.set(seriesId, [...(exceptions.get(seriesId) ?? []), href]);
    }
  }
  return { versions, exceptions, seriesOf };
}

/**
 * The events to read for what a delta names: a removed occurrence may be all that is said of a change to its series.
 */
function eventsToRead({ touched, removed }: Hints, { versions, seriesOf }: Mirror): Map<string, boolean> {
  const ids = new Map(touched);
  for (const id of removed) {
    const series = seriesOf.get(id);
    if (series !== undefined) ids.set(series, true);
    else if (versions.has(id)) ids.set(id, ids.get(id) ?? false);
  }
  return ids;
}

/**
 * Adds to `ids` the events whose version differs from the mirror's, and removes those that are not in the calendar.
 * Returns the hrefs of deleted events. Pages shift while they are read, so a listing can miss an event: it is deleted
 * only if a second listing lacks it too. An event that only the second one lists is read.
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
  const found = await listedAmong(source, missing);
  for (const id of missing) {
    if (found.has(id)) ids.set(id, ids.get(id) ?? false);
    else ids.delete(id);
  }
  return missing.filter((id) => !found.has(id));
}

function toChanges(batch: readonly ReadEvent[], mirror: Mirror): Changes {
  const changed = resourcesIn(batch);
  const there = new Set(changed.map(({ href }) => href));
  const removed = batch.flatMap(({ id, resources }) =>
    hrefsOf(id, mirror).filter((href) => resources === 'gone' || (href !== id && !there.has(href))),
  );
  return { changed, removed, complete: false };
}

/** Returns the hrefs of an event and of its exceptions in the mirror. */
const hrefsOf = (id: string, { exceptions }: Mirror): readonly string[] => [
  id,
  ...(exceptions.get(id) ?? []),
];

/** The single events and series of the mirror, and which are series for sure. */
const namedBy = ({ versions, exceptions }: Mirror): (readonly [id: string, isSeries: boolean])[] =>
  [...versions.keys()].map((id) => [id, exceptions.has(id)] as const);

/** Everything there is, and a delta that begins before it was listed. */
async function* listAll(
  { source, stored }: ChangesInput,
  longest: Window,
  startedAt: number,
): AsyncGenerator<Changes> {
  const { hints, link, window } = yield* beginDelta(source, longest, startedAt);
  const unlisted = new Map([...namedBy(mirrorOf(await stored())), ...hints.touched]);
  for await (const { ids, changed } of listEvents(source)) {
    for (const id of ids) unlisted.delete(id);
    yield { changed, removed: [], complete: true };
  }
  // Pages shift while they are read: what the mirror has or the delta named and the listing passed over is read by
  // itself, if it is still there.
  const listed = await listedAmong(source, unlisted.keys());
  for (const id of unlisted.keys()) if (!listed.has(id)) unlisted.delete(id);
  for await (const batch of readEvents(source, unlisted))
    yield { changed: resourcesIn(batch), removed: [], complete: true };
  const { basic } = source;
  const next = writeSyncState({ link, window, basic, drawnAt: startedAt, comparedAt: startedAt });
  yield { changed: [], removed: [], complete: true, next };
}

/** The first round names all there is in the window: page by page, with a shorter window where Graph gives up. */
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
        // An empty part shows the reader of the parts that the work continues.
        yield { changed: [], removed: [], complete: true };
      }
    } catch (failure) {
      const shorter = statusOf(failure) === 504 ? halved(window, now) : undefined;
      if (shorter === undefined) throw failure;
      window = shorter;
      continue;
    }
    if (link === undefined) throw unreadableAnswer('Microsoft ends a delta without a link to the next');
    return { hints, link, window };
  }
}
