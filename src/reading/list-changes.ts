/**
 * GET /events/changes: what was created, updated and deleted in all calendars of the user since a cursor. A series is
 * told as one: its master with its rules, and the instances that differ from it.
 */
import { ApiError } from '../http/api-error.ts';
import { requireScope } from '../oauth/bearer-authentication.ts';
import type { Grant } from '../oauth/grant.ts';
import { type ChangeCursor, openCursor, sealCursor } from './change-cursor.ts';
import type { ChangeFeed, EventName, FeedState } from './change-feed.ts';
import type { MirroredAccount, MirroredSeries } from './event-reader.ts';
import { eventText } from './event-text.ts';
import { DEFAULT_PAGE_SIZE, parameterOf, parseFlag, parsePageSize, type RawQuery } from './events-query.ts';
import { freshAccounts } from './freshness.ts';
import { FRESH_MS, LIST_FRESH_MS, type ListEventsDeps, type Owned } from './list-events.ts';
import { instanceOfOverride, listedMaster } from './page-of-events.ts';
import type { ReadProblem } from './read-problem.ts';

export type ListChangesDeps = ListEventsDeps & { readonly changes: ChangeFeed };

const NO_CHANGES = 'The changes of events are forbidden for free-busy scope';
const BEFORE_ALL: EventName = { calendarKey: '', id: '' };

type Answer = {
  readonly changes: readonly string[];
  readonly cursor: ChangeCursor;
  readonly more: boolean;
  readonly problems: readonly ReadProblem[];
};

/**
 * The answer's JSON: `changes`, `cursor`, `more` and, where there are any, `errors`. Refusals: 400 for a bad query,
 * 410 `cursor_expired` when what happened since the cursor is no longer known, 403 and 503 as freshAccounts says.
 */
export async function listChanges(query: RawQuery, grant: Grant, deps: ListChangesDeps): Promise<string> {
  requireScope(grant, 'read', NO_CHANGES);
  const pageSize = parsePageSize(query) ?? DEFAULT_PAGE_SIZE;
  const text = parameterOf(query, 'cursor');
  const answer =
    text === undefined
      ? await begin(initialOf(query), pageSize, grant, deps)
      : await goOn(cursorOf(text, grant, deps), pageSize, grant, deps);
  const { changes, cursor, more, problems } = answer;
  const rest = {
    cursor: sealCursor(cursor, grant, deps.pagingKey),
    more,
    ...(problems.length > 0 ? { errors: problems } : {}),
  };
  return `{"changes":[${changes.join(',')}],${JSON.stringify(rest).slice(1)}`;
}

function initialOf(query: RawQuery): boolean {
  const text = parameterOf(query, 'initial');
  const initial = text === undefined ? false : parseFlag(text);
  if (initial !== undefined) return initial;
  const problem = 'initial must be true or false';
  throw new ApiError(400, 'invalid_request', { message: problem, details: { initial: [problem] } });
}

function cursorOf(text: string, grant: Grant, { pagingKey }: ListChangesDeps): ChangeCursor {
  const cursor = openCursor(text, grant, pagingKey);
  if (cursor !== undefined) return cursor;
  const problem = 'cursor is not one of this user and application: start again without it';
  throw new ApiError(400, 'invalid_cursor', { message: problem, details: { cursor: [problem] } });
}

async function begin(
  initial: boolean,
  pageSize: number,
  grant: Grant,
  deps: ListChangesDeps,
): Promise<Answer> {
  const state = await deps.changes.follow(grant, deps.now());
  // The user went between the check of its token and now.
  if (state === undefined) throw new ApiError(404, 'user_not_found', 'There is no such user any longer');
  const { feedId, seq } = state;
  if (!initial) return { changes: [], cursor: { feedId, seq }, more: false, problems: [] };
  // What is read for the first time is part of the state, and need not be told as changes once more.
  await fresh(grant, true, deps);
  const head = await deps.changes.stateOf(grant, deps.now());
  return tellState({ feedId, seq: head?.seq ?? seq, state: BEFORE_ALL }, pageSize, grant, deps);
}

async function goOn(
  cursor: ChangeCursor,
  pageSize: number,
  grant: Grant,
  deps: ListChangesDeps,
): Promise<Answer> {
  checkKnown(cursor, await deps.changes.stateOf(grant, deps.now()));
  return cursor.state === undefined
    ? tellChanges(cursor, pageSize, grant, deps)
    : tellState(cursor, pageSize, grant, deps);
}

/** Throws 410 when entries behind the cursor may be gone. */
function checkKnown({ feedId, seq, event }: ChangeCursor, state: FeedState | undefined): asserts state {
  const lowest = event === undefined ? seq : seq - 1;
  if (state?.feedId === feedId && lowest >= state.prunedSeq) return;
  const message =
    'What happened since this cursor is no longer known: read everything anew with initial=true, and go on with the cursor of that answer';
  throw new ApiError(410, 'cursor_expired', message);
}

const fresh = ({ clientId, userId }: Grant, isFirst: boolean, deps: ListChangesDeps) => {
  const [listAge, eventAge] = isFirst
    ? [LIST_FRESH_MS, FRESH_MS]
    : [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  return freshAccounts({ clientId, userId, listAge, eventAge, choice: undefined }, deps);
};

/** One page of everything there is. What changes meanwhile is told after the last. */
async function tellState(
  { feedId, seq, state = BEFORE_ALL }: ChangeCursor,
  pageSize: number,
  grant: Grant,
  deps: ListChangesDeps,
): Promise<Answer> {
  const { accounts, problems } = await fresh(grant, false, deps);
  const owners = ownersOf(accounts);
  const names = await deps.changes.eventsAfter([...owners.keys()], state, pageSize + 1);
  const page = names.slice(0, pageSize);
  const texts = await textsOf(page, owners, deps);
  const changes = page.flatMap((name) => changeText('created', texts.get(keyOf(name))));
  const more = names.length > pageSize;
  const cursor = { feedId, seq, ...(more ? { state: page.at(-1) } : {}) };
  // Behind the state comes what changed while it was told.
  return { changes, cursor, more: true, problems };
}

async function tellChanges(
  cursor: ChangeCursor,
  pageSize: number,
  grant: Grant,
  deps: ListChangesDeps,
): Promise<Answer> {
  const { feedId, event, from = cursor.seq } = cursor;
  const { problems } = await fresh(grant, event === undefined, deps);
  // The order of these reads is what leaves no gap. The head is read before the entries: all up to it are among them.
  const head = await deps.changes.stateOf(grant, deps.now());
  const found = await deps.changes.changesAfter(grant, cursor, pageSize + 1);
  // What was forgotten meanwhile is known after them.
  checkKnown(cursor, await deps.changes.stateOf(grant, deps.now()));
  // And calendars after both: one that is not there by now went later, which is an entry to come.
  const { clientId, userId } = grant;
  const owners = ownersOf(await deps.events.accountsOf(clientId, userId));

  const page = found.slice(0, pageSize);
  const texts = await textsOf(
    page.filter(({ deleted }) => deleted === 0),
    owners,
    deps,
  );
  const changes = page.flatMap((entry) => {
    const { deleted, createdSeq, provider, accountId, href, id } = entry;
    if (deleted === 1)
      return changeText('deleted', JSON.stringify({ provider, account: accountId, calendarId: href, id }));
    return changeText(createdSeq > from ? 'created' : 'updated', texts.get(keyOf(entry)));
  });
  const last = page.at(-1);
  if (found.length > pageSize && last !== undefined) {
    return { changes, cursor: { feedId, from, seq: last.seq, event: last }, more: true, problems };
  }
  const seq = Math.max(head?.seq ?? 0, last?.seq ?? 0, cursor.seq);
  return { changes, cursor: { feedId, seq }, more: false, problems };
}

/** An event that is not there by now has a later entry, which tells that it went. */
const changeText = (changeType: string, event: string | undefined): string[] =>
  event === undefined ? [] : [`{"changeType":"${changeType}","event":${event}}`];

type Owners = ReadonlyMap<string, Owned>;

const ownersOf = (accounts: readonly MirroredAccount[]): Owners =>
  new Map(
    accounts.flatMap((account) =>
      account.calendars.map((calendar) => [calendar.calendarKey, { calendar, account }] as const),
    ),
  );

const keyOf = ({ calendarKey, id }: EventName): string => `${calendarKey} ${id}`;

async function textsOf(
  names: readonly EventName[],
  owners: Owners,
  { events }: ListChangesDeps,
): Promise<ReadonlyMap<string, string>> {
  const keys = [...new Set(names.map(({ calendarKey }) => calendarKey))].filter((key) => owners.has(key));
  const texts = new Map<string, string>();
  if (keys.length === 0) return texts;
  const { singles, series } = await events.eventsNamed(keys, [...new Set(names.map(({ id }) => id))]);
  const toText = eventText();
  for (const single of singles) {
    const owner = owners.get(single.calendarKey);
    if (owner) texts.set(keyOf(single), toText(single, owner.calendar, owner.account));
  }
  for (const one of series) {
    const owner = owners.get(one.calendarKey);
    if (owner) texts.set(keyOf(one), seriesText(one, owner, toText));
  }
  return texts;
}

/** The master, with `overrides` (instances that differ) and `cancelledInstances` (ids of those that do not take place). */
function seriesText(
  one: MirroredSeries,
  { calendar, account }: Owned,
  toText: ReturnType<typeof eventText>,
): string {
  const zone = calendar.timeZone;
  const overrides: string[] = [];
  const cancelled: string[] = [];
  for (const override of one.series.overrides) {
    const instance = instanceOfOverride(one, override, zone);
    if (override.cancelled) {
      cancelled.push(instance.id);
      continue;
    }
    const text = toText(instance, calendar, account);
    overrides.push(override.thisAndFuture ? `${text.slice(0, -1)},"thisAndFuture":true}` : text);
  }
  const master = toText(listedMaster(one, zone), calendar, account).slice(0, -1);
  return `${master},"overrides":[${overrides.join(',')}],"cancelledInstances":${JSON.stringify(cancelled)}}`;
}
