/** Reads changes by sync-collection or, for a day after a server refused that, by comparing its ctag and all etags. */
import type { Changes, StoredVersions } from '../../calendars/calendar-provider.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { sameEtag } from '../../lib/etag.ts';
import { inTurns } from '../../lib/in-turns.ts';
import type { Log } from '../../lib/log.ts';
import type { DavSession } from './dav/dav-client.ts';
import { listObjects, readCtag } from './dav/etag-listing.ts';
import { comparablePath } from './dav/href.ts';
import type { ListedObject } from './dav/listed-object.ts';
import { SyncCollectionRefused, type SyncPage, syncPages } from './dav/sync-collection.ts';
import { type WorkLimit, workLimit } from './dav/work-limit.ts';
import { type FetchInput, fetchEvents } from './fetch-events.ts';

export type ChangesInput = {
  readonly session: DavSession;
  readonly collection: URL;
  readonly token: string | undefined;
  readonly stored: StoredVersions;
};
export type ChangesDeps = { readonly log: Log; readonly now: () => number };

const OF_PART = 1000;
/** More changes than this are compared with the mirror: an earlier run may have been cut short. */
const MANY = 50;
const DAY_MS = 24 * 3600 * 1000;
/** A ctag is often a time in seconds: one that is younger than this when read may hide a change. */
const CTAG_SETTLES_MS = 2000;
/** A settled ctag is not trusted for longer: less than the hour after which a calendar is synced in any case. */
const CTAG_TRUSTED_MS = 55 * 60 * 1000;

export async function* changesSince(input: ChangesInput, deps: ChangesDeps): AsyncGenerator<Changes> {
  const state = input.token === undefined ? undefined : readSyncState(input.token);
  let demotedUntil = state?.method === 'compare' ? state.demotedUntil : 0;
  if (demotedUntil <= deps.now()) {
    try {
      yield* bySyncCollection(input, state, deps.log);
      return;
    } catch (failure) {
      if (!(failure instanceof SyncCollectionRefused)) throw failure;
      demotedUntil = deps.now() + DAY_MS;
      const { collection } = input;
      deps.log.info(
        { event: 'sync_collection_left', calendar: collection.href, reason: failure.message },
        'The use of sync-collection was disabled for a day',
      );
    }
  }
  yield* byComparison(input, { state, demotedUntil }, deps);
}

async function* bySyncCollection(
  { session, collection, stored }: ChangesInput,
  state: SyncState | undefined,
  log: Log,
): AsyncGenerator<Changes> {
  const complete = state === undefined;
  const token = state?.method === 'sync-collection' ? state.token : '';
  const since = overlapping(token, collection);
  // After a period of comparing, everything is listed, but only differing objects are fetched.
  const relisted = state?.method === 'compare';
  const mirror = onceRead(stored);
  const fetcher = { session, collection, log, complete };
  const paths = new Set<string>();
  const spent = workLimit(session);
  let last: SyncPage | undefined;
  let listed = 0;

  for await (const page of syncPages(session, collection, since)) {
    listed += page.objects.length;
    if (relisted) await inTurns(page.objects, ({ path }) => paths.add(path));
    // An earlier run that was cut short may have stored many of these objects already.
    const compares = complete || relisted || since !== token || listed > MANY;
    const compared = await compare(page.objects, compares ? await mirror() : new Map());
    yield* yieldChanges(compared, { ...fetcher, expected: listed }, spent);
    const removed = complete ? [] : page.removed;
    for (let at = 0; at < removed.length; at += OF_PART)
      yield { changed: [], removed: removed.slice(at, at + OF_PART), complete };
    last = page;
  }
  if (last === undefined) throw new SyncCollectionRefused('There was no response');
  const missing = relisted ? await listAbsent(await mirror(), paths) : [];
  const next = writeSyncState({ method: 'sync-collection', token: last.token });
  yield { changed: [], removed: missing, complete, next };
}

/** Subtracts two seconds from SOGo's token, a time in whole seconds, which misses changes of its own second. */
function overlapping(token: string, collection: URL): string {
  if (!/\/SOGo\/dav\//i.test(collection.pathname) || !/^\d{10}$/.test(token)) return token;
  return String(Number(token) - 2);
}

async function* byComparison(
  { session, collection, stored }: ChangesInput,
  { state, demotedUntil }: { state: SyncState | undefined; demotedUntil: number },
  { log, now }: ChangesDeps,
): AsyncGenerator<Changes> {
  const complete = state === undefined;
  const startedAt = now();
  const ctag = await readCtag(session, collection);
  const before = state?.method === 'compare' ? state : undefined;
  if (before !== undefined && isUnchanged(before, ctag, startedAt)) {
    yield { changed: [], removed: [], complete, next: writeSyncState({ ...before, demotedUntil }) };
    return;
  }

  const objects = await listObjects(session, collection);
  const mirror = await onceRead(stored)();
  const fetcher = { session, collection, log, complete, expected: objects.length };
  yield* yieldChanges(await compare(objects, mirror), fetcher, workLimit(session));
  const paths = new Set<string>();
  await inTurns(objects, ({ path }) => paths.add(path));
  const removed = complete ? [] : await listAbsent(mirror, paths);
  const ctagSince = before !== undefined && before.ctag === ctag ? before.ctagSince : startedAt;
  const next: Comparison = { method: 'compare', ctag, ctagSince, comparedAt: startedAt, demotedUntil };
  yield { changed: [], removed, complete, next: writeSyncState(next) };
}

function isUnchanged(before: Comparison, ctag: string | undefined, now: number): boolean {
  if (ctag === undefined || before.ctag !== ctag) return false;
  const settled = before.comparedAt - before.ctagSince >= CTAG_SETTLES_MS;
  return settled && now - before.comparedAt < CTAG_TRUSTED_MS;
}

type Fetcher = FetchInput & Pick<Changes, 'complete' | 'expected'>;

/** Yields the unchanged objects, then the fetched ones: at least one part, as a sign of life. */
async function* yieldChanges(
  { differing, unchanged }: Compared,
  { complete, expected, ...fetcher }: Fetcher,
  limit: WorkLimit,
): AsyncGenerator<Changes> {
  const part = { changed: [], removed: [], complete, expected };
  if (differing.length === 0 && unchanged.length === 0) yield part;
  for (let at = 0; at < unchanged.length; at += OF_PART)
    yield { ...part, unchanged: unchanged.slice(at, at + OF_PART) };
  for await (const { resources, leftOut, gone } of fetchEvents(fetcher, differing)) {
    yield { ...part, changed: resources, leftOut, removed: complete ? [] : gone };
    limit.check(resources.length + leftOut.length + gone.length);
  }
}

export type SyncState =
  /** RFC 6578: the server's own token. */
  { readonly method: 'sync-collection'; readonly token: string } | Comparison;

/** Compares etags with the mirror's, unless the ctag rules out a change. Instants are epoch milliseconds. */
export type Comparison = {
  readonly method: 'compare';
  readonly ctag: string | undefined;
  readonly ctagSince: number;
  readonly comparedAt: number;
  /** Until then, sync-collection is not tried again. */
  readonly demotedUntil: number;
};

/** 2: follows RFC 7529 and rules below a day, reads overrides without DTSTART, and reports unreadable events. */
const VERSION = 2;

export const writeSyncState = (state: SyncState): string => JSON.stringify({ v: VERSION, ...state });

/** Parses a token. Fails as `sync_token_expired` for any text that this version did not write. */
export function readSyncState(token: string): SyncState {
  const state = parse(token);
  if (state === undefined) throw new ProviderError('sync_token_expired', 'The sync token is not known');
  return state;
}

function parse(token: string): SyncState | undefined {
  const value = parseJsonObject(token);
  if (value?.v !== VERSION) return undefined;
  if (value.method === 'sync-collection' && typeof value.token === 'string')
    return { method: 'sync-collection', token: value.token };
  const { ctag, ctagSince, comparedAt, demotedUntil } = value;
  if (value.method !== 'compare' || (ctag !== undefined && typeof ctag !== 'string')) return undefined;
  if (typeof ctagSince !== 'number' || typeof comparedAt !== 'number' || typeof demotedUntil !== 'number')
    return undefined;
  return { method: 'compare', ctag, ctagSince, comparedAt, demotedUntil };
}

function parseJsonObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined; // Not JSON: not our token.
  }
}

export type Mirror = ReadonlyMap<string, { readonly href: string; readonly etag: string | undefined }>;

/** Reads the mirror's versions once, at first use. */
export function onceRead(stored: StoredVersions): () => Promise<Mirror> {
  let read: Promise<Mirror> | undefined;
  return () => {
    read ??= byPath(stored);
    return read;
  };
}

async function byPath(stored: StoredVersions): Promise<Mirror> {
  const mirror = new Map<string, { href: string; etag: string | undefined }>();
  await inTurns(await stored(), ([href, etag]) => mirror.set(comparablePath(href), { href, etag }));
  return mirror;
}

export type Compared = {
  /** The objects to fetch, each once. */
  readonly differing: readonly ListedObject[];
  readonly unchanged: readonly string[];
};

/** Returns which of the listed objects differ from the mirror's. An object without an etag counts as different. */
export async function compare(objects: readonly ListedObject[], mirror: Mirror): Promise<Compared> {
  const differing = new Map<string, ListedObject>();
  const unchanged: string[] = [];
  await inTurns(objects, (object) => {
    const stored = mirror.get(object.path);
    if (stored !== undefined && sameEtag(object.etag, stored.etag)) unchanged.push(stored.href);
    else if (!differing.has(object.path)) differing.set(object.path, object);
  });
  return { differing: [...differing.values()], unchanged };
}

/** Returns hrefs of objects that the mirror has and the listing lacks. */
export async function listAbsent(mirror: Mirror, listed: ReadonlySet<string>): Promise<string[]> {
  const hrefs: string[] = [];
  await inTurns(mirror, ([path, { href }]) => {
    if (!listed.has(path)) hrefs.push(href);
  });
  return hrefs;
}
