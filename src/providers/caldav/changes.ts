/**
 * What changed in a calendar: by sync-collection where the server has it, else by comparing its tag (ctag) and all
 * etags. Servers advertise what they lack, so sync-collection is tried, and after a refusal left for a day.
 */
import type { Changes, StoredVersions } from '../../calendars/calendar-provider.ts';
import type { Log } from '../../lib/log.ts';
import type { DavSession } from './dav/dav-client.ts';
import { listObjects, readCtag } from './dav/etag-listing.ts';
import { comparablePath, sameEtag } from './dav/href.ts';
import type { ListedObject } from './dav/listed-object.ts';
import { SyncCollectionRefused, type SyncPage, syncPages } from './dav/sync-collection.ts';
import { fetchEvents } from './fetch-events.ts';
import { type Comparison, readSyncState, type SyncState, writeSyncState } from './sync-state.ts';

export type ChangesInput = {
  readonly session: DavSession;
  readonly collection: URL;
  readonly token: string | undefined;
  readonly stored: StoredVersions;
};
export type ChangesDeps = { readonly log: Log; readonly now: () => number };

const DAY_MS = 24 * 3600 * 1000;
/** Collection tags are often a time in seconds: one seen younger than this may hide a change. */
const CTAG_SETTLES_MS = 2000;
/** Even a settled tag is not believed for longer. */
const CTAG_TRUSTED_MS = 3600 * 1000;

/** As `changesSince` of CalendarAccount promises. */
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
      deps.log.info({ calendar: collection.href, reason: failure.message }, 'Left sync-collection for a day');
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
  // After a time of comparing, everything is listed, but only what differs is fetched.
  const relisted = state?.method === 'compare';
  const mirror = relisted || since !== token ? comparable(await stored()) : undefined;
  const listed = new Set<string>();
  let last: SyncPage | undefined;

  for await (const page of syncPages(session, collection, since)) {
    for (const { path } of page.objects) listed.add(path);
    const objects = mirror === undefined ? page.objects : differing(page.objects, mirror);
    for await (const { resources, gone } of fetchEvents({ session, collection, log }, objects))
      yield { changed: resources, removed: complete ? [] : gone, complete };
    if (page.removed.length > 0 && !complete) yield { changed: [], removed: page.removed, complete };
    last = page;
  }
  if (last === undefined) throw new SyncCollectionRefused('There was no answer');
  const missing = relisted && mirror !== undefined ? absent(mirror, listed) : [];
  const next = writeSyncState({ method: 'sync-collection', token: last.token });
  yield { changed: [], removed: missing, complete, next };
}

/**
 * The token to ask with. SOGo's is a time in whole seconds and misses changes of the second it was made in: two seconds
 * are subtracted, and what is stored already is left out by its etag.
 */
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
  const mirror = complete ? new Map<string, never>() : comparable(await stored());
  const differ = differing(objects, mirror);
  for await (const { resources, gone } of fetchEvents({ session, collection, log }, differ))
    yield { changed: resources, removed: complete ? [] : gone, complete };
  const removed = complete ? [] : absent(mirror, new Set(objects.map(({ path }) => path)));
  const ctagSince = before !== undefined && before.ctag === ctag ? before.ctagSince : startedAt;
  const next: Comparison = { method: 'compare', ctag, ctagSince, comparedAt: startedAt, demotedUntil };
  yield { changed: [], removed, complete, next: writeSyncState(next) };
}

function isUnchanged(before: Comparison, ctag: string | undefined, now: number): boolean {
  if (ctag === undefined || before.ctag !== ctag) return false;
  const settled = before.comparedAt - before.ctagSince >= CTAG_SETTLES_MS;
  return settled && now - before.comparedAt < CTAG_TRUSTED_MS;
}

/** What the mirror has, by the path for comparison. */
type Mirror = ReadonlyMap<string, { readonly href: string; readonly etag: string | undefined }>;

const comparable = (stored: ReadonlyMap<string, string | undefined>): Mirror =>
  new Map([...stored].map(([href, etag]) => [comparablePath(href), { href, etag }]));

const differing = (objects: readonly ListedObject[], mirror: Mirror): ListedObject[] =>
  objects.filter(({ path, etag }) => !sameEtag(etag, mirror.get(path)?.etag));

const absent = (mirror: Mirror, listed: ReadonlySet<string>): string[] =>
  [...mirror].flatMap(([path, { href }]) => (listed.has(path) ? [] : href));
