/** EventReader in SQL; held to test/contract/event-reader.contract.ts on both databases. */
import {
  type EventMembers,
  INSTANCE_MEMBERS,
  type LeftOutEvents,
  type Timing,
} from '../calendars/mirrored-event.ts';
import type { ProviderKind } from '../calendars/provider-kind.ts';
import { byBytes } from '../lib/byte-order.ts';
import { LONGEST_SHORT, seriesOf } from '../lib/recurrence/place-of.ts';
import {
  type RenderedMembers,
  type RenderedObject,
  renderObject,
  withoutMembers,
} from '../lib/rendered-json.ts';
import { MOST_SEARCH_TERMS } from '../lib/search-text.ts';
import type { Scope } from '../oauth/scope.ts';
import type {
  EventContent,
  EventReader,
  MirroredAccount,
  MirroredSeries,
  ReadableCalendar,
  SingleEvent,
} from '../reading/event-reader.ts';
import { HEALTH_COLUMNS, type HealthRow, healthOf } from './account-rows.ts';
import type { Database, Dialect } from './drivers/database.ts';
import { CALENDAR_COLUMNS, type CalendarRow, freshnessOf } from './mirror-store.ts';
import { providerOrder } from './provider-order.ts';

type AccountRow = HealthRow & {
  accountKey: string;
  identity: string | null;
  scope: Scope;
  provider: ProviderKind;
  accountId: string;
  display: string;
  calendarPermission: number | null;
  listedAt: number | null;
  listFailedAt: number | null;
  listFailure: string | null;
};
/** The calendar's columns are null for an account without calendars. */
type Row = AccountRow & Omit<CalendarRow, 'calendarKey'> & { calendarKey: string | null; revision: number };
type SeriesRow = {
  calendarKey: string;
  id: string;
  recurrenceId: string;
  content: RenderedMembers<EventMembers>;
  timing: string;
  /** With the master, and with an override that is a resource of its own. */
  original: RenderedObject | null;
  etag: string | null;
  matches?: number;
};

export function eventReader(db: Database): EventReader {
  const listing = singlesTexts(db.dialect, '');
  const searching = singlesTexts(db.dialect, `AND ${hasTerms('search_text')}`);
  const series = seriesText(db.dialect, { matches: '1', condition: '' });
  const searched = seriesText(db.dialect, {
    matches: `CASE WHEN ${hasTerms('e.search_text')} THEN 1 ELSE 0 END`,
    condition: ANY_HAS_TERMS,
  });
  const byId = byIdTexts(db.dialect);

  return {
    async accountsOf({ clientId, userId, scope, coverageId }) {
      const reader = { clientId, userId, scope };
      const rows =
        coverageId === undefined
          ? db.all<Row>(ACCOUNTS_OF_ALL_GRANTS, reader)
          : db.all<Row>(ACCOUNTS_OF_GRANT, { ...reader, coverageId });
      return accountsOf(await rows);
    },

    async singleEvents(keys, { window: { start, end }, after, limit, search = [] }) {
      const which = after === undefined ? 'first' : 'next';
      const position = after && { atStart: after.startsAt, atKey: after.calendarKey, atId: after.id };
      const { ordered, unordered } = search.length === 0 ? listing : searching;
      const values = {
        keys,
        start,
        end,
        earliest: start - LONGEST_SHORT,
        ...position,
        ...termValues(search),
      };
      // Sorting in the database doubles the time, for it moves the contents too: where all there is
      // fits into the page, as it mostly does, sorting the answer is all it takes.
      const events = await db.all<SingleEvent>(unordered[which], { ...values, limit: limit + 1 });
      if (events.length <= limit) return events.sort(byPosition);
      return db.all<SingleEvent>(ordered[which], { ...values, limit });
    },

    async eventsById(keys, ids) {
      const singles = await db.all<SingleEvent>(byId.singles, { keys, ids });
      const rows = await db.all<SeriesRow>(byId.series, { keys, ids });
      return { singles: singles.sort(byPosition), series: groupSeries(rows) };
    },

    async seriesIn(keys, { start, end }, search = []) {
      const text = search.length === 0 ? series : searched;
      return groupSeries(await db.all<SeriesRow>(text, { keys, start, end, ...termValues(search) }));
    },
  };
}

function byPosition(a: SingleEvent, b: SingleEvent): number {
  return a.startsAt - b.startsAt || byBytes(a.calendarKey, b.calendarKey) || byBytes(a.id, b.id);
}

const accountsText = (covered: string, scope: string): string => `
  SELECT a.account_key AS "accountKey", identity, ${scope} AS "scope", provider, account_id AS "accountId", display,
         ${HEALTH_COLUMNS}, calendar_permission AS "calendarPermission", listed_at AS "listedAt",
         list_failed_at AS "listFailedAt", list_error AS "listFailure", ${CALENDAR_COLUMNS}, revision
    FROM ${covered} JOIN account_group g ON g.group_id = v.group_id AND g.expires_at IS NULL
    JOIN account a ON a.group_id = v.group_id AND a.client_id = :clientId AND a.user_id = :userId
    LEFT JOIN calendar c ON c.account_key = a.account_key AND c.left_out = 0
   ORDER BY ${providerOrder('a.provider')}, a.linked_at, a.account_key, c.position, c.href`;

/** The narrower of the grant's scope and that at which it covers the group. */
const NARROWER_SCOPE = `CASE WHEN CAST(:scope AS TEXT) = 'free-busy' OR v.scope = 'free-busy' THEN 'free-busy'
              WHEN CAST(:scope AS TEXT) = 'read' OR v.scope = 'read' THEN 'read' ELSE 'read-write' END`;
const ACCOUNTS_OF_GRANT = accountsText(
  '(SELECT group_id, scope FROM grant_coverage WHERE coverage_id = :coverageId) v',
  NARROWER_SCOPE,
);
const ACCOUNTS_OF_ALL_GRANTS = accountsText(
  `(SELECT DISTINCT o.group_id FROM token_family f JOIN grant_coverage o ON o.coverage_id = f.coverage_id
     WHERE f.client_id = :clientId AND f.user_id = :userId AND f.ended_at IS NULL) v`,
  'CAST(:scope AS TEXT)',
);

const TERMS = Array.from({ length: MOST_SEARCH_TERMS }, (_, i) => `term${i}`);

/** Matches any text for terms that the search does not have. */
const hasTerms = (column: string): string =>
  `(${TERMS.map((term) => `${column} LIKE :${term} ESCAPE '!'`).join(' AND ')})`;

const termValues = (search: readonly string[]): Record<string, string> =>
  search.length === 0
    ? {}
    : Object.fromEntries(TERMS.map((term, i) => [term, `%${(search[i] ?? '').replace(/[!%_]/g, '!$&')}%`]));

const ANY_HAS_TERMS = `AND EXISTS (
  SELECT 1 FROM event s WHERE s.calendar_key = m.calendar_key AND s.series_id = m.event_id
     AND s.shape IN ('series', 'override') AND ${hasTerms('s.search_text')})`;

/** Without a position and behind one; sorted by the database, or by whoever asks. */
function singlesTexts(dialect: Dialect, condition: string) {
  const { byBytes: collation } = dialect;
  const next = `${condition} AND starts_at >= :atStart AND (starts_at > :atStart
    OR calendar_key ${collation} > :atKey OR (calendar_key = :atKey AND event_id ${collation} > :atId))`;
  return {
    ordered: { first: orderedSingles(dialect, condition), next: orderedSingles(dialect, next) },
    unordered: { first: unorderedSingles(dialect, condition), next: unorderedSingles(dialect, next) },
  };
}

/** Two ranges of one index: short events by a bounded range of starts, the few long ones by any. */
function ranges({ oneOf }: Dialect, columns: string, condition: string): string {
  const overlap = 'starts_at < :end AND ends_at > :start';
  return `
    SELECT ${columns} FROM event
     WHERE calendar_key ${oneOf('keys')} AND shape = 'short' AND starts_at >= :earliest AND ${overlap} ${condition}
    UNION ALL
    SELECT ${columns} FROM event
     WHERE calendar_key ${oneOf('keys')} AND shape = 'long' AND ${overlap} ${condition}`;
}

const SINGLE_COLUMNS =
  'calendar_key AS "calendarKey", event_id AS "id", starts_at AS "startsAt", content, original, etag';

const unorderedSingles = (dialect: Dialect, condition: string): string =>
  `${ranges(dialect, SINGLE_COLUMNS, condition)} LIMIT :limit`;

/** The page's keys are sorted first, and only then joined with what it shows. */
const orderedSingles = (dialect: Dialect, condition: string): string => `
  SELECT p.calendar_key AS "calendarKey", p.event_id AS "id", p.starts_at AS "startsAt", e.content, e.original,
         e.etag
    FROM (SELECT * FROM (${ranges(dialect, 'calendar_key, href, recurrence_id, event_id, starts_at', condition)}) r
           ORDER BY starts_at, calendar_key ${dialect.byBytes}, event_id ${dialect.byBytes} LIMIT :limit) p
    JOIN event e ON e.calendar_key = p.calendar_key AND e.href = p.href AND e.recurrence_id = p.recurrence_id
   ORDER BY p.starts_at, p.calendar_key ${dialect.byBytes}, p.event_id ${dialect.byBytes}`;

const SERIES_COLUMNS = `e.calendar_key AS "calendarKey", m.event_id AS "id", e.recurrence_id AS "recurrenceId",
         e.content, e.timing, e.original, e.etag`;

/** The masters that reach into the window, each followed by its overrides. */
const seriesText = (
  { oneOf }: Dialect,
  { matches, condition }: { matches: string; condition: string },
): string => `
  SELECT ${SERIES_COLUMNS}, ${matches} AS "matches"
    FROM event m JOIN event e ON e.calendar_key = m.calendar_key AND e.series_id = m.event_id
   WHERE m.calendar_key ${oneOf('keys')} AND m.shape = 'series' AND m.starts_at < :end AND m.ends_at > :start
     AND e.shape IN ('series', 'override') ${condition}
   ORDER BY m.calendar_key, m.event_id, e.recurrence_id, e.href`;

const byIdTexts = ({ oneOf }: Dialect) => ({
  singles: `
    SELECT ${SINGLE_COLUMNS} FROM event
     WHERE calendar_key ${oneOf('keys')} AND event_id ${oneOf('ids')} AND shape IN ('short', 'long')`,
  series: `
    SELECT ${SERIES_COLUMNS}
      FROM event m JOIN event e ON e.calendar_key = m.calendar_key AND e.series_id = m.event_id
     WHERE m.calendar_key ${oneOf('keys')} AND m.event_id ${oneOf('ids')} AND m.shape = 'series'
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
      // A master that came as a single event has them, and so has an override that is a resource of its own.
      content: withoutMembers(row.content, INSTANCE_MEMBERS),
      allDay: timing.start.type === 'date',
      original: row.original ?? master.original ?? renderObject(),
      etag: row.etag,
      ...(row.matches === 0 ? { matches: 0 } : {}),
    });
    const timing = timingOf(master);
    const timings = overrides.map(timingOf);
    const series = seriesOf(timing, timings, (i) => contentOf(overrides[i] ?? master, timings[i] ?? timing));
    return { calendarKey: master.calendarKey, id: master.id, series };
  });
}

/** Written by event-row.ts in this shape. */
const timingOf = (row: SeriesRow): Timing => JSON.parse(row.timing);

function accountsOf(rows: readonly Row[]): MirroredAccount[] {
  const byAccount = Map.groupBy(rows, ({ accountKey }) => accountKey);
  const accounts = [...byAccount.values()];
  const firsts = accounts.flatMap((ofAccount) => ofAccount.slice(0, 1));
  return accounts.flatMap((ofAccount) =>
    ofAccount
      .slice(0, 1)
      .filter((row) => isBestOfTwins(row, firsts))
      .map((row) => accountOf(row, ofAccount.flatMap(calendarsOf))),
  );
}

/** Several covered groups can have one account: what allows most is read, then what works, then what was there first. */
function isBestOfTwins(row: Row, accounts: readonly Row[]): boolean {
  if (row.identity === null) return true;
  const twins = accounts.filter(
    ({ provider, identity }) => provider === row.provider && identity === row.identity,
  );
  // In the order of their names each scope allows more than the one before.
  const rank = ({ scope, health }: Row) => `${scope.padEnd(10)} ${health === 'reauth_required' ? 0 : 1}`;
  return twins.reduce((best, twin) => (rank(twin) > rank(best) ? twin : best)) === row;
}

const accountOf = (row: AccountRow, calendars: readonly ReadableCalendar[]): MirroredAccount => ({
  accountKey: row.accountKey,
  scope: row.scope,
  provider: row.provider,
  accountId: row.accountId,
  display: row.display,
  health: healthOf(row),
  calendarPermission: row.calendarPermission === null ? undefined : row.calendarPermission === 1,
  ...freshnessOf({ syncedAt: row.listedAt, failedAt: row.listFailedAt, failure: row.listFailure }),
  calendars,
});

/** None in the row of an account without calendars. */
function calendarsOf(row: Row): ReadableCalendar[] {
  const {
    calendarKey,
    href,
    title,
    description,
    color,
    timeZone,
    access,
    revision,
    original,
    bytes,
    tooComplex,
  } = row;
  if (calendarKey === null) return [];
  const details = { href, title, description: description ?? undefined, color: color ?? undefined };
  const rest = { timeZone, access, primary: row.isPrimary === 1, revision, original, bytes };
  // Written by mirror-writes.ts in this shape.
  const left: LeftOutEvents | undefined = tooComplex === null ? undefined : JSON.parse(tooComplex);
  return [{ calendarKey, ...details, ...rest, tooComplex: left, ...freshnessOf(row) }];
}
