/** Reads a feed in a thread: its facts, and the events that differ from the mirror. */
import { hash } from 'node:crypto';

import type { EventResource, LeftOutResource } from '../../../calendars/event.ts';
import { ProviderError } from '../../../calendars/provider-error.ts';
import { TooComplexError } from '../../../lib/icalendar/resource-budget.ts';
import { inTurns } from '../../../lib/in-turns.ts';
import { type DavBody, decodeCalendar } from '../dav/dav-body.ts';
import type { DavTask } from '../dav/dav-reading.ts';
import { leftOutResource, parseEventResource } from '../events/event-resource.ts';
import { linksTo, listSecrets } from './feed-address.ts';
import { type FeedResource, groupResources, textOfResource } from './feed-events.ts';
import { type FeedFacts, readFeedFacts } from './feed-facts.ts';
import { scanCalendars } from './scan-calendar.ts';

export type FeedInput = {
  readonly body: DavBody;
  /** The digest of the body that was read last. An identical body is not read again. */
  readonly digest: string | undefined;
  /** The versions in the mirror (`knownText`), as one text: it passes to a thread faster than 100,000 entries. */
  readonly known: string;
  readonly from: number;
  /** How many resources to read that the mirror lacks, before others have the thread. 0: only the summary. */
  readonly most: number;
  /** Whether to report each resource before it is read, to find one that ends a thread. */
  readonly isCareful: boolean;
  /** The address that was typed and the one it leads to. Neither the facts nor the events may reveal them. */
  readonly addresses: readonly string[];
};

export type FeedPart = {
  readonly changed: readonly EventResource[];
  readonly leftOut: readonly LeftOutResource[];
  readonly unchanged: readonly string[];
  /** How many resources the feed has, in each part that has some. */
  readonly expected?: number;
  /** In one part, before any changed event. */
  readonly summary?: FeedSummary;
  /** The position of the first resource that is in no part so far. */
  readonly reached?: number;
  /** The resource at `reached`, if `isCareful` and it is read next. */
  readonly isNext?: FeedVersion;
  /** In the last part, if `most` or the limit of characters ended it: the position to continue from. */
  readonly next?: number;
};

export type FeedVersion = Pick<FeedResource, 'href' | 'etag' | 'uid'>;

export type FeedSummary = {
  readonly facts: FeedFacts;
  readonly digest: string;
  /** Whether the body is the one that was read last. Then nothing else follows. */
  readonly isSame: boolean;
  /** Whether the text is complete. */
  readonly isWhole: boolean;
};

/** Begins each digest. If it changes, every calendar is read again, and events with another `etag` are written. */
export const DIGEST_VERSION = '2:';

export const NOTHING: FeedPart = { changed: [], leftOut: [], unchanged: [] };

/** The limits of a part: characters read, hrefs not read, and milliseconds. */
const LONGEST_PART = 250_000;
const HREFS_OF_PART = 1_000;
const PART_MS = 20;
/** Limits the characters of one run, whose parts are in memory together. The resource that exceeds it is still read. */
const LONGEST_RUN = 2_000_000;

/**
 * Yields the resources of a feed from `from` on. Fails as `invalid_response` with the detail `no_calendar` if the text
 * is no calendar, and as `too_large` for too many events.
 */
export const FEED: DavTask<FeedInput, FeedPart> = {
  name: 'caldav-feed',
  *run({ body, digest: before, known, addresses, ...place }) {
    const digest = DIGEST_VERSION + hash('sha256', body.bytes, 'base64url');
    if (digest === before) {
      yield { ...NOTHING, summary: { facts: { properties: {} }, digest, isSame: true, isWhole: true } };
      return;
    }
    const { calendars, isWhole } = yield* withSigns(scanCalendars(decodeCalendar(body)));
    const [first] = calendars;
    if (first === undefined)
      throw new ProviderError('invalid_response', 'There is no calendar at this address', {
        detail: 'no_calendar',
      });
    const facts = readFeedFacts(first, listSecrets(addresses));
    yield { ...NOTHING, summary: { facts, digest, isSame: false, isWhole } };
    if (place.most === 0) return;
    const resources = yield* withSigns(groupResources(calendars, linksTo(addresses)));
    yield* readParts(resources, { ...place, known: new Set(known.split('\n')) });
  },
};

/** Returns the result of long work, and yields an empty part whenever other work has its turn. */
function* withSigns<Result>(work: Generator<undefined, Result>): Generator<FeedPart, Result> {
  for (let step = work.next(); ; step = work.next()) {
    if (step.done) return step.value;
    yield NOTHING;
  }
}

type PlaceInFeed = Pick<FeedInput, 'from' | 'most' | 'isCareful'>;

function* readParts(
  resources: readonly FeedResource[],
  { known, from, most, isCareful }: PlaceInFeed & { readonly known: ReadonlySet<string> },
): Generator<FeedPart> {
  const closed = ({ changed, leftOut, unchanged }: OpenPart): FeedPart => ({
    ...{ changed, leftOut, unchanged },
    expected: resources.length,
  });
  let [read, length] = [0, 0];
  let part = openPart();
  for (let at = from; at < resources.length; at += 1) {
    const resource = resources[at];
    if (resource === undefined) break;
    if (known.has(renderVersion(resource))) part.unchanged.push(resource.href);
    else if (read === most || length >= LONGEST_RUN) {
      yield { ...closed(part), reached: at, next: at };
      return;
    } else {
      if (isCareful) {
        const { href, etag, uid } = resource;
        yield { ...closed(part), reached: at, isNext: { href, etag, uid } };
        part = openPart();
      }
      read += 1;
      length += addTo(part, resource);
    }
    if (!isFull(part)) continue;
    yield { ...closed(part), reached: at + 1 };
    part = openPart();
  }
  yield { ...closed(part), reached: resources.length };
}

/** Returns a version as one word. A resource whose etag the mirror has lost gets a word that no feed has. */
const renderVersion = ({
  href,
  etag = '',
}: {
  readonly href: string;
  readonly etag?: string | undefined;
}): string => `${href} ${etag}`;

export async function knownText(stored: ReadonlyMap<string, string | undefined>): Promise<string> {
  const versions: string[] = [];
  await inTurns(stored, ([href, etag]) => versions.push(renderVersion({ href, etag })));
  return versions.join('\n');
}

type OpenPart = {
  readonly changed: EventResource[];
  readonly leftOut: LeftOutResource[];
  readonly unchanged: string[];
  length: number;
  readonly startedAt: number;
};

const openPart = (): OpenPart => ({
  ...{ changed: [], leftOut: [], unchanged: [], length: 0 },
  startedAt: performance.now(),
});

const isFull = ({ length, unchanged, startedAt }: OpenPart): boolean =>
  length >= LONGEST_PART || unchanged.length >= HREFS_OF_PART || performance.now() - startedAt >= PART_MS;

/** Reads a resource and returns the length of its text. A broken event is left out: it must not hide the calendar. */
function addTo(part: OpenPart, resource: FeedResource): number {
  const { href, etag, uid: eventId } = resource;
  const icalendar = textOfResource(resource);
  part.length += icalendar.length;
  try {
    part.changed.push(parseEventResource({ href, etag, icalendar }));
  } catch (failure) {
    if (!(failure instanceof TooComplexError || failure instanceof ProviderError)) throw failure;
    part.leftOut.push(leftOutResource({ href, etag, ...(eventId && { eventId }) }, failure));
  }
  return icalendar.length;
}
