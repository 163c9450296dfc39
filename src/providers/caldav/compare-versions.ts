/** What a calendar lists, compared with what the mirror has. All of it is for calendars of a hundred thousand events. */
import type { StoredVersions } from '../../calendars/calendar-provider.ts';
import { sameEtag } from '../../lib/etag.ts';
import { inTurns } from '../../lib/in-turns.ts';
import { comparablePath } from './dav/href.ts';
import type { ListedObject } from './dav/listed-object.ts';

/** What the mirror has, by the path for comparison. */
export type Mirror = ReadonlyMap<string, { readonly href: string; readonly etag: string | undefined }>;

/** Reads the mirror's versions when they are first asked for, and once. */
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
  /** To be fetched, each once. */
  readonly differing: readonly ListedObject[];
  /** Hrefs of what the mirror has in this version. */
  readonly unchanged: readonly string[];
};

/** Which of the listed objects differ from the mirror's. One without an etag does. */
export async function compare(objects: readonly ListedObject[], mirror: Mirror): Promise<Compared> {
  const differing = new Map<string, ListedObject>();
  const unchanged: string[] = [];
  await inTurns(objects, (object) => {
    const known = mirror.get(object.path);
    if (known !== undefined && sameEtag(object.etag, known.etag)) unchanged.push(known.href);
    else if (!differing.has(object.path)) differing.set(object.path, object);
  });
  return { differing: [...differing.values()], unchanged };
}

/** Hrefs of what the mirror has and the listing does not name. */
export async function absent(mirror: Mirror, listed: ReadonlySet<string>): Promise<string[]> {
  const hrefs: string[] = [];
  await inTurns(mirror, ([path, { href }]) => {
    if (!listed.has(path)) hrefs.push(href);
  });
  return hrefs;
}
