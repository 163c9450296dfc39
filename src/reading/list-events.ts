/**
 * GET /events: one page of the chosen calendars' events from the mirror, sorted by start (docs/wire.md 1.7). A page
 * begins after the previous page's last event, so changes elsewhere neither repeat nor skip an event.
 */

import { Readable } from 'node:stream';
import { type Members, readParameter, readQuery } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { type Piece, type RenderedObject, renderInPieces, renderMembers } from '../lib/rendered-json.ts';
import { requireScope } from '../oauth/bearer-authentication.ts';
import type { Grant } from '../oauth/grant.ts';
import type { AnswerCache } from './answer-cache.ts';
import { listedPieces } from './event-pieces.ts';
import type { ReadingUser } from './event-reader.ts';
import { type EventText, type ListedEvent, textByScope } from './event-text.ts';
import { DEFAULT_PAGE_SIZE, PAGE_SIZE, parseEventsQuery, QUERY } from './events-query.ts';
import type { EventPage, NamedEvent } from './expand-calendar.ts';
import {
  type CalendarChoice,
  FRESH_MS,
  type FreshnessDeps,
  freshAccounts,
  LIST_FRESH_MS,
  leftOutProblems,
  listSyncedCalendars,
  type Owned,
  toCalendarChoice,
} from './freshness.ts';
import { type PageDeps, pageOfEvents } from './page-of-events.ts';
import type { Turns } from './read-turns.ts';
import { openPageToken, type PagePosition, sealPageToken } from './sealed-position.ts';

export type ListEventsDeps = FreshnessDeps &
  PageDeps & {
    /** 32 bytes, only for page tokens and the ids of busy blocks. */
    readonly pagingKey: Buffer;
    /** Caches first pages. */
    readonly answers?: AnswerCache | undefined;
    /** Limits concurrent large responses. */
    readonly sending: Turns;
  };

const NO_SEARCH = 'Search is forbidden for free-busy scope';

type Page = Omit<PagePosition, 'after'> & { readonly after: PagePosition['after'] | undefined };

export type ReadCaller = {
  readonly grant: Grant;
  /** Returns a signal that stops a large read when the caller disconnects. Cached responses need none. */
  readonly closed: () => AbortSignal;
};

/**
 * Returns JSON, in pieces if large. Throws 400 for a bad query, 429 like Turns, 403 and 503 like freshAccounts, and
 * like pageOfEvents.
 */
export async function listEvents(
  query: Members,
  { grant, closed }: ReadCaller,
  deps: ListEventsDeps,
): Promise<AnswerBody> {
  const { page, choice } = requestedPage(query, grant, deps);
  // The matches of a search reveal content.
  const needs = page.search.length > 0 ? 'read' : 'free-busy';
  requireScope(grant, needs, NO_SEARCH);
  // Later pages do not sync, so that all pages show the same state.
  const age = page.after === undefined ? FRESH_MS : Number.POSITIVE_INFINITY;
  const listAge = page.after === undefined ? LIST_FRESH_MS : Number.POSITIVE_INFINITY;
  const fresh = await freshAccounts({ reader: grant, needs, listAge, eventAge: age, choice }, deps);

  const calendars = listSyncedCalendars(fresh.accounts, choice);
  const isCacheable = page.after === undefined && fresh.problems.length === 0;
  const key = isCacheable ? toCacheKey(page, readParameter(query, 'calendarIds'), grant) : '';
  // Read before the events, so that a cached response is never older than its version.
  const version = toAnswerVersion(calendars);
  const cached = isCacheable ? deps.answers?.find(key, version) : undefined;
  if (cached !== undefined) return cached;

  const originals = grant.scope !== 'free-busy';
  const listed = { user: grant, calendars: calendars.map(({ calendar }) => calendar), signal: closed() };
  const { events, more, leftOut, size } = withinAnswer(
    await pageOfEvents({ ...page, originals }, listed, deps),
  );
  const problems = [...fresh.problems, ...leftOutProblems(calendars, leftOut)];
  const last = events.at(-1);
  const keys = choice && calendars.map(({ calendar }) => calendar.calendarKey);
  const next =
    more && last && sealPageToken({ ...page, calendarKeys: keys, after: last }, grant, deps.pagingKey);
  const rest = renderMembers({
    pageSize: page.pageSize,
    nextPageToken: next || undefined,
    errors: problems.length > 0 ? problems : undefined,
  });
  const texts = eventTexts(events, { calendars, originals }, deps);
  const receiver = { user: grant, sending: deps.sending };
  const answer = await answerBody(renderInPieces('events', texts, rest), size, receiver);
  // Incomplete responses are not cached, because the cause may have been a busy thread pool.
  if (isCacheable && leftOut.length === 0 && Buffer.isBuffer(answer))
    deps.answers?.keep({ clientId: grant.clientId, key, version, answer });
  return answer;
}

const toCacheKey = (
  { window, singleEvents, search, pageSize }: Page,
  filter: string | undefined,
  grant: Grant,
): string => {
  const { clientId, userId, scope, coverageId } = grant;
  return JSON.stringify([
    clientId,
    userId,
    coverageId,
    scope,
    window,
    singleEvents,
    search,
    pageSize,
    filter,
  ]);
};

/** Returns the version of a response: the data of its calendars, and the revision of their events. */
const toAnswerVersion = (owned: readonly Owned[]): string =>
  JSON.stringify(
    owned.map(({ calendar: { calendarKey, revision, href, timeZone, title, ...calendar }, account }) => [
      calendarKey,
      revision,
      href,
      timeZone,
      ...(calendar.tooComplex || calendar.unreadable
        ? [title, calendar.tooComplex, calendar.unreadable]
        : []),
      account.provider,
      account.accountId,
      account.display,
      account.scope,
    ]),
  );

function requestedPage(
  query: Members,
  grant: Grant,
  { now, pagingKey }: ListEventsDeps,
): { page: Page; choice: CalendarChoice } {
  const token = readParameter(query, 'nextPageToken');
  if (token === undefined) {
    const request = parseEventsQuery(query, now());
    const { window, filter, singleEvents, search, pageSize = DEFAULT_PAGE_SIZE } = request;
    const page = { window, singleEvents, search, calendarKeys: undefined, pageSize, after: undefined };
    return { page, choice: toCalendarChoice(filter) };
  }
  // Callers may repeat the other parameters or omit them; the token's values apply (docs/wire.md 1.7).
  const page = openPageToken(token, grant, pagingKey);
  if (page === undefined) throw new ApiError(QUERY.invalid_page_token);
  const { pageSize } = readQuery(query, PAGE_SIZE);
  const keys = page.calendarKeys && new Set(page.calendarKeys);
  const choice: CalendarChoice = keys && (({ calendarKey }) => keys.has(calendarKey));
  return { page: { ...page, pageSize: pageSize || page.pageSize }, choice };
}

function eventTexts(
  events: EventPage['events'],
  { calendars, originals }: { readonly calendars: readonly Owned[]; readonly originals: boolean },
  { events: reader, pagingKey }: ListEventsDeps,
): Piece<readonly RenderedObject[]>[] {
  const owners = new Map(calendars.map((owned) => [owned.calendar.calendarKey, owned]));
  const zones = new Map(calendars.map(({ calendar }) => [calendar.calendarKey, calendar.timeZone]));
  const toText = textByScope(pagingKey);
  return listedPieces(events, { events: reader, zones, originals }).map(
    (piece) => async () =>
      (await piece()).flatMap((event) => renderEvent(event, owners.get(event.calendarKey), toText)),
  );
}

const renderEvent = (event: ListedEvent, owner: Owned | undefined, toText: EventText): RenderedObject[] =>
  owner === undefined ? [] : [toText(event, owner)];

/** A large body is a stream of JSON in UTF-8 that is created while it is sent. */
export type AnswerBody = Buffer | Readable;

/** The bytes at which a page ends, whatever its number of events; it has at least one (docs/wire.md 1.7). */
export const LARGEST_PAGE = 8_000_000;
/** The maximum bytes of a response that is created at once. */
const LARGEST_WHOLE = 512_000;

/** Returns the page up to LARGEST_PAGE and its approximate bytes. A large page loses content that was already read. */
export function withinAnswer(page: EventPage): EventPage & { readonly size: number } {
  const { count, size } = fitting(page.events.map((event) => event.size));
  const events = page.events.slice(0, count);
  const held = size <= LARGEST_WHOLE ? events : events.map(withoutContent);
  return { ...page, events: held, more: page.more || count < page.events.length, size };
}

/** Returns how many of these fit on a page, at least one, and their approximate bytes. */
export function fitting(sizes: readonly number[]): { readonly count: number; readonly size: number } {
  let size = 0;
  for (const [count, one] of sizes.entries()) {
    if (count > 0 && size + one > LARGEST_PAGE) return { count, size };
    size += one;
  }
  return { count: sizes.length, size };
}

const withoutContent = ({ stored: _, ...event }: NamedEvent): NamedEvent => event;

export type Receiver = { readonly user: ReadingUser; readonly sending: Turns };

/**
 * Returns the body of a response. `size` is its approximate bytes. A large body is a stream that holds one piece at a
 * time and occupies a slot until it is closed. Throws 429 like Turns.
 */
export async function answerBody(
  pieces: readonly Piece<string>[],
  size: number,
  { user, sending }: Receiver,
): Promise<AnswerBody> {
  if (size > LARGEST_WHOLE) return inTurn(user, sending, () => Readable.from(chunksOf(pieces), AS_BYTES));
  const whole: string[] = [];
  for (const piece of pieces) whole.push(await piece());
  return Buffer.from(whole.join(''));
}

/** Waits for the user's turn, which lasts until the stream is closed. */
function inTurn(user: ReadingUser, sending: Turns, begin: () => Readable): Promise<Readable> {
  const { promise, resolve, reject } = Promise.withResolvers<Readable>();
  const untilClosed = () =>
    new Promise<void>((ended) => {
      const stream = begin();
      stream.once('close', ended);
      resolve(stream);
    });
  sending.run(user, untilClosed).catch(reject);
  return promise;
}

/** The number of bytes per chunk. */
const CHUNK_BYTES = 64_000;
const AS_BYTES = { objectMode: false, highWaterMark: CHUNK_BYTES };

async function* chunksOf(pieces: readonly Piece<string>[]): AsyncGenerator<Buffer, void> {
  // A generator may hold its values while it waits, so another function holds the text.
  for (const piece of pieces) yield* chunks(await encoded(piece));
}

const encoded = async (piece: Piece<string>): Promise<Buffer> => Buffer.from(await piece());

/** Yields copies, so that a waiting chunk does not hold its whole piece. */
function* chunks(bytes: Buffer): Generator<Buffer, void> {
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES)
    yield Buffer.from(bytes.subarray(from, from + CHUNK_BYTES));
}
