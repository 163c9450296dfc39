/**
 * GET /events/changes: what was created, updated and deleted in all calendars of the user since a cursor. A series is
 * one change: its master with its rules, and the instances that differ from it.
 */

import { readQuery, text } from '../http/fields.ts';
import { ApiError } from '../http/refusal.ts';
import { renderInPieces, renderMembers, renderObject } from '../lib/rendered-json.ts';
import { requireScope } from '../oauth/bearer-authentication.ts';
import type { Grant } from '../oauth/grant.ts';
import type { ChangeFeed, EventName, FeedChange, FeedState } from './change-feed.ts';
import {
  type Change,
  changeTexts,
  fittingChanges,
  type Owners,
  ownersOf,
  type SizedChange,
} from './change-texts.ts';
import { DEFAULT_PAGE_SIZE, flagText, PAGE_SIZE } from './events-query.ts';
import {
  coveredAccounts,
  FRESH_MS,
  freshAccounts,
  LIST_FRESH_MS,
  leftOutProblems,
  type ReadProblem,
} from './freshness.ts';
import type { ListEventsDeps } from './list-events.ts';
import { type AnswerBody, answerBody } from './list-events.ts';
import { READING } from './read-error.ts';
import type { Turns } from './read-turns.ts';
import { type ChangeCursor, openCursor, sealCursor } from './sealed-position.ts';
import { WAIT, waitForChange } from './wait-for-changes.ts';

export type ListChangesDeps = ListEventsDeps & { readonly changes: ChangeFeed; readonly waits: Turns };

const NO_CHANGES = 'The changes of events are forbidden for free-busy scope';
const NEEDS = 'read';

/** With a cursor, `initial` is not read. */
const CONTINUED = {
  cursor: text({
    allowsControls: true,
    doc: 'Of the previous response. Without one, the response has a cursor for now.',
  }),
  ...WAIT,
  ...PAGE_SIZE,
};
const STARTED = {
  initial: flagText({ doc: 'Without a cursor: begin with everything there is.', example: 'true' }),
};
export const CHANGES_QUERY = { ...CONTINUED, ...STARTED };

const BEFORE_ALL: EventName = { calendarKey: '', id: '' };

type Answer = {
  readonly changes: readonly SizedChange[];
  /** The approximate size of the changes in bytes. */
  readonly size: number;
  readonly owners: Owners;
  readonly cursor: ChangeCursor;
  readonly more: boolean;
  readonly problems: readonly ReadProblem[];
};

/** The request's grant and its end. */
export type Asking = {
  /** Returns the active grant, and throws if it has ended. */
  readonly authenticate: () => Promise<Grant>;
  /** Aborted when nobody waits for the response any more, or the process stops. */
  readonly signal: AbortSignal;
};

/** The reader, and the size of a page. */
type Read = ListChangesDeps & { readonly grant: Grant; readonly pageSize: number };

/**
 * Returns the response as JSON, in pieces if it is large: `changes`, `cursor`, `more` and, if there are any, `errors`.
 * Errors: 400 for a bad query, 410 `cursor_expired` if the changes since the cursor were deleted, 429 as Turns does,
 * 403 and 503 as freshAccounts does, and those of `authenticate`.
 */
export async function listChanges(
  query: unknown,
  { authenticate, signal }: Asking,
  deps: ListChangesDeps,
): Promise<AnswerBody> {
  const grant = await authenticate();
  requireScope(grant, NEEDS, NO_CHANGES);
  const { cursor: token, wait: seconds = 0, pageSize } = readQuery(query, CONTINUED);
  const read = { ...deps, grant, pageSize: pageSize || DEFAULT_PAGE_SIZE };
  const { changes, size, owners, cursor, more, problems } =
    token === undefined
      ? await startFeed(readQuery(query, STARTED).initial ?? false, read)
      : await awaitedFeed(cursorOf(token, read), { read, seconds, authenticate, signal });
  const errors = [...problems, ...leftOutProblems([...owners.values()], [])];
  const rest = renderMembers({
    cursor: sealCursor(cursor, grant, deps.pagingKey),
    more,
    errors: errors.length > 0 ? errors : undefined,
  });
  const texts = changeTexts({ changes, owners }, read);
  const receiver = { user: grant, sending: deps.sending };
  return answerBody(renderInPieces('changes', texts, rest), size, receiver);
}

function cursorOf(text: string, { grant, pagingKey }: Read): ChangeCursor {
  const cursor = openCursor(text, grant, pagingKey);
  if (cursor !== undefined) return cursor;
  throw new ApiError(READING.invalid_cursor);
}

async function startFeed(initial: boolean, read: Read): Promise<Answer> {
  const { changes, grant, now } = read;
  const state = await changes.follow(grant, now());
  // The user was deleted after its token was checked.
  if (state === undefined) throw new ApiError(READING.user_not_found, 'There is no such user any longer');
  const { feedId, seq } = state;
  if (!initial)
    return { changes: [], size: 0, owners: new Map(), cursor: { feedId, seq }, more: false, problems: [] };
  // Synced first, so that what a first sync brings is part of the state and is not listed as changes again.
  await fresh(read, true);
  const head = await changes.stateOf(grant, now());
  return listAllEvents({ feedId, seq: head?.seq ?? seq, state: BEFORE_ALL }, read);
}

type Waiting = Asking & { readonly read: Read; readonly seconds: number };

/** Returns the changes since `from`. If there are none, waits until something changes or the time is over. */
async function awaitedFeed(
  from: ChangeCursor,
  { read, seconds, authenticate, signal }: Waiting,
): Promise<Answer> {
  let answer = await continueFeed(from, read);
  for (let left = seconds; left > 0 && !answer.more && answer.changes.length === 0; ) {
    const { seq } = answer.cursor;
    left = await waitForChange({ user: read.grant, seq, seconds: left, signal }, read);
    // The grant may have ended meanwhile.
    await authenticate();
    // Also when nothing came in time: it may have at the last moment.
    answer = await continueFeed(answer.cursor, read);
  }
  return answer;
}

async function continueFeed(cursor: ChangeCursor, read: Read): Promise<Answer> {
  requireUnexpired(cursor, await read.changes.stateOf(read.grant, read.now()));
  return cursor.state === undefined ? listSince(cursor, read) : listAllEvents(cursor, read);
}

/** Throws 410 when entries after the cursor may have been deleted. */
function requireUnexpired({ feedId, seq, event }: ChangeCursor, state: FeedState | undefined): asserts state {
  const lowest = event === undefined ? seq : seq - 1;
  if (state?.feedId === feedId && lowest >= state.prunedSeq) return;
  throw new ApiError(READING.cursor_expired);
}

function fresh(read: Read, isFirst: boolean) {
  const listAge = isFirst ? LIST_FRESH_MS : Number.POSITIVE_INFINITY;
  const eventAge = isFirst ? FRESH_MS : Number.POSITIVE_INFINITY;
  return freshAccounts({ reader: read.grant, needs: NEEDS, listAge, eventAge, choice: undefined }, read);
}

/** Returns one page of all events. Changes that happen meanwhile are listed after the last page. */
async function listAllEvents({ feedId, seq, state = BEFORE_ALL }: ChangeCursor, read: Read): Promise<Answer> {
  const { pageSize } = read;
  const { accounts, problems } = await fresh(read, false);
  const owners = ownersOf(accounts);
  const names = await read.changes.eventsAfter([...owners.keys()], state, pageSize + 1);
  const all = names.slice(0, pageSize).map((name): Change => ({ ...name, changeType: 'created' }));
  const { changes, size } = await fittingChanges(all, owners, read);
  const last = changes.at(-1);
  const isLast = names.length <= pageSize && changes.length === all.length;
  const cursor = { feedId, seq, ...(isLast || last === undefined ? {} : { state: toEventName(last) }) };
  // After the last page comes what changed meanwhile.
  return { changes, size, owners, cursor, more: true, problems };
}

const toEventName = ({ calendarKey, id }: EventName): EventName => ({ calendarKey, id });

async function listSince(cursor: ChangeCursor, read: Read): Promise<Answer> {
  const { changes: feed, events, grant, now, pageSize } = read;
  const { feedId, event, from = cursor.seq } = cursor;
  const { problems } = await fresh(read, event === undefined);
  // The order of these reads leaves no gap. The head is read before the entries, which then include all up to it.
  const head = await feed.stateOf(grant, now());
  const entries = await feed.changesAfter(grant, cursor, pageSize + 1);
  // Entries that were deleted meanwhile are noticed after them.
  requireUnexpired(cursor, await feed.stateOf(grant, now()));
  // Calendars are read last: a missing one was deleted after the entries were read, and has a later entry.
  const owners = ownersOf(await coveredAccounts({ reader: grant, needs: NEEDS }, { events }));

  const page = entries.slice(0, pageSize);
  const all = page.map((entry): Change => changeOf(entry, from));
  const { changes, size } = await fittingChanges(all, owners, read);
  const last = page[changes.length - 1];
  if ((entries.length > pageSize || changes.length < all.length) && last !== undefined) {
    const cursor = { feedId, from, seq: last.seq, event: last };
    return { changes, size, owners, cursor, more: true, problems };
  }
  const seq = Math.max(head?.seq ?? 0, last?.seq ?? 0, cursor.seq);
  return { changes, size, owners, cursor: { feedId, seq }, more: false, problems };
}

function changeOf({ calendarKey, id, deleted, createdSeq, ...names }: FeedChange, from: number): Change {
  const name = { calendarKey, id };
  if (deleted === 0) return { ...name, changeType: createdSeq > from ? 'created' : 'updated' };
  const { provider, accountId, href } = names;
  const event = renderObject({ provider, account: accountId, calendarId: href, id });
  return { ...name, changeType: 'deleted', event };
}
