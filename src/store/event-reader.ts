/** EventReader in SQL; held to test/contract/event-reader.contract.ts on both databases. */

import type { ProviderKind } from '../calendars/provider-kind.ts';
import { byBytes } from '../lib/byte-order.ts';
import type {
  EventContent,
  EventReader,
  MirroredAccount,
  MirroredSeries,
  ReadableCalendar,
  SingleEvent,
} from '../reading/event-reader.ts';
import { MOST_WORDS } from '../reading/search-limit.ts';
import { type HealthRow, healthOf } from './account-rows.ts';
import type { Database } from './drivers/database.ts';
import { LONGEST_SHORT, seriesOf, type Timing } from './event-place.ts';
import { seriesContent } from './event-row.ts';
import { freshnessOf } from './mirror-store.ts';

type AccountRow = HealthRow & {
  account_key: string;
  provider: ProviderKind;
  account_id: string;
  display: string;
  calendar_permission: number | null;
  listed_at: number | null;
  list_failed_at: number | null;
  list_error: string | null;
};
type CalendarRow = {
  calendar_key: string | null;
  href: string;
  title: string;
  description: string | null;
  color: string | null;
  time_zone: string;
  access: 'write' | 'read';
  is_primary: number;
  revision: number;
  original: string;
  synced_at: number | null;
  failed_at: number | null;
  sync_error: string | null;
};
type SeriesRow = {
  calendarKey: string;
  id: string;
  recurrenceId: string;
  content: string;
  timing: string;
  /** With the master, and with an override that is a resource of its own. */
  original: string | null;
  etag: string | null;
  matches?: number;
};

export function eventReader(db: Database): EventReader {
  const { byBytes: collation, oneOf } = db.dialect;
  const keyed = oneOf('keys');
  const textsOf = (found: string) => ({
    ordered: {
      first: orderedSingles(keyed, collation, found),
      next: orderedSingles(keyed, collation, `${found} ${behind(collation)}`),
    },
    unordered: {
      first: unorderedSingles(keyed, found),
      next: unorderedSingles(keyed, `${found} ${behind(collation)}`),
    },
  });
  const listing = textsOf('');
  const searching = textsOf(`AND ${hasWords('search_text')}`);
  const series = seriesRows(keyed, '1', '');
  const searched = seriesRows(
    keyed,
    `CASE WHEN ${hasWords('e.search_text')} THEN 1 ELSE 0 END`,
    ANY_HAS_WORDS,
  );
  const named = namedRows(keyed, oneOf('ids'));

  return {
    async accountsOf(clientId, userId) {
      return accountsOf(await db.all<AccountRow & CalendarRow>(ACCOUNTS, { clientId, userId }));
    },

    async singleEvents(keys, { start, end }, after, limit, search = []) {
      const which = after === undefined ? 'first' : 'next';
      const position = after && { atStart: after.startsAt, atKey: after.calendarKey, atId: after.id };
      const { ordered, unordered } = search.length === 0 ? listing : searching;
      const words = wordsOf(search);
      const values = { keys, start, end, earliest: start - LONGEST_SHORT, ...position, ...words };
      // Sorting in the database doubles the time, for it moves the contents too: where all there is
      // fits into the page, as it mostly does, sorting the answer is all it takes.
      const found = await db.all<SingleEvent>(unordered[which], { ...values, limit: limit + 1 });
      if (found.length <= limit) return found.sort(byPosition);
      return db.all<SingleEvent>(ordered[which], { ...values, limit });
    },

    async eventsNamed(keys, ids) {
      const singles = await db.all<SingleEvent>(named.singles, { keys, ids });
      const found = await db.all<SeriesRow>(named.series, { keys, ids });
      return { singles: singles.sort(byPosition), series: groupSeries(found) };
    },

    async seriesIn(keys, { start, end }, search = []) {
      if (search.length === 0) return groupSeries(await db.all<SeriesRow>(series, { keys, start, end }));
      return groupSeries(await db.all<SeriesRow>(searched, { keys, start, end, ...wordsOf(search) }));
    },
  };
}

function byPosition(a: SingleEvent, b: SingleEvent): number {
  return a.startsAt - b.startsAt || byBytes(a.calendarKey, b.calendarKey) || byBytes(a.id, b.id);
}

const ACCOUNTS = `
  SELECT a.account_key, a.provider, a.account_id, a.display, a.health, a.health_reason, a.health_message, a.health_since,
         a.calendar_permission, a.listed_at, a.list_failed_at, a.list_error,
         c.calendar_key, c.href, c.title, c.description, c.color, c.time_zone, c.access, c.is_primary, c.revision, c.original,
         c.synced_at, c.failed_at, c.sync_error
    FROM account a LEFT JOIN calendar c ON c.account_key = a.account_key
   WHERE a.client_id = :clientId AND a.user_id = :userId
   ORDER BY CASE a.provider WHEN 'google' THEN 0 WHEN 'microsoft' THEN 1 WHEN 'apple' THEN 2 ELSE 3 END,
            a.linked_at, a.account_key, c.position, c.href`;

const WORDS = Array.from({ length: MOST_WORDS }, (_, i) => `word${i}`);

/** Words that are not there are found anywhere. */
const hasWords = (column: string): string =>
  `(${WORDS.map((word) => `${column} LIKE :${word} ESCAPE '!'`).join(' AND ')})`;

const wordsOf = (search: readonly string[]): Record<string, string> =>
  search.length === 0
    ? {}
    : Object.fromEntries(WORDS.map((word, i) => [word, `%${(search[i] ?? '').replace(/[!%_]/g, '!$&')}%`]));

const ANY_HAS_WORDS = `AND EXISTS (
  SELECT 1 FROM event s WHERE s.calendar_key = m.calendar_key AND s.series_id = m.event_id
     AND s.shape IN ('series', 'override') AND ${hasWords('s.search_text')})`;

/** Behind a position: the order of the listing, column by column. */
const behind = (byBytes: string): string => `AND starts_at >= :atStart AND (starts_at > :atStart
  OR calendar_key ${byBytes} > :atKey OR (calendar_key = :atKey AND event_id ${byBytes} > :atId))`;

/** Two ranges of one index: short events by a bounded range of starts, the few long ones by any. */
function ranges(oneOfKeys: string, columns: string, after: string): string {
  const overlap = 'starts_at < :end AND ends_at > :start';
  return `
    SELECT ${columns} FROM event
     WHERE calendar_key ${oneOfKeys} AND shape = 'short' AND starts_at >= :earliest AND ${overlap} ${after}
    UNION ALL
    SELECT ${columns} FROM event
     WHERE calendar_key ${oneOfKeys} AND shape = 'long' AND ${overlap} ${after}`;
}

const unorderedSingles = (oneOfKeys: string, after: string): string => `
  ${ranges(
    oneOfKeys,
    'calendar_key AS "calendarKey", event_id AS "id", starts_at AS "startsAt", content, original, etag',
    after,
  )} LIMIT :limit`;

/** The page's keys are sorted first, and only then joined with what it shows. */
const orderedSingles = (oneOfKeys: string, collation: string, after: string): string => `
  SELECT p.calendar_key AS "calendarKey", p.event_id AS "id", p.starts_at AS "startsAt", e.content, e.original,
         e.etag
    FROM (SELECT * FROM (${ranges(oneOfKeys, 'calendar_key, href, recurrence_id, event_id, starts_at', after)}) r
           ORDER BY starts_at, calendar_key ${collation}, event_id ${collation} LIMIT :limit) p
    JOIN event e ON e.calendar_key = p.calendar_key AND e.href = p.href AND e.recurrence_id = p.recurrence_id
   ORDER BY p.starts_at, p.calendar_key ${collation}, p.event_id ${collation}`;

const SERIES_COLUMNS = `e.calendar_key AS "calendarKey", m.event_id AS "id", e.recurrence_id AS "recurrenceId",
         e.content, e.timing, e.original, e.etag`;

/** The masters that reach into the window, each followed by its overrides. */
const seriesRows = (oneOfKeys: string, matches: string, found: string): string => `
  SELECT ${SERIES_COLUMNS}, ${matches} AS "matches"
    FROM event m JOIN event e ON e.calendar_key = m.calendar_key AND e.series_id = m.event_id
   WHERE m.calendar_key ${oneOfKeys} AND m.shape = 'series' AND m.starts_at < :end AND m.ends_at > :start
     AND e.shape IN ('series', 'override') ${found}
   ORDER BY m.calendar_key, m.event_id, e.recurrence_id, e.href`;

const namedRows = (oneOfKeys: string, oneOfIds: string) => ({
  singles: `
    SELECT calendar_key AS "calendarKey", event_id AS "id", starts_at AS "startsAt", content, original, etag FROM event
     WHERE calendar_key ${oneOfKeys} AND event_id ${oneOfIds} AND shape IN ('short', 'long')`,
  series: `
    SELECT ${SERIES_COLUMNS}
      FROM event m JOIN event e ON e.calendar_key = m.calendar_key AND e.series_id = m.event_id
     WHERE m.calendar_key ${oneOfKeys} AND m.event_id ${oneOfIds} AND m.shape = 'series'
       AND e.shape IN ('series', 'override')
     ORDER BY m.calendar_key, m.event_id, e.recurrence_id, e.href`,
});

/** Rows come master by master, its own first: an empty recurrence id sorts before all others. */
function groupSeries(rows: readonly SeriesRow[]): MirroredSeries[] {
  const groups: { master: SeriesRow; overrides: SeriesRow[] }[] = [];
  for (const row of rows) {
    if (row.recurrenceId === '') groups.push({ master: row, overrides: [] });
    else groups.at(-1)?.overrides.push(row);
  }
  return groups.map(({ master, overrides }) => {
    const contentOf = (row: SeriesRow, timing: Timing): EventContent => ({
      content: seriesContent(row.content),
      allDay: timing.start.type === 'date',
      original: row.original ?? master.original ?? '{}',
      etag: row.etag,
      ...(row.matches === 0 ? { matches: 0 } : {}),
    });
    const own = timingOf(master);
    const timings = overrides.map(timingOf);
    const series = seriesOf(own, timings, (i) => contentOf(overrides[i] ?? master, timings[i] ?? own));
    return { calendarKey: master.calendarKey, id: master.id, series };
  });
}

/** Written by event-row.ts in this shape. */
const timingOf = (row: SeriesRow): Timing => JSON.parse(row.timing);

function accountsOf(rows: readonly (AccountRow & CalendarRow)[]): MirroredAccount[] {
  const found = new Map<string, { account: MirroredAccount; calendars: ReadableCalendar[] }>();
  for (const row of rows) {
    let entry = found.get(row.account_key);
    if (entry === undefined) {
      const calendars: ReadableCalendar[] = [];
      entry = { account: accountOf(row, calendars), calendars };
      found.set(row.account_key, entry);
    }
    if (row.calendar_key !== null) entry.calendars.push(calendarOf(row, row.calendar_key));
  }
  return [...found.values()].map(({ account }) => account);
}

const accountOf = (row: AccountRow, calendars: readonly ReadableCalendar[]): MirroredAccount => ({
  accountKey: row.account_key,
  provider: row.provider,
  accountId: row.account_id,
  display: row.display,
  health: healthOf(row),
  calendarPermission: row.calendar_permission === null ? undefined : row.calendar_permission === 1,
  ...freshnessOf(row.listed_at, row.list_failed_at, row.list_error),
  calendars,
});

const calendarOf = (row: CalendarRow, calendarKey: string): ReadableCalendar => ({
  calendarKey,
  href: row.href,
  title: row.title,
  description: row.description ?? undefined,
  color: row.color ?? undefined,
  timeZone: row.time_zone,
  access: row.access,
  primary: row.is_primary === 1,
  revision: row.revision,
  original: row.original,
  ...freshnessOf(row.synced_at, row.failed_at, row.sync_error),
});
