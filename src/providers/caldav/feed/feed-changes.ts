/** Reads the changes of a feed: requests it if something new can be expected, and compares it event by event. */
import type { Changes, StoredVersions } from '../../../calendars/calendar-provider.ts';
import { ProviderError } from '../../../calendars/provider-error.ts';
import type { Egress } from '../../../lib/egress/egress.ts';
import type { Log } from '../../../lib/log.ts';
import { logLeftOut } from '../../log-left-out.ts';
import type { DavBody } from '../dav/dav-body.ts';
import { type DavReading, ReadingStopped } from '../dav/dav-reading.ts';
import { workLimit } from '../dav/work-limit.ts';
import type { FeedAddress } from './feed-credentials.ts';
import { type FeedState, freshUntil, readFeedState, writeFeedState } from './feed-state.ts';
import {
  DIGEST_VERSION,
  FEED,
  type FeedInput,
  type FeedPart,
  type FeedSummary,
  type FeedVersion,
  knownText,
  NOTHING,
} from './feed-task.ts';
import { fetchFeed } from './fetch-feed.ts';

export type FeedDeps = {
  readonly egress: Egress;
  readonly reading: DavReading;
  readonly log: Log;
  readonly now: () => number;
};

export type FeedChangesInput = {
  readonly address: FeedAddress;
  readonly token: string | undefined;
  readonly stored: StoredVersions;
};

/** Implements `changesSince` of CalendarAccount. Sends at most one request, and none while nothing new is expected. */
export async function* feedChanges(
  { address, token, stored }: FeedChangesInput,
  deps: FeedDeps,
): AsyncGenerator<Changes> {
  const before = token === undefined ? undefined : readFeedState(token);
  const now = deps.now();
  // A clock that was set back must not keep a calendar from being read.
  if (before !== undefined && before.readAt <= now && now < freshUntil(before, now)) {
    yield nothingNew({ ...before, wantedAt: now });
    return;
  }
  try {
    yield* fetchChanges({ address, before, stored, now }, deps);
  } catch (failure) {
    throw failure instanceof ProviderError && !failure.notSent ? asOfFeed(failure, before, now) : failure;
  }
}

type Asking = Omit<FeedChangesInput, 'token'> & {
  readonly before: FeedState | undefined;
  readonly now: number;
};

async function* fetchChanges(
  { address, before, stored, now }: Asking,
  deps: FeedDeps,
): AsyncGenerator<Changes> {
  // If an older version of this program read the text, "unchanged" would not be enough.
  const isCurrent = before?.digest?.startsWith(DIGEST_VERSION) === true;
  const answer = await fetchFeed(address.url, isCurrent ? before.validators : undefined, deps.egress);
  const { maxAge } = answer;
  const times = { readAt: now, wantedAt: now, maxAge };
  if (answer.type === 'unchanged') {
    if (before !== undefined) yield nothingNew({ ...before, ...times });
    return;
  }
  const { body, validators, from } = answer;
  const addresses = [address.url.href, from.href];
  const read = { name: address.name, body, digest: before?.digest, addresses };
  const { isSame, isWhole, digest, facts } = yield* compare(read, stored, deps);
  if (isSame && before !== undefined) yield nothingNew({ ...before, ...times, validators });
  else {
    const seen = isWhole ? { validators, digest } : { validators: NO_VALIDATORS, digest: undefined };
    yield {
      ...{ changed: [], removed: [], complete: isWhole },
      next: writeFeedState({ ...times, ...seen, facts }),
    };
  }
}

/** For a text that was cut off. With the real validators, the server would respond "unchanged". */
const NO_VALIDATORS = { etag: undefined, lastModified: undefined };

const nothingNew = (state: FeedState): Changes => ({
  ...{ changed: [], removed: [], complete: false },
  next: writeFeedState(state),
});

/** Yields all parts of a listing except the last. An event that a text lacks because it was cut off is not deleted. */
async function* compare(
  feed: Omit<WholeFeed, 'known'> & { readonly name: string },
  stored: StoredVersions,
  { reading, log }: FeedDeps,
): AsyncGenerator<Changes, FeedSummary> {
  const previous = await knownText(await stored());
  const limit = workLimit({ reading });
  let summary: FeedSummary | undefined;
  for await (const part of readFeed({ ...feed, known: previous }, reading)) {
    summary ??= part.summary;
    const { changed, leftOut, unchanged, expected } = part;
    if (summary?.isSame) continue;
    logLeftOut(log, feed.name, part);
    yield { changed, leftOut, unchanged, expected, removed: [], complete: summary?.isWhole ?? true };
    limit.check(changed.length + leftOut.length);
  }
  if (summary === undefined) throw new ProviderError('invalid_response', 'The calendar cannot be read');
  return summary;
}

const DAY_MS = 24 * 3_600_000;
/** The time within which a missing address may come back. Then the user is asked for another one. */
const PERMANENTLY_GONE_MS = 3 * DAY_MS;
/** The shortest wait before a server in trouble is asked again, however often the calendar is read. */
const RETRY_MS = 5 * 60_000;

/** Returns the failure for a calendar that is already linked. */
function asOfFeed(failure: ProviderError, before: FeedState | undefined, now: number): ProviderError {
  const { kind, message, cause, detail, reason } = failure;
  const retryAfter = Math.max(failure.retryAfter ?? 0, RETRY_MS);
  const isRefused = kind === 'not_found' || kind === 'unauthorized';
  const isGone = isRefused && before !== undefined && now - before.readAt > PERMANENTLY_GONE_MS;
  return isGone
    ? new ProviderError('unauthorized', `${message} any more`, { reason: 'calendar_gone', retryAfter })
    : new ProviderError(isRefused ? 'not_found' : kind, message, {
        ...{ cause, retryAfter },
        ...(detail === undefined ? {} : { detail }),
        ...(reason === undefined ? {} : { reason }),
      });
}

/** The resources that are read in a thread before other work has it. */
const READ_TOGETHER = 5_000;

export type WholeFeed = Pick<FeedInput, 'digest' | 'known' | 'addresses'> & { readonly body: DavBody };

/** Yields all parts. Fails as the task does, and as ReadingStopped if the text as a whole takes too much. */
export async function* readFeed(feed: WholeFeed, reading: DavReading): AsyncGenerator<FeedPart> {
  let from: number | undefined = 0;
  let isCareful = false;
  while (from !== undefined) {
    let place: { readonly reached: number; readonly isNext?: FeedVersion | undefined } = { reached: from };
    let next: number | undefined;
    // The thread takes over the memory of its input, so it gets a copy.
    const body: DavBody = { ...feed.body, bytes: new Uint8Array(feed.body.bytes) };
    try {
      for await (const part of reading.parts(FEED, { ...feed, body, from, most: READ_TOGETHER, isCareful })) {
        if (part.reached !== undefined) place = { reached: part.reached, isNext: part.isNext };
        next = part.next;
        yield part;
      }
      from = next;
    } catch (failure) {
      if (!(failure instanceof ReadingStopped)) throw failure;
      const { reached, isNext } = place;
      if (!failure.isOfPart) {
        // The rest took too long as a whole. Continue where it stopped, if it made progress.
        if (reached === from) throw failure;
        from = reached;
      } else if (isNext !== undefined) {
        const { uid: eventId, ...version } = isNext;
        const left = {
          kind: 'too_complex',
          ...version,
          ...(eventId && { eventId }),
          reason: failure.why,
        } as const;
        yield { ...NOTHING, leftOut: [left] };
        from = reached + 1;
      } else if (isCareful) throw failure;
      else {
        from = reached;
        isCareful = true;
      }
    }
  }
}
