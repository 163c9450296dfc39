/**
 * Fetches listed events: by calendar-multiget (RFC 4791 §7.9) in batches, by GET where a server refuses that or
 * leaves some out. What cannot be read is skipped and logged: one broken event must not hide a calendar.
 */
import type { EventResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import type { Log } from '../../lib/log.ts';
import {
  bodyText,
  type DavSession,
  davRequest,
  isGone,
  isTemporary,
  multistatusOf,
  refusalOf,
} from './dav/dav-client.ts';
import { caldav, dav, davDocument, escapeXml, propElement } from './dav/dav-names.ts';
import { type ListedObject, objectPath } from './dav/listed-object.ts';
import { textOf } from './dav/xml.ts';
import { eventResourceOf } from './events/event-resource.ts';

export type Fetched = {
  readonly resources: readonly EventResource[];
  /** Paths of objects that are gone meanwhile, or hold no event (any more). */
  readonly gone: readonly string[];
};

/** What is at the address of a listed object. */
type Content = EventResource | 'gone' | 'skipped';

const BATCH = 50;

export type FetchInput = { readonly session: DavSession; readonly collection: URL; readonly log: Log };

/** One part for each batch, in the order of the objects. */
export async function* fetchEvents(
  input: FetchInput,
  objects: readonly ListedObject[],
): AsyncGenerator<Fetched> {
  const fetcher = { ...input, multiget: true };
  for (let start = 0; start < objects.length; start += BATCH) {
    const contents = await fetchBatch(fetcher, objects.slice(start, start + BATCH));
    const resources = contents.flatMap(([, content]) => (typeof content === 'string' ? [] : content));
    const gone = contents.flatMap(([{ path }, content]) => (content === 'gone' ? path : []));
    yield { resources, gone };
  }
}

/** `multiget` turns false for the rest of the objects once the server refused it. */
type Fetcher = FetchInput & { multiget: boolean };

async function fetchBatch(
  fetcher: Fetcher,
  objects: readonly ListedObject[],
): Promise<[ListedObject, Content][]> {
  const contents = fetcher.multiget ? await multiget(fetcher, objects) : new Map<string, Content>();
  if (contents === 'too large') {
    const half = Math.ceil(objects.length / 2);
    return [
      ...(await fetchBatch(fetcher, objects.slice(0, half))),
      ...(await fetchBatch(fetcher, objects.slice(half))),
    ];
  }
  const contentAt = async (object: ListedObject): Promise<[ListedObject, Content]> => [
    object,
    contents.get(object.path) ?? (await fetchOne(fetcher, object)),
  ];
  return Promise.all(objects.map(contentAt));
}

/** What the server sent, by path; what it left out is missing. */
async function multiget(
  fetcher: Fetcher,
  objects: readonly ListedObject[],
): Promise<Map<string, Content> | 'too large'> {
  const { session, collection } = fetcher;
  const hrefs = objects.map(({ href }) => `<d:href>${escapeXml(href)}</d:href>`).join('');
  const prop = propElement([dav('getetag'), caldav('calendar-data')]);
  const body = davDocument('c:calendar-multiget', prop + hrefs);
  const contents = new Map<string, Content>();
  try {
    const answer = await davRequest(session, collection, { method: 'REPORT', depth: '1', body });
    if (answer.status !== 207) {
      if (isTemporary(answer.status)) throw refusalOf(answer);
      fetcher.multiget = false;
      return contents;
    }
    for (const { href, status, properties } of multistatusOf(answer).responses) {
      const path = objectPath(href, collection);
      const object = objects.find((candidate) => candidate.path === path);
      if (object === undefined) continue;
      const data = properties.get(caldav('calendar-data'))?.text;
      const etag = textOf(properties.get(dav('getetag'))) ?? object.etag;
      if (data) contents.set(object.path, contentOf(fetcher, { ...object, etag }, data));
      else if (isGone(status)) contents.set(object.path, 'gone');
    }
    return contents;
  } catch (failure) {
    if (!(failure instanceof ProviderError)) throw failure;
    if (isTooLarge(failure)) return objects.length > 1 ? 'too large' : contents;
    // One event with characters that XML forbids makes the whole answer unreadable: each is fetched by itself.
    if (failure.kind === 'invalid_response') return contents;
    throw failure;
  }
}

async function fetchOne(fetcher: Fetcher, object: ListedObject): Promise<Content> {
  const { session, collection } = fetcher;
  const url = URL.parse(object.href, collection);
  if (url === null) return skip(fetcher, object, 'its address is not valid');
  try {
    const answer = await davRequest(session, url, { method: 'GET' });
    if (isGone(answer.status)) return 'gone';
    if (isTemporary(answer.status)) throw refusalOf(answer);
    if (answer.status !== 200) return skip(fetcher, object, `the server answers ${answer.status}`);
    const etag = answer.header('etag') ?? object.etag;
    return contentOf(fetcher, { ...object, etag }, bodyText(answer));
  } catch (failure) {
    if (!(failure instanceof ProviderError) || failure.kind !== 'invalid_response') throw failure;
    return skip(fetcher, object, failure.message);
  }
}

function contentOf(fetcher: Fetcher, { path, etag }: ListedObject, icalendar: string): Content {
  // Tasks and journals share collections with events (RFC 4791 §4.1).
  if (!/^BEGIN:VEVENT\s*$/im.test(icalendar)) return 'gone';
  try {
    return eventResourceOf({ href: path, etag, icalendar });
  } catch (failure) {
    return skip(fetcher, { path }, failure instanceof Error ? failure.message : String(failure));
  }
}

function skip({ log, collection }: Fetcher, { path }: Pick<ListedObject, 'path'>, reason: string): 'skipped' {
  log.warn({ calendar: collection.href, href: path, reason }, 'Skipped an event that cannot be read');
  return 'skipped';
}

const isTooLarge = ({ cause }: ProviderError): boolean =>
  cause instanceof EgressError && cause.kind === 'too_large';
