/**
 * Records what a transaction changes, for the feed of the user's changes (change-feed.ts). The number of a change comes from
 * the user's row, which stays locked until the commit. So numbers are in the order of commits: a reader who has seen one has
 * seen all before it. Every transaction locks in the order user, account, calendar. A change has the group of its account
 * (docs/security.md T3). Of accounts that are not the user's yet nothing is recorded: nobody may read them, and
 * recordArrival tells of all they have once they are.
 */
import type { Statements, Values } from './drivers/database.ts';

type Feed = {
  readonly clientId: string;
  readonly userId: string;
  readonly feedId: string | null;
  readonly seq: number;
};

/** The events of a calendar that a write can change. `at` is about now, in epoch milliseconds. */
type AffectedEvents = {
  readonly key: string;
  readonly at: number;
  readonly hrefs: readonly string[];
  /** By their ids. */
  readonly series: readonly string[];
};

/** Takes the next number of the user that `owner` selects; `undefined` when there is no user, or nobody reads the feed. */
async function nextOf(tx: Statements, owner: string, values: Values): Promise<Feed | undefined> {
  const [feed] = await tx.all<Feed>(
    `UPDATE application_user SET feed_seq = feed_seq + 1 WHERE (client_id, user_id) = (${owner})
     RETURNING client_id AS "clientId", user_id AS "userId", feed_id AS "feedId", feed_seq AS "seq"`,
    values,
  );
  return feed?.feedId == null ? undefined : feed;
}

const OWNER_OF_CALENDAR = `SELECT a.client_id, a.user_id FROM calendar c JOIN account a ON a.account_key = c.account_key
   WHERE c.calendar_key = :key`;

/** Runs `write` and records what it changed. */
export async function recordChanges<T>(
  tx: Statements,
  { key, at, hrefs, series }: AffectedEvents,
  write: () => Promise<T>,
): Promise<T> {
  if (hrefs.length === 0 && series.length === 0) return write();
  const feed = await nextOf(tx, OWNER_OF_CALENDAR, { key });
  if (feed === undefined) return write();
  const seriesOfHrefs = await tx.all<{ id: string }>(
    `SELECT DISTINCT series_id AS "id" FROM event
      WHERE calendar_key = :key AND series_id IS NOT NULL AND href ${tx.dialect.oneOf('hrefs')}`,
    { key, hrefs },
  );
  const names = [...new Set([...hrefs, ...series, ...seriesOfHrefs.map(({ id }) => id)])];
  const before = await statesOf(tx, key, names);
  const result = await write();
  const after = await statesOf(tx, key, names);
  for (const [id, state] of after) {
    const earlier = before.get(id);
    if (earlier !== undefined && isSame(earlier, state)) continue;
    await recordChange(tx, { key, id, at, feed, isNew: earlier === undefined, deleted: 0 });
  }
  for (const id of before.keys()) {
    if (!after.has(id)) await recordChange(tx, { key, id, at, feed, isNew: false, deleted: 1 });
  }
  return result;
}

/** Calendars that `chosen` selects by their keys, and which of their events; the values are both texts' parameters. */
type Removed = { readonly chosen: string; readonly which?: string };

/** Call before calendars are deleted with all their events, or with some of them. */
async function recordRemoval(
  tx: Statements,
  { chosen, which = '' }: Removed,
  values: Values & Pick<Feed, 'seq'> & { readonly at: number },
): Promise<void> {
  await tx.all(
    `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, created_seq, deleted, provider,
       account_id, href, noted_at, group_id)
     SELECT DISTINCT e.calendar_key, e.event_id, a.client_id, a.user_id, CAST(:seq AS BIGINT), 0, 1, a.provider,
            a.account_id, c.href, CAST(:at AS BIGINT), COALESCE(g.told_group, a.group_id)
       FROM event e JOIN calendar c ON c.calendar_key = e.calendar_key JOIN account a ON a.account_key = c.account_key
       JOIN account_group g ON g.group_id = a.group_id AND (g.expires_at IS NULL OR g.told_group IS NOT NULL)
      WHERE e.calendar_key IN (${chosen}) AND e.shape IN ('short', 'long', 'series') ${which}
     ON CONFLICT (calendar_key, event_id) DO UPDATE SET seq = excluded.seq, deleted = 1, noted_at = excluded.noted_at,
       group_id = excluded.group_id`,
    values,
  );
}

/**
 * Call before anything else is locked, when an account's list of calendars is replaced. What it answers records the
 * removal of a calendar, or of some of its resources by their hrefs.
 */
export async function calendarRemovalRecorder(tx: Statements, accountKey: string, at: number) {
  const owner = 'SELECT client_id, user_id FROM account WHERE account_key = :accountKey';
  const feed = await nextOf(tx, owner, { accountKey });
  return async (calendarKey: string, hrefs?: readonly string[]): Promise<void> => {
    if (feed === undefined) return;
    const removed = { chosen: 'SELECT CAST(:calendarKey AS TEXT)' };
    const values = { calendarKey, at, seq: feed.seq };
    if (hrefs === undefined) return recordRemoval(tx, removed, values);
    const which = `AND e.href ${tx.dialect.oneOf('hrefs')}`;
    await recordRemoval(tx, { ...removed, which }, { ...values, hrefs });
  };
}

/** Accounts of a user that a grant's group has from now on; `now` is epoch milliseconds. */
export type Arrival = {
  readonly clientId: string;
  readonly userId: string;
  readonly accountKeys: readonly string[];
  readonly now: number;
};

/**
 * Tells of all events of these accounts as created, where somebody follows the user's changes. Call it after their group
 * became the user's own or they joined another: it tells of them to the grants that cover their group as it is then.
 */
export async function recordArrival(
  tx: Statements,
  { clientId, userId, accountKeys, now }: Arrival,
): Promise<void> {
  const owner = 'SELECT CAST(:clientId AS TEXT), CAST(:userId AS TEXT)';
  const feed = await nextOf(tx, owner, { clientId, userId });
  if (feed === undefined) return;
  // What they had and is gone belongs to their group as well.
  await tx.all(
    `UPDATE event_change SET group_id =
       (SELECT a.group_id FROM calendar c JOIN account a ON a.account_key = c.account_key
         WHERE c.calendar_key = event_change.calendar_key)
      WHERE calendar_key IN (SELECT calendar_key FROM calendar WHERE account_key ${tx.dialect.oneOf('accountKeys')})`,
    { accountKeys },
  );
  await tx.all(
    `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, created_seq, deleted, provider,
       account_id, href, noted_at, group_id)
     SELECT DISTINCT e.calendar_key, e.event_id, a.client_id, a.user_id, CAST(:seq AS BIGINT), CAST(:seq AS BIGINT), 0,
            a.provider, a.account_id, c.href, CAST(:now AS BIGINT), a.group_id
       FROM event e JOIN calendar c ON c.calendar_key = e.calendar_key JOIN account a ON a.account_key = c.account_key
       JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL
      WHERE a.account_key ${tx.dialect.oneOf('accountKeys')} AND a.client_id = :clientId AND a.user_id = :userId
        AND e.shape IN ('short', 'long', 'series')
     ON CONFLICT (calendar_key, event_id) DO UPDATE SET seq = excluded.seq, created_seq = excluded.created_seq,
       deleted = 0, noted_at = excluded.noted_at, group_id = excluded.group_id`,
    { clientId, userId, accountKeys, now, seq: feed.seq },
  );
}

/** Call before anything else is locked, when accounts of a user are deleted. `chosen` selects their keys. */
export async function recordAccountRemoval(
  tx: Statements,
  chosen: string,
  values: Values & { readonly now: number },
): Promise<void> {
  const { clientId = null, userId = null, now } = values;
  const owner = 'SELECT CAST(:clientId AS TEXT), CAST(:userId AS TEXT)';
  const feed = await nextOf(tx, owner, { clientId, userId });
  if (feed === undefined) return;
  const calendars = `SELECT calendar_key FROM calendar WHERE account_key IN (${chosen})`;
  await recordRemoval(tx, { chosen: calendars }, { ...values, at: now, seq: feed.seq });
}

/** What answers show of a single event or a series. */
type EventState = { readonly content: string; readonly etags: string; readonly hasEtags: boolean };
type Row = {
  id: string;
  seriesId: string | null;
  shape: string;
  content: string;
  timing: string | null;
  original: string | null;
  originalDigest: string | null;
  startsAt: number;
  endsAt: number;
  etag: string | null;
};

/** The states of the single events and series with these hrefs or ids, by id. */
async function statesOf(
  tx: Statements,
  key: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, EventState>> {
  const oneOfNames = tx.dialect.oneOf('names');
  const rows = await tx.all<Row>(
    `SELECT event_id AS "id", series_id AS "seriesId", shape, content, timing, original,
            original_digest AS "originalDigest", starts_at AS "startsAt", ends_at AS "endsAt", etag
       FROM event
      WHERE calendar_key = :key AND shape <> 'hidden' AND (href ${oneOfNames} OR series_id ${oneOfNames})
      ORDER BY href, recurrence_id`,
    { key, names },
  );
  const rootOf = ({ id, shape, seriesId }: Row) =>
    shape === 'series' || shape === 'override' ? (seriesId ?? id) : id;
  const members = [...Map.groupBy(rows, rootOf)];
  return new Map(members.map(([id, rowsOfIt]) => [id, stateOf(rowsOfIt)]));
}

const stateOf = (rows: readonly Row[]): EventState => ({
  content: JSON.stringify(
    rows.map(({ content, timing, original, originalDigest, startsAt, endsAt }) => [
      content,
      timing,
      original,
      originalDigest,
      startsAt,
      endsAt,
    ]),
  ),
  etags: JSON.stringify(rows.map(({ etag }) => etag)),
  hasEtags: rows.every(({ etag }) => etag !== null),
});

/** An etag may have been deleted only to list the calendar again. That is no new version. */
const isSame = (before: EventState, after: EventState): boolean =>
  before.content === after.content && (before.etags === after.etags || !before.hasEtags);

type RecordedChange = {
  readonly key: string;
  readonly id: string;
  readonly at: number;
  readonly feed: Feed;
  readonly isNew: boolean;
  readonly deleted: 0 | 1;
};

async function recordChange(
  tx: Statements,
  { key, id, at, feed, isNew, deleted }: RecordedChange,
): Promise<void> {
  const { clientId, userId, seq } = feed;
  await tx.all(
    `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, created_seq, deleted, provider,
       account_id, href, noted_at, group_id)
     SELECT c.calendar_key, CAST(:id AS TEXT), CAST(:clientId AS TEXT), CAST(:userId AS TEXT), CAST(:seq AS BIGINT),
            CAST(:createdSeq AS BIGINT), CAST(:deleted AS BIGINT), a.provider, a.account_id, c.href, CAST(:at AS BIGINT),
            a.group_id
       FROM calendar c JOIN account a ON a.account_key = c.account_key
       JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL
      WHERE c.calendar_key = :key
     ON CONFLICT (calendar_key, event_id) DO UPDATE SET seq = excluded.seq, deleted = excluded.deleted,
       created_seq = CASE WHEN excluded.created_seq > 0 THEN excluded.created_seq ELSE event_change.created_seq END,
       noted_at = excluded.noted_at, group_id = excluded.group_id`,
    { key, id, clientId, userId, seq, createdSeq: isNew ? seq : 0, deleted, at },
  );
}
