/** GET /events/changes: the user's changes since a cursor. A series is one change, with rules and exceptions. */

import { setTimeout as sleep } from 'node:timers/promises';
import { readQuery, text, wholeNumberText } from '../http/fields.ts';
import { ApiError, errorTable } from '../http/refusal.ts';
import { renderInPieces, renderMembers, renderObject } from '../lib/rendered-json.ts';
import { requireScope } from '../oauth/bearer-authentication.ts';
import type { Grant } from '../oauth/grant.ts';
import type { ChangeFeed, EventName, FeedChange, FeedState } from './change-feed.ts';
import {
  type Change,
  changeTexts,
  fittingChanges,
  mapOwners,
  type Owners,
  type SizedChange,
} from './change-texts.ts';
import type { ReadingUser } from './event-reader.ts';
import { DEFAULT_PAGE_SIZE, flagText, PAGE_SIZE } from './events-query.ts';
import {
  coveredAccounts,
  FRESH_MS,
  freshAccounts,
  LIST_FRESH_MS,
  leftOutProblems,
  type ReadProblem,
} from './freshness.ts';
import { type AnswerBody, answerBody, type ListEventsDeps } from './list-events.ts';
import { READING } from './read-error.ts';
import type { Turns } from './read-turns.ts';
import { type ChangeCursor, openCursor, sealCursor } from './sealed-cursor.ts';

export const CHANGES = errorTable({
  invalid_cursor: {
    status: 400,
    message: 'cursor does not belong to this user and application: start again without it',
    when: 'The cursor is invalid, or it belongs to another user or application.',
    fix: 'Start again with `initial=true`.',
    field: 'cursor',
  },
  cursor_expired: {
    status: 410,
    message:
      'This cursor has expired. Read everything again with initial=true, then continue with the cursor of that response.',
    when: 'The cursor has expired.',
    fix: 'Start again with `initial=true`, and compare the response with your copy.',
  },
});

/** Published clients give up after 30 seconds. */
const MAX_SECONDS = 25;
const LOOKS_A_SECOND = 2;

export type ListChangesDeps = ListEventsDeps & { readonly changes: ChangeFeed; readonly waits: Turns };

const NO_CHANGES = 'The changes of events are forbidden for free-busy scope';
const NEEDS = 'read';

/** The query with a cursor, which ignores `initial`. */
const CONTINUED = {
  cursor: text({
    allowsControls: true,
    doc: 'The cursor from the previous response. Without it, the response has a cursor for the present.',
  }),
  wait: wholeNumberText({
    min: 0,
    max: MAX_SECONDS,
    doc: 'With a cursor: the maximum number of seconds to wait while nothing changes.',
    example: MAX_SECONDS,
  }),
  ...PAGE_SIZE,
};
const STARTED = {
  initial: flagText({ doc: 'Without a cursor: return all existing events first.', example: 'true' }),
};
export const CHANGES_QUERY = { ...CONTINUED, ...STARTED };

const BEFORE_ALL: EventName = { calendarKey: '', id: '' };

type Answer = {
  readonly changes: readonly SizedChange[];
  readonly size: number;
  readonly owners: Owners;
  readonly cursor: ChangeCursor;
  readonly more: boolean;
  readonly problems: readonly ReadProblem[];
};

type Asking = {
  /** Returns the active grant, and throws if it has ended. */
  readonly authenticate: () => Promise<Grant>;
  /** Aborted when the caller disconnects or the process stops. */
  readonly signal: AbortSignal;
};

type Read = ListChangesDeps & { readonly grant: Grant; readonly pageSize: number };

/**
 * Returns the response as JSON, in pieces if large: `changes`, `cursor`, `more` and any `errors`. Throws 400 for a bad
 * query, 410 `cursor_expired` like requireUnexpired, 429 like Turns, 403 and 503 like freshAccounts,
 * and the errors of `authenticate`.
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
      : await awaitedFeed(requireCursor(token, read), { read, seconds, authenticate, signal });
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

function requireCursor(text: string, { grant, pagingKey }: Read): ChangeCursor {
  const cursor = openCursor(text, grant, pagingKey);
  if (cursor !== undefined) return cursor;
  throw new ApiError(CHANGES.invalid_cursor);
}

async function startFeed(initial: boolean, read: Read): Promise<Answer> {
  const { changes, grant, now } = read;
  const state = await changes.follow(grant, now());
  // The user was deleted after its token was checked.
  if (state === undefined) throw new ApiError(READING.user_not_found, 'The user was deleted');
  const { feedId, seq } = state;
  if (!initial)
    return { changes: [], size: 0, owners: new Map(), cursor: { feedId, seq }, more: false, problems: [] };
  // The first sync comes first, so that its events are part of the state and are not listed as changes again.
  await fresh(read, true);
  const head = await changes.stateOf(grant, now());
  return listAllEvents({ feedId, seq: head?.seq ?? seq, state: BEFORE_ALL }, read);
}

type Waiting = Asking & { readonly read: Read; readonly seconds: number };

/** Returns the changes since `from`. If there are none, waits for a change until the time is over. */
async function awaitedFeed(
  from: ChangeCursor,
  { read, seconds, authenticate, signal }: Waiting,
): Promise<Answer> {
  let answer = await continueFeed(from, read);
  for (let left = seconds; left > 0 && !answer.more && answer.changes.length === 0; ) {
    const { seq } = answer.cursor;
    left = await waitForChange({ user: read.grant, seq, seconds: left, signal }, read);
    // The grant may have ended during the wait.
    await authenticate();
    // Reads even after a timeout: a change may have come at the last moment.
    answer = await continueFeed(answer.cursor, read);
  }
  return answer;
}

async function continueFeed(cursor: ChangeCursor, read: Read): Promise<Answer> {
  requireUnexpired(cursor, await read.changes.stateOf(read.grant, read.now()));
  return cursor.state === undefined ? listSince(cursor, read) : listAllEvents(cursor, read);
}

/** Throws 410 if entries after the cursor may have been deleted, or the database lost the commits up to the cursor. */
function requireUnexpired({ feedId, seq, event }: ChangeCursor, state: FeedState | undefined): asserts state {
  const lowest = event === undefined ? seq : seq - 1;
  if (state?.feedId === feedId && lowest >= state.prunedSeq && seq <= state.seq) return;
  throw new ApiError(CHANGES.cursor_expired);
}

function fresh(read: Read, isFirst: boolean) {
  const listAge = isFirst ? LIST_FRESH_MS : Number.POSITIVE_INFINITY;
  const eventAge = isFirst ? FRESH_MS : Number.POSITIVE_INFINITY;
  return freshAccounts({ reader: read.grant, needs: NEEDS, listAge, eventAge, choice: undefined }, read);
}

/** Returns one page of all events. The changes meanwhile follow the last page. */
async function listAllEvents({ feedId, seq, state = BEFORE_ALL }: ChangeCursor, read: Read): Promise<Answer> {
  const { pageSize } = read;
  const { accounts, problems } = await fresh(read, false);
  const owners = mapOwners(accounts);
  const names = await read.changes.eventsAfter([...owners.keys()], state, pageSize + 1);
  const all = names.slice(0, pageSize).map((name): Change => ({ ...name, changeType: 'created' }));
  const { changes, size } = await fittingChanges(all, owners, read);
  const last = changes.at(-1);
  const isLast = names.length <= pageSize && changes.length === all.length;
  const cursor = { feedId, seq, ...(isLast || last === undefined ? {} : { state: toEventName(last) }) };
  // The changes meanwhile follow the last page.
  return { changes, size, owners, cursor, more: true, problems };
}

const toEventName = ({ calendarKey, id }: EventName): EventName => ({ calendarKey, id });

async function listSince(cursor: ChangeCursor, read: Read): Promise<Answer> {
  const { changes: feed, events, grant, now, pageSize } = read;
  const { feedId, event, from = cursor.seq } = cursor;
  const { problems } = await fresh(read, event === undefined);
  // The order of reads leaves no gap: entries are read after the head, so they include everything up to it.
  const head = await feed.stateOf(grant, now());
  const entries = await feed.changesAfter(grant, cursor, pageSize + 1);
  // A check after the read notices entries that were deleted before it.
  requireUnexpired(cursor, await feed.stateOf(grant, now()));
  // Calendars are read last: a missing one was deleted after the entries were read, and has a later entry.
  const owners = mapOwners(await coveredAccounts({ reader: grant, needs: NEEDS }, { events }));

  const page = entries.slice(0, pageSize);
  const all = page.map((entry): Change => toChange(entry, from));
  const { changes, size } = await fittingChanges(all, owners, read);
  const last = page[changes.length - 1];
  if ((entries.length > pageSize || changes.length < all.length) && last !== undefined) {
    const cursor = { feedId, from, seq: last.seq, event: last };
    return { changes, size, owners, cursor, more: true, problems };
  }
  const seq = Math.max(head?.seq ?? 0, last?.seq ?? 0, cursor.seq);
  return { changes, size, owners, cursor: { feedId, seq }, more: false, problems };
}

function toChange({ calendarKey, id, deleted, createdSeq, ...names }: FeedChange, from: number): Change {
  const name = { calendarKey, id };
  if (deleted === 0) return { ...name, changeType: createdSeq > from ? 'created' : 'updated' };
  const { provider, accountId, href } = names;
  const event = renderObject({ provider, account: accountId, calendarId: href, id });
  return { ...name, changeType: 'deleted', event };
}

type Wait = {
  readonly user: ReadingUser;
  /** The feed's number in the last response. */
  readonly seq: number;
  readonly seconds: number;
  /** Aborted when the caller disconnects or the process stops. */
  readonly signal: AbortSignal;
};

/** Waits for a greater number. Returns the remaining seconds; 0 after a timeout. Throws 429 like Turns. */
const waitForChange = (
  { user, seq, seconds, signal }: Wait,
  deps: Pick<ListChangesDeps, 'changes' | 'waits' | 'now'>,
): Promise<number> =>
  deps.waits.run(user, async () => {
    for (let looks = seconds * LOOKS_A_SECOND; looks > 0 && !signal.aborted; looks -= 1) {
      await sleep(1_000 / LOOKS_A_SECOND, undefined, { signal }).catch(() => {});
      const state = await deps.changes.stateOf(user, deps.now());
      if (state === undefined || state.seq > seq) return Math.max(0, looks - 1) / LOOKS_A_SECOND;
    }
    return 0;
  });
