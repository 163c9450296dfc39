/**
 * Notes what a transaction changes, for whoever follows the user's changes (change-feed.ts). The user's row is locked
 * first and until the commit, and gives the number: so numbers come in the order of commits, and a reader that has
 * seen one has seen all before. Every transaction locks in the order user, account, calendar.
 */
import type { Dialect, Statements, Values } from './drivers/database.ts';

type Feed = {
  readonly clientId: string;
  readonly userId: string;
  readonly feedId: string | null;
  readonly seq: number;
};

/** What a write can concern: resources by href, and series by their id. */
export type Touched = { readonly hrefs: readonly string[]; readonly series: readonly string[] };

/** Takes the next number of the user that `owner` selects; `undefined` when there is none, or nobody follows. */
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

/** Runs `write` on events of the calendar and notes what it changed. `at`: epoch milliseconds, about now. */
export async function notingEvents<T>(
  tx: Statements,
  { key, at }: { readonly key: string; readonly at: number },
  { hrefs, series }: Touched,
  oneOf: Dialect['oneOf'],
  write: () => Promise<T>,
): Promise<T> {
  if (hrefs.length === 0 && series.length === 0) return write();
  const feed = await nextOf(tx, OWNER_OF_CALENDAR, { key });
  if (feed === undefined) return write();
  const of = await tx.all<{ id: string }>(
    `SELECT DISTINCT series_id AS "id" FROM event
      WHERE calendar_key = :key AND series_id IS NOT NULL AND href ${oneOf('hrefs')}`,
    { key, hrefs },
  );
  const names = [...new Set([...hrefs, ...series, ...of.map(({ id }) => id)])];
  const before = await shownIn(tx, key, names, oneOf);
  const result = await write();
  const after = await shownIn(tx, key, names, oneOf);
  for (const [id, shown] of after) {
    const known = before.get(id);
    if (known !== undefined && isSame(known, shown)) continue;
    await note(tx, { key, id, at, feed, isNew: known === undefined, deleted: 0 });
  }
  for (const id of before.keys()) {
    if (!after.has(id)) await note(tx, { key, id, at, feed, isNew: false, deleted: 1 });
  }
  return result;
}

/** Before calendars go with all their events. `chosen` selects their keys; `values` has its parameters. */
async function noteLeaving(
  tx: Statements,
  feed: Feed | undefined,
  chosen: string,
  values: Values & { readonly at: number },
): Promise<void> {
  if (feed === undefined) return;
  await tx.all(
    `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, created_seq, deleted, provider,
       account_id, href, noted_at)
     SELECT DISTINCT e.calendar_key, e.event_id, a.client_id, a.user_id, CAST(:seq AS BIGINT), 0, 1, a.provider,
            a.account_id, c.href, CAST(:at AS BIGINT)
       FROM event e JOIN calendar c ON c.calendar_key = e.calendar_key JOIN account a ON a.account_key = c.account_key
      WHERE e.calendar_key IN (${chosen}) AND e.shape IN ('short', 'long', 'series')
     ON CONFLICT (calendar_key, event_id) DO UPDATE SET seq = excluded.seq, deleted = 1, noted_at = excluded.noted_at`,
    { ...values, seq: feed.seq },
  );
}

/** To be called before anything else is locked, when an account's list of calendars is replaced. */
export async function listJournal(tx: Statements, accountKey: string, at: number) {
  const owner = 'SELECT client_id, user_id FROM account WHERE account_key = :accountKey';
  const feed = await nextOf(tx, owner, { accountKey });
  return (calendarKey: string): Promise<void> =>
    noteLeaving(tx, feed, 'SELECT CAST(:calendarKey AS TEXT)', { calendarKey, at });
}

/** To be called before anything else is locked, when accounts of a user go; `chosen` selects the accounts' keys. */
export async function noteAccountsLeaving(
  tx: Statements,
  chosen: string,
  values: Values & { readonly now: number },
): Promise<void> {
  const { clientId = null, userId = null, now } = values;
  const owner = 'SELECT CAST(:clientId AS TEXT), CAST(:userId AS TEXT)';
  const feed = await nextOf(tx, owner, { clientId, userId });
  const calendars = `SELECT calendar_key FROM calendar WHERE account_key IN (${chosen})`;
  await noteLeaving(tx, feed, calendars, { ...values, at: now });
}

type Shown = { readonly words: string; readonly etags: string; readonly etagsKnown: boolean };
type Row = {
  id: string;
  content: string;
  timing: string | null;
  original: string | null;
  startsAt: number;
  endsAt: number;
  etag: string | null;
};

/** What answers show of the single events and series among these, by id. */
async function shownIn(
  tx: Statements,
  key: string,
  names: readonly string[],
  oneOf: Dialect['oneOf'],
): Promise<ReadonlyMap<string, Shown>> {
  const rows = await tx.all<Row & { shape: string; seriesId: string | null }>(
    `SELECT event_id AS "id", series_id AS "seriesId", shape, content, timing, original, starts_at AS "startsAt",
            ends_at AS "endsAt", etag
       FROM event
      WHERE calendar_key = :key AND shape <> 'hidden' AND (href ${oneOf('names')} OR series_id ${oneOf('names')})
      ORDER BY href, recurrence_id`,
    { key, names },
  );
  const rootOf = ({ id, shape, seriesId }: (typeof rows)[number]) =>
    shape === 'series' || shape === 'override' ? (seriesId ?? id) : id;
  const shown = new Map<string, Shown>();
  for (const [id, members] of Map.groupBy(rows, rootOf)) {
    shown.set(id, {
      words: JSON.stringify(
        members.map(({ content, timing, original, startsAt, endsAt }) => [
          content,
          timing,
          original,
          startsAt,
          endsAt,
        ]),
      ),
      etags: JSON.stringify(members.map(({ etag }) => etag)),
      etagsKnown: members.every(({ etag }) => etag !== null),
    });
  }
  return shown;
}

/** An etag that was taken away only to have everything listed anew is no other version. */
const isSame = (before: Shown, after: Shown): boolean =>
  before.words === after.words && (before.etags === after.etags || !before.etagsKnown);

type Noted = {
  readonly key: string;
  readonly id: string;
  readonly at: number;
  readonly feed: Feed;
  readonly isNew: boolean;
  readonly deleted: 0 | 1;
};

async function note(tx: Statements, { key, id, at, feed, isNew, deleted }: Noted): Promise<void> {
  const { clientId, userId, seq } = feed;
  await tx.all(
    `INSERT INTO event_change (calendar_key, event_id, client_id, user_id, seq, created_seq, deleted, provider,
       account_id, href, noted_at)
     SELECT c.calendar_key, CAST(:id AS TEXT), CAST(:clientId AS TEXT), CAST(:userId AS TEXT), CAST(:seq AS BIGINT),
            CAST(:createdSeq AS BIGINT), CAST(:deleted AS BIGINT), a.provider, a.account_id, c.href, CAST(:at AS BIGINT)
       FROM calendar c JOIN account a ON a.account_key = c.account_key WHERE c.calendar_key = :key
     ON CONFLICT (calendar_key, event_id) DO UPDATE SET seq = excluded.seq, deleted = excluded.deleted,
       created_seq = CASE WHEN excluded.created_seq > 0 THEN excluded.created_seq ELSE event_change.created_seq END,
       noted_at = excluded.noted_at`,
    { key, id, clientId, userId, seq, createdSeq: isNew ? seq : 0, deleted, at },
  );
}
