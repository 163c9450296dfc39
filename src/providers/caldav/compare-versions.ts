/** Compares a calendar's listing with the mirror, for calendars of a hundred thousand events. */
import type { StoredVersions } from '../../calendars/calendar-provider.ts';
import { sameEtag } from '../../lib/etag.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { comparablePath } from './dav/href.ts';
import type { ListedObject } from './dav/listed-object.ts';

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
