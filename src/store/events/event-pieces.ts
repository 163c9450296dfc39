/** Calendars of any size in SQL, piece by piece; held to test/contract/event-pieces.contract.ts on both databases. */
import { type EventMembers, INSTANCE_MEMBERS } from '../../calendars/mirrored-event.ts';
import { byBytes, MOST_SEARCH_TERMS } from '../../lib/compared-text.ts';
import { LONGEST_SHORT } from '../../lib/recurrence/place-of.ts';
import {
  type RenderedMembers,
  type RenderedObject,
  renderObject,
  withoutMembers,
} from '../../lib/rendered-json.ts';
import {
  type EventContent,
  nameOfRow,
  type PieceReader,
  type RowName,
  type SeriesPlace,
  type SingleName,
} from '../../reading/event-reader.ts';
import type { Database, Dialect } from '../drivers/database.ts';
import { hasOriginal, originalColumn, originalSize } from './covered-accounts.ts';

type TimingRow = RowName & {
  id: string;
  timing: string;
  hasOriginal: number;
  size: number;
  searched: number;
};
type ContentRow = RowName & {
  shape: string;
  content: RenderedMembers<EventMembers>;
  original: RenderedObject | undefined;
  hasOriginal: number;
  etag: string | undefined;
};

export function eventPieces(db: Database): PieceReader {
  const texts = textsFor(db.dialect);
  return {
    async singleNames(calendarKey, { window: { start, end }, after, limit }) {
      const earliest = start - LONGEST_SHORT;
      const values = { calendarKey, start, end, limit, ...behind(calendarKey, after) };
      const short = await db.all<SingleName>(texts.names, {
        ...values,
        shape: 'short',
        earliest: Math.max(earliest, values.atStart),
      });
      const long = await db.all<SingleName>(texts.names, {
        ...values,
        shape: 'long',
        earliest: values.atStart,
      });
      return [...short, ...long]
        .sort((a, b) => a.startsAt - b.startsAt || byBytes(a.id, b.id))
        .slice(0, limit);
    },

    mastersIn(calendarKey, { window: { start, end }, after, limit }) {
      const { startsAt: atStart, id: atId } = after ?? { startsAt: BEFORE_ALL, id: '' };
      return db.all<SeriesPlace>(texts.masters, { calendarKey, start, end, atStart, atId, limit });
    },

    async seriesRows(calendarKey, ids) {
      const rows = await db.all<TimingRow>(texts.series, { calendarKey, ids });
      const groups = Map.groupBy(rows, ({ id }) => id);
      return [...groups].map(([id, group]) => ({
        calendarKey,
        id,
        rows: group.map(({ href, recurrenceId, timing, size, hasOriginal: has }) => {
          const ownSize = has === 1 || recurrenceId === '' ? size : size + (group[0]?.size ?? 0);
          return { href, recurrenceId, timing, matches: true, hasOriginal: has === 1, size: ownSize };
        }),
        searched: group.map(({ searched }) => searched),
      }));
    },

    async matching(calendarKey, rows, search) {
      const matchingRows = await db.all<RowName>(texts.matching, {
        calendarKey,
        ...toNames(rows),
        ...termValues(search),
      });
      return new Set(matchingRows.map(nameOfRow));
    },

    async contentsOf(calendarKey, rows, originals) {
      const values = { calendarKey, ...toNames(rows), originals: originals ? 1 : 0 };
      const contentRows = await db.all<ContentRow>(texts.contents, values);
      return new Map(contentRows.map((row) => [nameOfRow(row), toEventContent(row)]));
    },

    sizesById: (keys, ids) => db.all(texts.sizes, { keys, ids }),
  };
}

const BEFORE_ALL = -1e15;

/** Returns where one calendar continues: it is before the position's calendar, that calendar itself, or after it. */
function behind(
  calendarKey: string,
  after: { startsAt: number; calendarKey: string; id: string } | undefined,
) {
  if (after === undefined) return { atStart: BEFORE_ALL, atId: '' };
  const order = byBytes(calendarKey, after.calendarKey);
  if (order === 0) return { atStart: after.startsAt, atId: after.id };
  // All events of a later calendar at that moment follow, since every id is greater than the empty text.
  return { atStart: order > 0 ? after.startsAt : after.startsAt + 1, atId: '' };
}

const toNames = (rows: readonly RowName[]) => ({
  hrefs: [...new Set(rows.map(({ href }) => href))],
  recurrences: [...new Set(rows.map(({ recurrenceId }) => recurrenceId))],
});

/** If an override has no own object, `original` is undefined: it shows its master's. */
const toEventContent = ({
  shape,
  content,
  original,
  hasOriginal: has,
  etag,
  recurrenceId,
}: ContentRow): EventContent => ({
  content: shape === 'series' || shape === 'override' ? withoutMembers(content, INSTANCE_MEMBERS) : content,
  original: has === 1 || (shape === 'override' && recurrenceId !== '') ? original : renderObject(),
  etag,
});

const SIZE = `octet_length(content) + ${originalSize('original')}`;

function textsFor({ byBytes: collation, oneOf }: Dialect) {
  const condition = `calendar_key = :calendarKey AND href ${oneOf('hrefs')} AND recurrence_id ${oneOf('recurrences')}`;
  const behindPlace = `(starts_at, event_id ${collation}) > (:atStart, :atId)`;
  return {
    // The order is that of the index, so that no more than a page of it is read.
    names: `
      SELECT calendar_key, href, recurrence_id, event_id AS id,
             starts_at, ${SIZE} AS size, octet_length(search_text) AS searched
        FROM event
       WHERE calendar_key = :calendarKey AND shape = :shape AND starts_at >= :earliest AND starts_at < :end
         AND ends_at > :start AND ${behindPlace}
       ORDER BY starts_at, event_id ${collation} LIMIT :limit`,
    masters: `
      SELECT starts_at, event_id AS id FROM event
       WHERE calendar_key = :calendarKey AND shape = 'series' AND starts_at >= :atStart AND starts_at < :end
         AND ends_at > :start AND ${behindPlace}
       ORDER BY starts_at, event_id ${collation} LIMIT :limit`,
    series: `
      SELECT series_id AS id, href, recurrence_id, timing, ${hasOriginal()} AS has_original,
             ${SIZE} AS size, octet_length(search_text) AS searched
        FROM event
       WHERE calendar_key = :calendarKey AND series_id ${oneOf('ids')} AND shape IN ('series', 'override')
       ORDER BY series_id, recurrence_id ${collation}, href ${collation}`,
    matching: `
      SELECT href, recurrence_id FROM event WHERE ${condition} AND ${hasTerms('search_text')}`,
    contents: `
      SELECT href, recurrence_id, shape, content, ${originalColumn('original', ':originals')},
             ${hasOriginal()} AS has_original, etag
        FROM event WHERE ${condition}`,
    sizes: `
      SELECT calendar_key, event_id AS id, SUM(${SIZE}) AS size, COUNT(*) AS rows,
             MAX(${originalSize('original')}) AS original
        FROM event
       WHERE calendar_key ${oneOf('keys')} AND event_id ${oneOf('ids')} AND shape <> 'hidden'
       GROUP BY calendar_key, event_id`,
  };
}

const TERMS = Array.from({ length: MOST_SEARCH_TERMS }, (_, i) => `term${i}`);

/** Returns a condition on all terms. Terms that the search does not have match any text. */
export const hasTerms = (column: string): string =>
  `(${TERMS.map((term) => `${column} LIKE :${term} ESCAPE '!'`).join(' AND ')})`;

/** Returns the values that `hasTerms` names; none for a statement that does not search. */
export const termValues = (search: readonly string[]): Record<string, string> =>
  search.length === 0
    ? {}
    : Object.fromEntries(TERMS.map((term, i) => [term, `%${toLikePattern(search[i] ?? '')}%`]));

/** Returns a pattern for LIKE. An apostrophe matches any character: texts stored earlier have typographic ones. */
const toLikePattern = (term: string): string => term.replace(/[!%_]/g, '!$&').replaceAll("'", '_');
