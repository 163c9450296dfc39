/**
 * The calendar data of listed members: calendar-multiget (RFC 4791 §7.9) in batches, GET where a server
 * refuses that or leaves members out. What cannot be read is skipped and logged: one broken event must
 * not hide a calendar.
 */
import type { EventResource } from '../../calendars/event.ts';
import { ProviderError } from '../../calendars/provider-error.ts';
import { EgressError } from '../../lib/egress/egress-error.ts';
import type { Log } from '../../lib/log.ts';
import { bodyText, type DavSession, davRequest, multistatusOf, refusalOf } from './dav/dav-client.ts';
import { caldav, dav, davDocument, escapeXml, propElement } from './dav/dav-names.ts';
import type { Member } from './dav/listed-object.ts';
import { memberPath } from './dav/listed-object.ts';
import { isPassing } from './dav/passing.ts';
import { textOf } from './dav/xml.ts';
import { eventResourceOf } from './events/event-resource.ts';

export type Fetched = {
  readonly resources: readonly EventResource[];
  /** Paths of members that are gone meanwhile, or hold no event (any more). */
  readonly gone: readonly string[];
};

/** What a member turned out to be. */
type Content = EventResource | 'gone' | 'skipped';

const BATCH = 50;

/** One part for each batch, in the order of the members. */
export async function* fetchResources(
  session: DavSession,
  collection: URL,
  members: readonly Member[],
  log: Log,
): AsyncGenerator<Fetched> {
  const fetcher = { session, collection, log, multiget: true };
  for (let start = 0; start < members.length; start += BATCH) {
    const contents = await fetchBatch(fetcher, members.slice(start, start + BATCH));
    const resources = contents.flatMap(([, content]) => (typeof content === 'string' ? [] : content));
    const gone = contents.flatMap(([member, content]) => (content === 'gone' ? member.path : []));
    yield { resources, gone };
  }
}

/** `multiget` turns false for the rest of a listing once the server refused it. */
type Fetcher = {
  readonly session: DavSession;
  readonly collection: URL;
  readonly log: Log;
  multiget: boolean;
};

async function fetchBatch(fetcher: Fetcher, members: readonly Member[]): Promise<[Member, Content][]> {
  const found = fetcher.multiget ? await multiget(fetcher, members) : new Map<string, Content>();
  if (found === 'too large') {
    const half = Math.ceil(members.length / 2);
    return [
      ...(await fetchBatch(fetcher, members.slice(0, half))),
      ...(await fetchBatch(fetcher, members.slice(half))),
    ];
  }
  return Promise.all(
    members.map(
      async (member): Promise<[Member, Content]> => [
        member,
        found.get(member.path) ?? (await fetchOne(fetcher, member)),
      ],
    ),
  );
}

/** What the server gave, by path; what it left out is missing. */
async function multiget(
  fetcher: Fetcher,
  members: readonly Member[],
): Promise<Map<string, Content> | 'too large'> {
  const hrefs = members.map(({ href }) => `<d:href>${escapeXml(href)}</d:href>`).join('');
  const prop = propElement([dav('getetag'), caldav('calendar-data')]);
  const body = davDocument('c:calendar-multiget', prop + hrefs);
  const found = new Map<string, Content>();
  try {
    const answer = await davRequest(fetcher.session, fetcher.collection, {
      method: 'REPORT',
      depth: '1',
      body,
    });
    if (answer.status !== 207) {
      if (isPassing(answer.status)) throw refusalOf(answer);
      fetcher.multiget = false;
      return found;
    }
    for (const { href, status, properties } of multistatusOf(answer).responses) {
      const path = memberPath(href, fetcher.collection);
      const member = members.find((candidate) => candidate.path === path);
      if (member === undefined) continue;
      const data = properties.get(caldav('calendar-data'))?.text;
      const etag = textOf(properties.get(dav('getetag'))) ?? member.etag;
      if (data) found.set(member.path, contentOf(fetcher, { ...member, etag }, data));
      else if (status === 404 || status === 410) found.set(member.path, 'gone');
    }
    return found;
  } catch (failure) {
    if (!(failure instanceof ProviderError)) throw failure;
    if (isTooLarge(failure)) return members.length > 1 ? 'too large' : found;
    // Calendar data with characters that XML forbids spoils the whole answer; one by one, only itself.
    if (failure.kind === 'invalid_response') return found;
    throw failure;
  }
}

async function fetchOne(fetcher: Fetcher, member: Member): Promise<Content> {
  const { session, collection } = fetcher;
  const url = URL.parse(member.href, collection);
  if (url === null) return skip(fetcher, member, 'its address is not valid');
  try {
    const answer = await davRequest(session, url, { method: 'GET' });
    if (answer.status === 404 || answer.status === 410) return 'gone';
    if (isPassing(answer.status)) throw refusalOf(answer);
    if (answer.status !== 200) return skip(fetcher, member, `the server answers ${answer.status}`);
    const etag = answer.header('etag') ?? member.etag;
    return contentOf(fetcher, { ...member, etag }, bodyText(answer));
  } catch (failure) {
    if (!(failure instanceof ProviderError) || failure.kind !== 'invalid_response') throw failure;
    return skip(fetcher, member, failure.message);
  }
}

function contentOf(fetcher: Fetcher, { path, etag }: Member, icalendar: string): Content {
  // Tasks and journals share collections with events (RFC 4791 §4.1): nothing to report.
  if (!/^BEGIN:VEVENT\s*$/im.test(icalendar)) return 'gone';
  try {
    return eventResourceOf({ href: path, etag, icalendar });
  } catch (failure) {
    return skip(fetcher, { path }, failure instanceof Error ? failure.message : String(failure));
  }
}

function skip({ log, collection }: Fetcher, { path }: Pick<Member, 'path'>, reason: string): 'skipped' {
  log.warn({ calendar: collection.href, href: path, reason }, 'Skipped an event that cannot be read');
  return 'skipped';
}

const isTooLarge = ({ cause }: ProviderError): boolean =>
  cause instanceof EgressError && cause.kind === 'too_large';
