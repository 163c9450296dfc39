/**
 * Fetches listed events: by calendar-multiget (RFC 4791 §7.9) in batches, or by GET for events that are missing then.
 * Unreadable events and those over the budget are left out and logged: one broken event must not hide a calendar.
 */
import type { EventResource, LeftOutResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import type { Log } from '../../lib/log.ts';
import { logLeftOut } from '../log-left-out.ts';
import { toDavBody } from './dav/dav-body.ts';
import { type DavSession, davRequest, toDavError } from './dav/dav-client.ts';
import { caldav, dav, davDocument, escapeXml, propElement } from './dav/dav-names.ts';
import { collectParts, ReadingStopped } from './dav/dav-reading.ts';
import { boundedTag, type ListedObject } from './dav/listed-object.ts';
import { isGone, isTemporary } from './dav/status.ts';
import { OBJECT, OBJECTS, type ObjectContent } from './object-tasks.ts';

export type Fetched = {
  readonly resources: readonly EventResource[];
  readonly leftOut: readonly LeftOutResource[];
  /** Paths of objects that were deleted meanwhile, or have no event any more. */
  readonly gone: readonly string[];
};

const BATCH = 50;
/** Limits the bytes that are read together: all of them wait in memory for a thread. */
const MOST_TOGETHER = 5_000_000;
/** Objects that are fetched one by one, at the same time; larger ones are fetched alone. */
const AT_ONCE = 6;
const MOST_AT_ONCE = 500_000;

export type FetchInput = { readonly session: DavSession; readonly collection: URL; readonly log: Log };

/** Yields a part after each response, however small, in about the order of the objects. */
export async function* fetchEvents(
  input: FetchInput,
  objects: readonly ListedObject[],
): AsyncGenerator<Fetched> {
  const fetcher = { ...input, multiget: true };
  for (let start = 0; start < objects.length; start += BATCH)
    yield* fetchBatch(fetcher, objects.slice(start, start + BATCH));
}

/** `multiget` turns false for the rest of the objects once the server refused it. */
type Fetcher = FetchInput & { multiget: boolean };

async function* fetchBatch(fetcher: Fetcher, objects: readonly ListedObject[]): AsyncGenerator<Fetched> {
  const contents = fetcher.multiget ? await multiget(fetcher, objects) : new Map<string, ObjectContent>();
  if (contents === 'too large') {
    yield toFetched(fetcher, new Map());
    const half = Math.ceil(objects.length / 2);
    yield* fetchBatch(fetcher, objects.slice(0, half));
    yield* fetchBatch(fetcher, objects.slice(half));
    return;
  }
  if (contents.size > 0) yield toFetched(fetcher, contents);
  const missing = objects.filter(({ path }) => !contents.has(path));
  for (let start = 0; start < missing.length; start += AT_ONCE) {
    const group = missing.slice(start, start + AT_ONCE);
    const got = await Promise.all(
      group.map(async (object) => [object, await fetchOne(fetcher, object, MOST_AT_ONCE)] as const),
    );
    const whole = new Map<string, ObjectContent>();
    for (const [{ path }, content] of got) if (content !== 'too large') whole.set(path, content);
    yield toFetched(fetcher, whole);
    for (const [object, content] of got)
      if (content === 'too large') yield toFetched(fetcher, await fetchAlone(fetcher, object));
  }
}

async function fetchAlone(fetcher: Fetcher, object: ListedObject): Promise<Map<string, ObjectContent>> {
  const content = await fetchOne(fetcher, object);
  return new Map([
    [object.path, content === 'too large' ? tooComplex(object, 'it is larger than 10 MB') : content],
  ]);
}

function toFetched({ log, collection }: Fetcher, contents: ReadonlyMap<string, ObjectContent>): Fetched {
  const resources: EventResource[] = [];
  const leftOut: LeftOutResource[] = [];
  const missing: string[] = [];
  for (const [path, content] of contents) {
    if (content.type === 'event') resources.push(content.resource);
    else if (content.type === 'gone') missing.push(path);
    else leftOut.push(content.resource);
  }
  logLeftOut(log, collection.href, { changed: resources, leftOut });
  return { resources, leftOut, gone: missing };
}

/** Returns the received objects by path, without those that could not be read together. */
async function multiget(
  fetcher: Fetcher,
  objects: readonly ListedObject[],
): Promise<Map<string, ObjectContent> | 'too large'> {
  const { session, collection } = fetcher;
  const hrefs = objects.map(({ href }) => `<d:href>${escapeXml(href)}</d:href>`).join('');
  const prop = propElement([dav('getetag'), caldav('calendar-data')]);
  const body = davDocument('c:calendar-multiget', prop + hrefs);
  const contents = new Map<string, ObjectContent>();
  try {
    const answer = await davRequest(session, collection, {
      method: 'REPORT',
      depth: '1',
      body,
      maxBytes: objects.length > 1 ? MOST_TOGETHER : undefined,
    });
    if (answer.status !== 207) {
      if (isTemporary(answer.status)) throw toDavError(answer);
      fetcher.multiget = false;
      return contents;
    }
    const versions = objects.map(({ path, etag }) => ({ path, etag }));
    const input = { body: toDavBody(answer), collection: collection.href, wanted: versions };
    for await (const part of session.reading.parts(OBJECTS, input))
      for (const { path, content } of part) contents.set(path, content);
    return contents;
  } catch (failure) {
    if (!(failure instanceof ProviderError)) throw failure;
    if (isTooLarge(failure)) return objects.length > 1 ? 'too large' : contents;
    // One event with characters that XML forbids makes the whole response unreadable, and one that takes too much to
    // read ends it. So each missing event is fetched alone.
    if (failure.kind === 'invalid_response') return contents;
    throw failure;
  }
}

async function fetchOne(
  { session, collection }: Fetcher,
  object: ListedObject,
  maxBytes?: number,
): Promise<ObjectContent | 'too large'> {
  const url = URL.parse(object.href, collection);
  if (url === null) return unreceived(object, 'its address is not valid');
  const { path, etag: listed } = object;
  try {
    const answer = await davRequest(session, url, { method: 'GET', maxBytes });
    if (isGone(answer.status)) return { type: 'gone' };
    if (isTemporary(answer.status)) throw toDavError(answer);
    if (answer.status !== 200) return unreceived(object, `the server returned ${answer.status}`);
    const etag = boundedTag(answer.header('etag')) ?? listed;
    const [content] = await collectParts(session.reading, OBJECT, { body: toDavBody(answer), path, etag });
    return content ?? unreceived(object, 'it is empty');
  } catch (failure) {
    if (!(failure instanceof ProviderError) || failure.kind !== 'invalid_response') throw failure;
    if (failure instanceof ReadingStopped) return tooComplex(object, failure.why);
    if (isTooLarge(failure)) return 'too large';
    return unreceived(object, failure.message);
  }
}

/** Returns the object without its etag, so that it is requested again. */
const unreceived = ({ path }: ListedObject, reason: string): ObjectContent => ({
  type: 'left out',
  resource: { kind: 'unreadable', href: path, etag: undefined, reason },
});

const tooComplex = ({ path, etag }: ListedObject, reason: string): ObjectContent => ({
  type: 'left out',
  resource: { kind: 'too_complex', href: path, etag, reason },
});

const isTooLarge = ({ cause }: ProviderError): boolean =>
  cause instanceof EgressError && cause.kind === 'too_large';
