/**
 * Records the changes of a transaction for the user's change feed and the application's endpoints (webhook-streams.ts).
 * A change gets its number from the user's row, which is locked until the commit: numbers are in the order of commits.
 * Every transaction locks in the order user, account, calendar. A change has the group of its account (docs/security.md
 * T3). Accounts that are not the user's yet have no changes: recordArrival reports their events later.
 */
import { randomBytes } from 'node:crypto';
import type { Statements, Values } from '../drivers/database.ts';
import {
  type EventState,
  isSameState,
  listChangedFields,
  type StateRow,
  toDeletedEvent,
  toEventState,
} from './event-state.ts';
import { noteConnections } from './user-notes.ts';
import { HAS_ENDPOINT, noteArrivals, noteChanges, noteFirstSync } from './webhook-streams.ts';

type Feed = {
  readonly clientId: string;
  readonly userId: string;
  readonly feedId: string | undefined;
  readonly seq: number;
};

/** The events of a calendar that a write can change. `at` is about now, in epoch milliseconds. */
type AffectedEvents = {
  readonly key: string;
  readonly at: number;
  readonly own: boolean;
  readonly hrefs: readonly string[];
  readonly series: readonly string[];
};

/** Takes the user's next number; `undefined` without a user or a feed. An endpoint of the application begins a feed. */
async function takeNextNumber(tx: Statements, owner: string, values: Values): Promise<Feed | undefined> {
  const [feed] = await tx.all<Feed>(
    `UPDATE application_user SET feed_seq = feed_seq + 1,
            feed_id = CASE WHEN feed_id IS NULL AND ${HAS_ENDPOINT} THEN CAST(:candidate AS TEXT) ELSE feed_id END
      WHERE (client_id, user_id) = (${owner})
     RETURNING client_id, user_id, feed_id, feed_seq AS seq`,
    { ...values, candidate: newFeedId() },
  );
  return feed?.feedId === undefined ? undefined : feed;
}

/** Returns the id of a new feed. Cursors of an earlier feed do not have it. */
export const newFeedId = (): string => randomBytes(9).toString('base64url');

const OWNER_OF_CALENDAR = `SELECT a.client_id, a.user_id FROM calendar c JOIN account a ON a.account_key = c.account_key
   WHERE c.calendar_key = :key`;

export async function recordChanges<T>(
  tx: Statements,
  { key, at, own, hrefs, series }: AffectedEvents,
  write: () => Promise<T>,
): Promise<T> {
  if (hrefs.length === 0 && series.length === 0) return write();
  const feed = await takeNextNumber(tx, OWNER_OF_CALENDAR, { key });
  if (feed === undefined) return write();
  const seriesOfHrefs = await tx.all<{ id: string }>(
    `SELECT DISTINCT series_id AS id FROM event
      WHERE calendar_key = :key AND series_id IS NOT NULL AND href ${tx.dialect.oneOf('hrefs')}`,
    { key, hrefs },
  );
  const names = [...new Set([...hrefs, ...series, ...seriesOfHrefs.map(({ id }) => id)])];
  const before = await readStates(tx, key, names);
  const result = await write();
  const after = await readStates(tx, key, names);
  const change = { key, at, own, feed };
  let changes = 0;
  for (const [id, state] of after) {
    const earlier = before.get(id);
    if (earlier !== undefined && isSameState(earlier, state)) continue;
    await recordChange(tx, { ...change, id, before: earlier, after: state });
    changes += 1;
  }
  for (const [id, state] of before) {
    if (after.has(id)) continue;
    await recordChange(tx, { ...change, id, before: state, after: undefined });
    changes += 1;
  }
  if (changes > 0) {
    await tx.change(CHANGED, { clientId: feed.clientId, userId: feed.userId, at });
    await noteChanges(tx, key, feed);
  }
  return result;
}

const CHANGED =
  'UPDATE application_user SET changed_at = :at WHERE client_id = :clientId AND user_id = :userId';

/** `chosen` selects the keys of calendars, and `which` limits their events. The values are parameters of both. */
type Removed = { readonly chosen: string; readonly which?: string };

/** Records the removal of calendars with all or some of their events. Call it before they are deleted. */
async function recordRemoval(
  tx: Statements,
  { chosen, which = '' }: Removed,
  values: Values & Pick<Feed, 'seq'> & { readonly at: number },
): Promise<void> {
  await tx.change(
    `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, foreign_seq, created_seq, deleted,
       provider, account_id, href, noted_at, group_id)
     SELECT DISTINCT e.calendar_key, e.event_id, a.client_id, a.user_id, CAST(:seq AS BIGINT), CAST(:seq AS BIGINT), 0, 1,
            a.provider, a.account_id, c.href, CAST(:at AS BIGINT), COALESCE(g.told_group, a.group_id)
       FROM event e JOIN calendar c ON c.calendar_key = e.calendar_key JOIN account a ON a.account_key = c.account_key
       JOIN account_group g ON g.group_id = a.group_id AND (g.expires_at IS NULL OR g.told_group IS NOT NULL)
      WHERE e.calendar_key IN (${chosen}) AND e.shape IN ('short', 'long', 'series') ${which}
     ON CONFLICT (calendar_key, event_id) DO UPDATE SET seq = excluded.seq, foreign_seq = excluded.seq, deleted = 1,
       noted_at = excluded.noted_at, group_id = excluded.group_id`,
    values,
  );
}

/** Returns a recorder of removals of a calendar or of some resources. Call it before anything is locked. */
export async function calendarRemovalRecorder(tx: Statements, accountKey: string, at: number) {
  const owner = 'SELECT client_id, user_id FROM account WHERE account_key = :accountKey';
  const feed = await takeNextNumber(tx, owner, { accountKey });
  return async (calendarKey: string, hrefs?: readonly string[]): Promise<void> => {
    if (feed === undefined) return;
    const removed = { chosen: 'SELECT CAST(:calendarKey AS TEXT)' };
    const values = { calendarKey, at, seq: feed.seq };
    if (hrefs === undefined) return recordRemoval(tx, removed, values);
    const which = `AND e.href ${tx.dialect.oneOf('hrefs')}`;
    await recordRemoval(tx, { ...removed, which }, { ...values, hrefs });
  };
}

/** Accounts that have just become part of a user's group. `now` is in epoch milliseconds. */
export type Arrival = {
  readonly clientId: string;
  readonly userId: string;
  readonly accountKeys: readonly string[];
  readonly now: number;
};

/** Records all events of these accounts as created, if a feed exists. Call it after their group changed. */
export async function recordArrival(
  tx: Statements,
  { clientId, userId, accountKeys, now }: Arrival,
): Promise<void> {
  const owner = 'SELECT CAST(:clientId AS TEXT), CAST(:userId AS TEXT)';
  const feed = await takeNextNumber(tx, owner, { clientId, userId });
  if (feed === undefined) return;
  // Their deleted events move to the group too.
  await tx.change(
    `UPDATE event_change SET group_id =
       (SELECT a.group_id FROM calendar c JOIN account a ON a.account_key = c.account_key
         WHERE c.calendar_key = event_change.calendar_key)
      WHERE calendar_key IN (SELECT calendar_key FROM calendar WHERE account_key ${tx.dialect.oneOf('accountKeys')})`,
    { accountKeys },
  );
  await tx.change(
    `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, foreign_seq, created_seq, deleted,
       provider, account_id, href, noted_at, group_id)
     SELECT DISTINCT e.calendar_key, e.event_id, a.client_id, a.user_id, CAST(:seq AS BIGINT), CAST(:seq AS BIGINT),
            CAST(:seq AS BIGINT), 0, a.provider, a.account_id, c.href, CAST(:now AS BIGINT), a.group_id
       FROM event e JOIN calendar c ON c.calendar_key = e.calendar_key JOIN account a ON a.account_key = c.account_key
       JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL
      WHERE a.account_key ${tx.dialect.oneOf('accountKeys')} AND a.client_id = :clientId AND a.user_id = :userId
        AND e.shape IN ('short', 'long', 'series')
     ON CONFLICT (calendar_key, event_id) DO UPDATE SET seq = excluded.seq, foreign_seq = excluded.seq,
       created_seq = excluded.created_seq, created_own = 0, deleted = 0, noted_at = excluded.noted_at, group_id = excluded.group_id`,
    { clientId, userId, accountKeys, now, seq: feed.seq },
  );
  await noteArrivals(tx, accountKeys, feed);
  await noteConnections(tx, accountKeys, { eventType: 'connection.connected', now });
}

/** Returns a function to call after a calendar's first sync is written. Call this one before anything is locked. */
export async function firstSyncRecorder(tx: Statements, key: string): Promise<() => Promise<void>> {
  const feed = await takeNextNumber(tx, OWNER_OF_CALENDAR, { key });
  return async () => {
    if (feed !== undefined) await noteFirstSync(tx, key, feed);
  };
}

/** Records the removal of a user's accounts, whose keys `chosen` selects. Call it before anything else is locked. */
export async function recordAccountRemoval(
  tx: Statements,
  chosen: string,
  values: Values & { readonly now: number },
): Promise<void> {
  const { clientId = null, userId = null, now } = values;
  const owner = 'SELECT CAST(:clientId AS TEXT), CAST(:userId AS TEXT)';
  const feed = await takeNextNumber(tx, owner, { clientId, userId });
  if (feed === undefined) return;
  const calendars = `SELECT calendar_key FROM calendar WHERE account_key IN (${chosen})`;
  await recordRemoval(tx, { chosen: calendars }, { ...values, at: now, seq: feed.seq });
}

/** Returns the states of the single events and series with these hrefs or ids, by id. */
async function readStates(
  tx: Statements,
  key: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, EventState>> {
  const oneOfNames = tx.dialect.oneOf('names');
  const rows = await tx.all<StateRow>(
    `SELECT event_id AS id, series_id, shape, recurrence_id, content, timing, original,
            original_digest, starts_at, ends_at, etag
       FROM event
      WHERE calendar_key = :key AND shape <> 'hidden' AND (href ${oneOfNames} OR series_id ${oneOfNames})
      ORDER BY href, recurrence_id`,
    { key, names },
  );
  const toRootId = ({ id, shape, seriesId }: StateRow) =>
    shape === 'series' || shape === 'override' ? (seriesId ?? id) : id;
  const members = [...Map.groupBy(rows, toRootId)];
  return new Map(members.map(([id, rowsOfIt]) => [id, toEventState(rowsOfIt)]));
}

type RecordedChange = {
  readonly key: string;
  readonly id: string;
  readonly at: number;
  readonly own: boolean;
  readonly feed: Feed;
  readonly before: EventState | undefined;
  readonly after: EventState | undefined;
};

async function recordChange(tx: Statements, change: RecordedChange): Promise<void> {
  const { key, id, at, own, before, after } = change;
  const { clientId, userId, seq } = change.feed;
  const isNew = before === undefined;
  const values = {
    ...{ key, id, clientId, userId, seq, at },
    foreignSeq: own ? 0 : seq,
    createdSeq: isNew ? seq : 0,
    createdOwn: Number(own && isNew),
    deleted: after === undefined ? 1 : 0,
    was: after === undefined && before !== undefined ? JSON.stringify(toDeletedEvent(before)) : null,
    fields: await renderChangedFields(tx, change),
  };
  await tx.change(RECORD, values);
}

/** Returns for each field the number of its last change, earlier changes included. */
async function renderChangedFields(
  tx: Statements,
  { key, id, feed, before, after }: RecordedChange,
): Promise<string | null> {
  if (before === undefined || after === undefined) return null;
  const stored = await tx.get<{ fields: string | undefined }>(
    'SELECT fields FROM event_change WHERE calendar_key = :key AND event_id = :id',
    { key, id },
  );
  const changed = listChangedFields(before, after).map((name) => [name, feed.seq] as const);
  // Written here, as an object of numbers.
  const earlier: Readonly<Record<string, number>> = JSON.parse(stored?.fields ?? '{}');
  return JSON.stringify({ ...earlier, ...Object.fromEntries(changed) });
}

/**
 * Keeps the reported content of a deleted event if another one takes its id. If that is deleted too, every stream
 * reports it, even one that has seen none of the three changes.
 */
const RECORD = `
  INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, foreign_seq, created_seq, created_own,
    deleted, provider, account_id, href, noted_at, group_id, fields, was)
  SELECT c.calendar_key, CAST(:id AS TEXT), CAST(:clientId AS TEXT), CAST(:userId AS TEXT), CAST(:seq AS BIGINT),
         CAST(:foreignSeq AS BIGINT), CAST(:createdSeq AS BIGINT), CAST(:createdOwn AS BIGINT), CAST(:deleted AS BIGINT),
         a.provider, a.account_id, c.href, CAST(:at AS BIGINT), a.group_id, CAST(:fields AS TEXT), CAST(:was AS TEXT)
    FROM calendar c JOIN account a ON a.account_key = c.account_key
    JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL
   WHERE c.calendar_key = :key
  ON CONFLICT (calendar_key, event_id) DO UPDATE SET seq = excluded.seq, deleted = excluded.deleted,
    foreign_seq = CASE WHEN excluded.foreign_seq > 0 THEN excluded.foreign_seq ELSE event_change.foreign_seq END,
    created_seq = CASE WHEN excluded.created_seq > 0 THEN excluded.created_seq
                       WHEN excluded.deleted = 1 AND event_change.was IS NOT NULL THEN 0
                       ELSE event_change.created_seq END,
    created_own = CASE WHEN excluded.created_seq > 0 THEN excluded.created_own ELSE event_change.created_own END,
    noted_at = excluded.noted_at, group_id = excluded.group_id, fields = excluded.fields,
    was = COALESCE(excluded.was, event_change.was, CASE WHEN event_change.deleted = 1 THEN '{}' END)`;
