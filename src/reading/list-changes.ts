/**
 * GET /events/changes: what was created, updated and deleted in all calendars of the user since a cursor. A series is
 * one change: its master with its rules, and the instances that differ from it.
 */
import { ApiError } from '../http/refusal.ts';
import { parameterOf } from '../http/request-fields.ts';
import {
  membersOf,
  type RenderedObject,
  renderList,
  renderMember,
  renderObject,
} from '../lib/rendered-json.ts';
import { requireScope } from '../oauth/bearer-authentication.ts';
import type { Grant } from '../oauth/grant.ts';
import type { ChangeFeed, EventName, FeedState } from './change-feed.ts';
import type { MirroredAccount, MirroredSeries } from './event-reader.ts';
import { type EventText, eventText } from './event-text.ts';
import { DEFAULT_PAGE_SIZE, parseFlag, parsePageSize, type RawQuery } from './events-query.ts';
import {
  coveredAccounts,
  FRESH_MS,
  freshAccounts,
  LIST_FRESH_MS,
  type Owned,
  type ReadProblem,
} from './freshness.ts';
import type { ListEventsDeps } from './list-events.ts';
import { instanceOfOverride, listedMaster } from './page-of-events.ts';
import { type ChangeCursor, openCursor, sealCursor } from './sealed-position.ts';

export type ListChangesDeps = ListEventsDeps & { readonly changes: ChangeFeed };

const NO_CHANGES = 'The changes of events are forbidden for free-busy scope';
const NEEDS = 'read';
const BEFORE_ALL: EventName = { calendarKey: '', id: '' };

type Answer = {
  readonly changes: readonly RenderedObject[];
  readonly cursor: ChangeCursor;
  readonly more: boolean;
  readonly problems: readonly ReadProblem[];
};

/** Who reads, and how much at a time. */
type Read = ListChangesDeps & { readonly grant: Grant; readonly pageSize: number };

/**
 * The answer's JSON: `changes`, `cursor`, `more` and, where there are any, `errors`. Refusals: 400 for a bad query,
 * 410 `cursor_expired` when what happened since the cursor is no longer known, 403 and 503 as freshAccounts says.
 */
export async function listChanges(
  query: RawQuery,
  grant: Grant,
  deps: ListChangesDeps,
): Promise<RenderedObject> {
  requireScope(grant, NEEDS, NO_CHANGES);
  const read = { ...deps, grant, pageSize: parsePageSize(query) ?? DEFAULT_PAGE_SIZE };
  const text = parameterOf(query, 'cursor');
  const answer =
    text === undefined
      ? await startFeed(initialOf(query), read)
      : await continueFeed(cursorOf(text, read), read);
  const { changes, cursor, more, problems } = answer;
  return renderObject(
    renderMember('changes', renderList(changes)),
    { cursor: sealCursor(cursor, grant, deps.pagingKey), more },
    problems.length > 0 ? { errors: problems } : undefined,
  );
}

function initialOf(query: RawQuery): boolean {
  const text = parameterOf(query, 'initial');
  const initial = text === undefined ? false : parseFlag(text);
  if (initial !== undefined) return initial;
  const problem = 'initial must be true or false';
  throw new ApiError(400, 'invalid_request', { message: problem, details: { initial: [problem] } });
}

function cursorOf(text: string, { grant, pagingKey }: Read): ChangeCursor {
  const cursor = openCursor(text, grant, pagingKey);
  if (cursor !== undefined) return cursor;
  const problem = 'cursor is not one of this user and application: start again without it';
  throw new ApiError(400, 'invalid_cursor', { message: problem, details: { cursor: [problem] } });
}

async function startFeed(initial: boolean, read: Read): Promise<Answer> {
  const { changes, grant, now } = read;
  const state = await changes.follow(grant, now());
  // The user was deleted after its token was checked.
  if (state === undefined) throw new ApiError(404, 'user_not_found', 'There is no such user any longer');
  const { feedId, seq } = state;
  if (!initial) return { changes: [], cursor: { feedId, seq }, more: false, problems: [] };
  // Synced first, so that what a first sync brings is part of the state and is not listed as changes again.
  await fresh(read, true);
  const head = await changes.stateOf(grant, now());
  return listAllEvents({ feedId, seq: head?.seq ?? seq, state: BEFORE_ALL }, read);
}

async function continueFeed(cursor: ChangeCursor, read: Read): Promise<Answer> {
  requireUnexpired(cursor, await read.changes.stateOf(read.grant, read.now()));
  return cursor.state === undefined ? listSince(cursor, read) : listAllEvents(cursor, read);
}

/** Throws 410 when entries after the cursor may have been deleted. */
function requireUnexpired({ feedId, seq, event }: ChangeCursor, state: FeedState | undefined): asserts state {
  const lowest = event === undefined ? seq : seq - 1;
  if (state?.feedId === feedId && lowest >= state.prunedSeq) return;
  const message =
    'What happened since this cursor is no longer known: read everything anew with initial=true, and go on with the cursor of that answer';
  throw new ApiError(410, 'cursor_expired', message);
}

function fresh(read: Read, isFirst: boolean) {
  const listAge = isFirst ? LIST_FRESH_MS : Number.POSITIVE_INFINITY;
  const eventAge = isFirst ? FRESH_MS : Number.POSITIVE_INFINITY;
  return freshAccounts({ reader: read.grant, needs: NEEDS, listAge, eventAge, choice: undefined }, read);
}

/** One page of all events. What changes meanwhile is listed after the last page. */
async function listAllEvents({ feedId, seq, state = BEFORE_ALL }: ChangeCursor, read: Read): Promise<Answer> {
  const { pageSize } = read;
  const { accounts, problems } = await fresh(read, false);
  const owners = ownersOf(accounts);
  const names = await read.changes.eventsAfter([...owners.keys()], state, pageSize + 1);
  const page = names.slice(0, pageSize);
  const texts = await textsOf(page, owners, read);
  const changes = page.flatMap((name) => changeText('created', texts.get(keyOf(name))));
  const more = names.length > pageSize;
  const cursor = { feedId, seq, ...(more ? { state: page.at(-1) } : {}) };
  // After the last page comes what changed meanwhile.
  return { changes, cursor, more: true, problems };
}

async function listSince(cursor: ChangeCursor, read: Read): Promise<Answer> {
  const { changes: feed, events, grant, now, pageSize } = read;
  const { feedId, event, from = cursor.seq } = cursor;
  const { problems } = await fresh(read, event === undefined);
  // The order of these reads leaves no gap. The head is read before the entries, which then include all up to it.
  const head = await feed.stateOf(grant, now());
  const entries = await feed.changesAfter(grant, cursor, pageSize + 1);
  // Entries that were deleted meanwhile are noticed after them.
  requireUnexpired(cursor, await feed.stateOf(grant, now()));
  // Calendars are read last: one that is missing was deleted after the entries were read, and has a later entry.
  const owners = ownersOf(await coveredAccounts({ reader: grant, needs: NEEDS }, { events }));

  const page = entries.slice(0, pageSize);
  const existing = page.filter(({ deleted }) => deleted === 0);
  const texts = await textsOf(existing, owners, read);
  const changes = page.flatMap((entry) => {
    const { deleted, createdSeq, provider, accountId, href, id } = entry;
    if (deleted === 1)
      return changeText('deleted', renderObject({ provider, account: accountId, calendarId: href, id }));
    return changeText(createdSeq > from ? 'created' : 'updated', texts.get(keyOf(entry)));
  });
  const last = page.at(-1);
  if (entries.length > pageSize && last !== undefined) {
    return { changes, cursor: { feedId, from, seq: last.seq, event: last }, more: true, problems };
  }
  const seq = Math.max(head?.seq ?? 0, last?.seq ?? 0, cursor.seq);
  return { changes, cursor: { feedId, seq }, more: false, problems };
}

/** An event that is missing was deleted meanwhile, and has a later entry. */
const changeText = (
  changeType: 'created' | 'updated' | 'deleted',
  event: RenderedObject | undefined,
): RenderedObject[] =>
  event === undefined ? [] : [renderObject({ changeType }, renderMember('event', event))];

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
): Promise<ReadonlyMap<string, RenderedObject>> {
  const keys = [...new Set(names.map(({ calendarKey }) => calendarKey))].filter((key) => owners.has(key));
  const texts = new Map<string, RenderedObject>();
  if (keys.length === 0) return texts;
  const { singles, series } = await events.eventsById(keys, [...new Set(names.map(({ id }) => id))]);
  const toText = eventText();
  for (const single of singles) {
    const owner = owners.get(single.calendarKey);
    if (owner) texts.set(keyOf(single), toText(single, owner));
  }
  for (const one of series) {
    const owner = owners.get(one.calendarKey);
    if (owner) texts.set(keyOf(one), seriesText(one, owner, toText));
  }
  return texts;
}

/** The master, with `overrides` (instances that differ) and `cancelledInstances` (ids of those that do not take place). */
function seriesText(one: MirroredSeries, owner: Owned, toText: EventText): RenderedObject {
  const zone = owner.calendar.timeZone;
  const instances = one.series.overrides.map((override) => ({
    ...override,
    event: instanceOfOverride(one, override, zone),
  }));
  const cancelled = instances.filter((instance) => instance.cancelled);
  const overrides = instances
    .filter((instance) => !instance.cancelled)
    .map(({ event, thisAndFuture }) =>
      renderObject(membersOf(toText(event, owner)), thisAndFuture ? { thisAndFuture } : undefined),
    );
  return renderObject(
    membersOf(toText(listedMaster(one, zone), owner)),
    renderMember('overrides', renderList(overrides)),
    { cancelledInstances: cancelled.map(({ event }) => event.id) },
  );
}
