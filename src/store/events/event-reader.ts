/** EventReader in SQL; held to test/contract/event-reader.contract.ts on both databases. */
import { type EventMembers, INSTANCE_MEMBERS } from '../../calendars/mirrored-event.ts';
import { byBytes } from '../../lib/compared-text.ts';
import { LONGEST_SHORT } from '../../lib/recurrence/place-of.ts';
import {
  type RenderedMembers,
  type RenderedObject,
  renderObject,
  withoutMembers,
} from '../../lib/rendered-json.ts';
import type {
  EventContent,
  EventReader,
  RowName,
  SingleEvent,
  WholeReader,
  WholeSeries,
} from '../../reading/event-reader.ts';
import type { BatchStatement, Database, Dialect } from '../drivers/database.ts';
import { coveredAccounts, hasOriginal, originalColumn, originalOrEmpty } from './covered-accounts.ts';
import { eventPieces, hasTerms, termValues } from './event-pieces.ts';

type SeriesRow = RowName & {
  calendarKey: string;
  id: string;
  content: RenderedMembers<EventMembers>;
  timing: string;
  /** Set for a master, and for an override that is a separate resource. */
  original: RenderedObject | undefined;
  hasOriginal: number;
  etag: string | undefined;
  matches?: number;
};

export function eventReader(db: Database): EventReader {
  return { ...coveredAccounts(db), ...wholeEvents(db), ...eventPieces(db) };
}

function wholeEvents(db: Database): WholeReader {
  const listing = singlesTexts(db.dialect, '');
  const searching = singlesTexts(db.dialect, `AND ${hasTerms('search_text')}`);
  const series = seriesText(db.dialect, { matches: '1', condition: '' });
  const searched = seriesText(db.dialect, {
    matches: `CASE WHEN ${hasTerms('e.search_text')} THEN 1 ELSE 0 END`,
    condition: ANY_HAS_TERMS,
  });
  const byId = byIdTexts(db.dialect);

  return {
    async singleEvents(keys, { window: { start, end }, after, limit, search = [], originals = true }) {
      const which = after === undefined ? 'first' : 'next';
      const position = after && { atStart: after.startsAt, atKey: after.calendarKey, atId: after.id };
      const { ordered, unordered } = search.length === 0 ? listing : searching;
      const values = {
        keys,
        start,
        end,
        earliest: start - LONGEST_SHORT,
        originals: originals ? 1 : 0,
        ...position,
        ...termValues(search),
      };
      // Sorting in the database takes twice as long, since it moves the contents. If all events fit into the page, as
      // they usually do, the result is sorted here.
      const events = await db.all<SingleEvent>(unordered[which], { ...values, limit: limit + 1 });
      if (events.length <= limit) return events.sort(byPosition);
      return db.all<SingleEvent>(ordered[which], { ...values, limit });
    },

    async eventsById(keys, ids) {
      const selection = { keys, ids, originals: 1 };
      const singles = await db.all<SingleEvent>(byId.singles, selection);
      // An id belongs to one event: if each is a single event's, there are no series to look for.
      const singleIds = new Set(singles.map(({ id }) => id));
      const areSingle = keys.length === 1 && ids.every((id) => singleIds.has(id));
      const rows = areSingle ? [] : await db.all<SeriesRow>(byId.series, selection);
      return { singles: singles.sort(byPosition), series: groupSeries(rows) };
    },

    async eventsToTell(calendarKey, ids) {
      const each = await Promise.all(
        ids.map((id) =>
          db.batchAll<SingleEvent>(TOLD_SINGLE, { name: `${calendarKey} ${id}`, calendarKey, id }),
        ),
      );
      const others = ids.filter((_, i) => each[i]?.length === 0);
      const values = { keys: [calendarKey], ids: others, originals: 0 };
      const rows = others.length === 0 ? [] : await db.all<SeriesRow>(byId.series, values);
      return { singles: each.flat(), series: groupSeries(rows) };
    },

    async seriesIn(keys, { window: { start, end }, search = [], originals = true }) {
      const text = search.length === 0 ? series : searched;
      const values = { keys, start, end, originals: originals ? 1 : 0, ...termValues(search) };
      return groupSeries(await db.all<SeriesRow>(text, values));
    },
  };
}

const byPosition = (a: SingleEvent, b: SingleEvent): number =>
  a.startsAt - b.startsAt || byBytes(a.calendarKey, b.calendarKey) || byBytes(a.id, b.id);

const ANY_HAS_TERMS = `AND EXISTS (
  SELECT 1 FROM event s WHERE s.calendar_key = m.calendar_key AND s.series_id = m.event_id
     AND s.shape IN ('series', 'override') AND ${hasTerms('s.search_text')})`;

/** Returns the statements without and with a position, sorted by the database or by the caller. */
function singlesTexts(dialect: Dialect, condition: string) {
  const { byBytes: collation } = dialect;
  const next = `${condition} AND starts_at >= :atStart AND (starts_at > :atStart
    OR calendar_key ${collation} > :atKey OR (calendar_key = :atKey AND event_id ${collation} > :atId))`;
  return {
    ordered: { first: orderedSingles(dialect, condition), next: orderedSingles(dialect, next) },
    unordered: { first: unorderedSingles(dialect, condition), next: unorderedSingles(dialect, next) },
  };
}

/** Returns two ranges of one index: short events by a bounded range of starts, and the few long ones by any start. */
function ranges({ oneOf }: Dialect, columns: string, condition: string): string {
  const overlap = 'starts_at < :end AND ends_at > :start';
  return `
    SELECT ${columns} FROM event
     WHERE calendar_key ${oneOf('keys')} AND shape = 'short' AND starts_at >= :earliest AND ${overlap} ${condition}
    UNION ALL
    SELECT ${columns} FROM event
     WHERE calendar_key ${oneOf('keys')} AND shape = 'long' AND ${overlap} ${condition}`;
}

const SINGLE_COLUMNS = `calendar_key, event_id AS id, starts_at, href,
  recurrence_id, content, ${originalOrEmpty()}, etag`;

const unorderedSingles = (dialect: Dialect, condition: string): string =>
  `${ranges(dialect, SINGLE_COLUMNS, condition)} LIMIT :limit`;

/** Sorts the keys of the page first, then joins them with the contents. */
const orderedSingles = (dialect: Dialect, condition: string): string => `
  SELECT p.calendar_key, p.event_id AS id, p.starts_at, p.href,
         p.recurrence_id, e.content, ${originalOrEmpty('e.')}, e.etag
    FROM (SELECT * FROM (${ranges(dialect, 'calendar_key, href, recurrence_id, event_id, starts_at', condition)}) r
           ORDER BY starts_at, calendar_key ${dialect.byBytes}, event_id ${dialect.byBytes} LIMIT :limit) p
    JOIN event e ON e.calendar_key = p.calendar_key AND e.href = p.href AND e.recurrence_id = p.recurrence_id
   ORDER BY p.starts_at, p.calendar_key ${dialect.byBytes}, p.event_id ${dialect.byBytes}`;

const SERIES_COLUMNS = `e.calendar_key, m.event_id AS id, e.href, e.recurrence_id,
         e.content, e.timing, ${originalColumn('e.original', ':originals')}, ${hasOriginal('e.')} AS has_original, e.etag`;

/** Selects the masters that overlap the window, each followed by its overrides. */
const seriesText = (
  { oneOf }: Dialect,
  { matches, condition }: { matches: string; condition: string },
): string => `
  SELECT ${SERIES_COLUMNS}, ${matches} AS matches
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

const TOLD_SINGLE: BatchStatement = {
  columns: { name: 'TEXT', calendarKey: 'TEXT', id: 'TEXT' },
  sql: ({ value, andFrom }) => `
    SELECT ${value('name')} AS name, e.calendar_key, e.event_id AS id, e.starts_at,
           e.href, e.recurrence_id, e.content, NULL AS original, e.etag
      FROM event AS e${andFrom}
     WHERE e.calendar_key = ${value('calendarKey')} AND e.event_id = ${value('id')} AND e.shape IN ('short', 'long')`,
  key: 'name',
  writes: false,
  plan: 'once',
};

/** Groups rows by series. Rows come master by master, its own first: an empty recurrence id sorts before all others. */
function groupSeries(rows: readonly SeriesRow[]): WholeSeries[] {
  const groups: SeriesRow[][] = [];
  for (const row of rows) {
    if (row.recurrenceId === '') groups.push([row]);
    else groups.at(-1)?.push(row);
  }
  return groups.flatMap((group): WholeSeries[] => {
    const [master] = group;
    return master === undefined ? [] : [toWholeSeries(master, group)];
  });
}

function toWholeSeries(master: SeriesRow, group: readonly SeriesRow[]): WholeSeries {
  const rows = group.map((row) => {
    const { original, hasOriginal: has } = row.hasOriginal === 1 ? row : master;
    const stored: EventContent = {
      // A master that came as a single event has these members, and so has an override that is a separate resource.
      content: withoutMembers(row.content, INSTANCE_MEMBERS),
      original: has === 1 ? original : renderObject(),
      etag: row.etag,
    };
    const { href, recurrenceId, timing, matches } = row;
    const size = stored.content.length + (stored.original?.length ?? 0);
    return {
      href,
      recurrenceId,
      timing,
      matches: matches !== 0,
      hasOriginal: row.hasOriginal === 1,
      size,
      stored,
    };
  });
  return { calendarKey: master.calendarKey, id: master.id, rows };
}
