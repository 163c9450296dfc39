/** Reads calendar objects (RFC 4791 §4.1) from a calendar-multiget or from a GET. */
import type { EventResource, LeftOutResource } from '../../calendars/event.ts';
import { type DavBody, decodeBody, decodeCalendar } from './dav/dav-body.ts';
import { caldav, dav } from './dav/dav-names.ts';
import type { DavTask } from './dav/dav-reading.ts';
import { boundedTag, objectPath } from './dav/listed-object.ts';
import { type DavResponse, multistatusParts } from './dav/multistatus.ts';
import { isGone } from './dav/status.ts';
import { readElementText } from './dav/xml.ts';
import { leftOutResource, parseEventResource } from './events/event-resource.ts';

export type ObjectContent =
  | { readonly type: 'event'; readonly resource: EventResource }
  /** Over the budget of a resource, or unreadable. */
  | { readonly type: 'left out'; readonly resource: LeftOutResource }
  /** There is no object, or no event in it. */
  | { readonly type: 'gone' };

/** An object before it is read: its path for comparison, and its version. */
export type KnownObject = { readonly path: string; readonly etag: string | undefined };

export type ReadObject = { readonly path: string; readonly content: ObjectContent };

export type ObjectsInput = {
  readonly body: DavBody;
  readonly collection: string;
  readonly wanted: readonly KnownObject[];
};

/** Characters of calendar data, and milliseconds, after which a part ends. */
const LONGEST_PART = 250_000;
const PART_MS = 20;

/** Yields the requested objects in the response; of duplicates, the first. Fails as `multistatusParts` does. */
export const OBJECTS: DavTask<ObjectsInput, readonly ReadObject[]> = {
  name: 'caldav-objects',
  *run({ body, collection, wanted }) {
    const url = new URL(collection);
    const waiting = new Map(wanted.map((object) => [object.path, object]));
    let part: ReadObject[] = [];
    let length = 0;
    let startedAt = performance.now();
    for (const answers of multistatusParts(decodeBody(body), (response) => answeredObject(response, url))) {
      for (const { path, status, etag, data } of answers) {
        const requested = path === undefined ? undefined : waiting.get(path);
        if (requested === undefined || !(data || isGone(status))) continue;
        waiting.delete(requested.path);
        const object = { path: requested.path, etag: etag ?? requested.etag };
        part.push({ path: object.path, content: data ? parseContent(object, data) : { type: 'gone' } });
        length += data?.length ?? 0;
        if (length < LONGEST_PART && performance.now() - startedAt < PART_MS) continue;
        yield part;
        [part, length, startedAt] = [[], 0, performance.now()];
      }
    }
    if (part.length > 0) yield part;
  },
};

function answeredObject({ href, status, properties }: DavResponse, collection: URL) {
  return {
    path: objectPath(href, collection),
    status,
    etag: boundedTag(readElementText(properties.get(dav('getetag')))),
    data: properties.get(caldav('calendar-data'))?.text,
  };
}

/** Reads one object that was fetched alone, as exactly one part. */
export const OBJECT: DavTask<KnownObject & { readonly body: DavBody }, ObjectContent> = {
  name: 'caldav-object',
  *run({ body, path, etag }) {
    yield parseContent({ path, etag }, decodeCalendar(body));
  },
};

/** The flag `m` would also end lines at U+2028 and U+2029 of a description. */
const AN_EVENT = /(?<=^|[\r\n])BEGIN:VEVENT[ \t]*(?=[\r\n]|$)/i;

function parseContent({ path, etag }: KnownObject, icalendar: string): ObjectContent {
  // Tasks and journals share collections with events (RFC 4791 §4.1).
  if (!AN_EVENT.test(icalendar)) return { type: 'gone' };
  try {
    return { type: 'event', resource: parseEventResource({ href: path, etag, icalendar }) };
  } catch (failure) {
    return { type: 'left out', resource: leftOutResource({ href: path, etag }, failure) };
  }
}
