/**
 * What changed in a calendar: the ladder sync-collection → ctag → etags. Support for the upper rungs is
 * advertised by servers that lack it, so each is tried and left when refused, for a day.
 */
import type { Changes, StoredVersions } from '../../calendars/calendar-provider.ts';
import type { Log } from '../../lib/log.ts';
import type { DavSession } from './dav-client.ts';
import { listMembers, readCtag } from './etag-listing.ts';
import { fetchResources } from './fetch-resources.ts';
import { comparablePath, sameEtag } from './href.ts';
import type { Member } from './member.ts';
import { SyncCollectionRefused, type SyncPage, syncPages } from './sync-collection.ts';
import { readSyncState, type SyncState, writeSyncState } from './sync-state.ts';

export type ChangesInput = {
  readonly session: DavSession;
  readonly collection: URL;
  readonly token: string | undefined;
  readonly known: StoredVersions;
};
export type ChangesDeps = { readonly log: Log; readonly now: () => number };

type Compare = Extract<SyncState, { method: 'compare' }>;

const DAY_MS = 24 * 3600 * 1000;
/** Collection tags are often a time in seconds: one seen younger than this may hide a change. */
const CTAG_SETTLES_MS = 2000;
/** Even a settled tag is not believed for longer. */
const CTAG_TRUSTED_MS = 3600 * 1000;

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
  yield* byComparison(input, state, demotedUntil, deps);
}

async function* bySyncCollection(
  { session, collection, known }: ChangesInput,
  state: SyncState | undefined,
  log: Log,
): AsyncGenerator<Changes> {
  const complete = state === undefined;
  const token = state?.method === 'sync-collection' ? state.token : '';
  const since = overlapping(token, collection);
  // Coming up from comparing, everything is listed, but only what differs is fetched.
  const relisted = state?.method === 'compare';
  const mirror = relisted || since !== token ? comparable(await known()) : undefined;
  const listed = new Set<string>();
  let last: SyncPage | undefined;

  for await (const page of syncPages(session, collection, since)) {
    for (const { path } of page.members) listed.add(path);
    const members = mirror === undefined ? page.members : differing(page.members, mirror);
    for await (const { resources, gone } of fetchResources(session, collection, members, log))
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
 * SOGo's token is a time in whole seconds, so a change within the second it was made in is missed:
 * ask from two seconds earlier, and compare etags to leave out what is known.
 */
function overlapping(token: string, collection: URL): string {
  if (!/\/SOGo\/dav\//i.test(collection.pathname) || !/^\d{10}$/.test(token)) return token;
  return String(Number(token) - 2);
}

async function* byComparison(
  { session, collection, known }: ChangesInput,
  state: SyncState | undefined,
  demotedUntil: number,
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

  const members = await listMembers(session, collection);
  const mirror = complete ? new Map<string, never>() : comparable(await known());
  const differ = differing(members, mirror);
  for await (const { resources, gone } of fetchResources(session, collection, differ, log))
    yield { changed: resources, removed: complete ? [] : gone, complete };
  const removed = complete ? [] : absent(mirror, new Set(members.map(({ path }) => path)));
  const ctagSince = before !== undefined && before.ctag === ctag ? before.ctagSince : startedAt;
  const next: Compare = { method: 'compare', ctag, ctagSince, comparedAt: startedAt, demotedUntil };
  yield { changed: [], removed, complete, next: writeSyncState(next) };
}

function isUnchanged(before: Compare, ctag: string | undefined, now: number): boolean {
  if (ctag === undefined || before.ctag !== ctag) return false;
  const settled = before.comparedAt - before.ctagSince >= CTAG_SETTLES_MS;
  return settled && now - before.comparedAt < CTAG_TRUSTED_MS;
}

/** What the mirror has: by the path that compares, the href it knows it by and the etag. */
type Mirror = ReadonlyMap<string, { readonly href: string; readonly etag: string | undefined }>;

const comparable = (known: ReadonlyMap<string, string | undefined>): Mirror =>
  new Map([...known].map(([href, etag]) => [comparablePath(href), { href, etag }]));

const differing = (members: readonly Member[], mirror: Mirror): Member[] =>
  members.filter(({ path, etag }) => !sameEtag(etag, mirror.get(path)?.etag));

const absent = (mirror: Mirror, listed: ReadonlySet<string>): string[] =>
  [...mirror].flatMap(([path, { href }]) => (listed.has(path) ? [] : href));
