/**
 * Series whose overrides are resources of their own: they come one by one, in any order, with or without
 * their master. After every write the rows of such a series are placed as if it had come whole, so that
 * reading does not tell the two kinds apart.
 */
import type { Dialect, Statements } from './drivers/database.ts';
import { overridePlace, type Place, seriesPlace, singlePlace, type Timing } from './event-place.ts';

/** Of a row: it is an override kept apart from its master. A whole resource gives its own id to all its rows. */
const APART = 'series_id IS NOT NULL AND event_id <> series_id';

/** The calendar whose rows are placed, and the zone of its floating times. */
export type PlacedCalendar = { readonly key: string; readonly calendarZone: string };

/** What a write did, as far as it can concern series: text as it is stored. */
export type Written = {
  /** The events and masters written or gone, by href. */
  readonly masters: readonly string[];
  /** The series whose overrides were written. */
  readonly series: readonly string[];
  readonly deleted: readonly DeletedRow[];
};

/** What a DELETE has to answer: `RETURNING ${DELETED}`. */
export type DeletedRow = { readonly eventId: string; readonly seriesId: string | null };
export const DELETED = 'event_id AS "eventId", series_id AS "seriesId"';

/** Deletes the overrides that are resources of their own of these series, named by the masters' hrefs. */
export async function deleteApart(
  tx: Statements,
  key: string,
  masters: readonly string[],
  oneOf: Dialect['oneOf'],
): Promise<void> {
  if (masters.length === 0) return;
  await tx.all(`DELETE FROM event WHERE calendar_key = :key AND series_id ${oneOf('masters')} AND ${APART}`, {
    key,
    masters,
  });
}

type Row = Place & {
  readonly href: string;
  readonly recurrenceId: string;
  readonly eventId: string;
  readonly seriesId: string | null;
  readonly timing: string | null;
};

const COLUMNS = `href, recurrence_id AS "recurrenceId", event_id AS "eventId", series_id AS "seriesId", shape,
  starts_at, ends_at, timing`;

/** Places the rows of every series that a write concerned anew where that changes anything. */
export async function placeSeries(
  tx: Statements,
  { key, calendarZone }: PlacedCalendar,
  { masters, series, deleted }: Written,
  oneOf: Dialect['oneOf'],
): Promise<void> {
  const lost = deleted
    .filter(({ eventId, seriesId }) => seriesId !== eventId)
    .map(({ seriesId }) => seriesId);
  const met = await withOverridesApart(tx, key, masters, oneOf);
  const touched = [...new Set([...series, ...lost, ...met])].filter((id) => id !== null);
  if (touched.length === 0) return;
  const rows = await tx.all<Row>(
    `SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND href ${oneOf('touched')} AND recurrence_id = ''
     UNION
     SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND series_id ${oneOf('touched')}`,
    { key, touched },
  );
  const seriesOfRow = ({ href, recurrenceId, seriesId }: Row) => (recurrenceId === '' ? href : seriesId);
  for (const members of Map.groupBy(rows, seriesOfRow).values()) {
    const master = members.find(({ recurrenceId }) => recurrenceId === '');
    const overrides = members.filter(({ recurrenceId }) => recurrenceId !== '');
    for (const placed of placesOf(master, overrides, calendarZone)) await place(tx, key, placed);
  }
}

/** Which of these masters have overrides that are resources of their own. */
async function withOverridesApart(
  tx: Statements,
  key: string,
  masters: readonly string[],
  oneOf: Dialect['oneOf'],
): Promise<string[]> {
  if (masters.length === 0) return [];
  const rows = await tx.all<{ seriesId: string }>(
    `SELECT DISTINCT series_id AS "seriesId" FROM event
      WHERE calendar_key = :key AND series_id ${oneOf('masters')} AND ${APART}`,
    { key, masters },
  );
  return rows.map(({ seriesId }) => seriesId);
}

type Placed = { readonly row: Row; readonly place: Place; readonly seriesId: string | null };

function placesOf(master: Row | undefined, overrides: readonly Row[], calendarZone: string): Placed[] {
  const own = timingOf(master);
  const timed = overrides.flatMap((row) => {
    const timing = timingOf(row);
    return timing === undefined ? [] : [{ row, timing, seriesId: row.seriesId }];
  });
  if (master === undefined || own === undefined)
    return timed.map(({ timing, ...rest }) => ({ ...rest, place: singlePlace(timing, calendarZone) }));

  const isSingle = own.recurrence === undefined && timed.length === 0;
  const timings = timed.map(({ timing }) => timing);
  return [
    {
      row: master,
      place: isSingle ? singlePlace(own, calendarZone) : seriesPlace(own, timings, calendarZone),
      seriesId: isSingle ? null : master.eventId,
    },
    ...timed.map(({ timing, ...rest }) => ({ ...rest, place: overridePlace(timing, own, calendarZone) })),
  ];
}

/** Written by event-row.ts in this shape; a resource without events has none. */
function timingOf(row: Row | undefined): Timing | undefined {
  return row === undefined || row.timing === null ? undefined : JSON.parse(row.timing);
}

async function place(tx: Statements, key: string, { row, place: to, seriesId }: Placed): Promise<void> {
  const { href, recurrenceId, shape, starts_at, ends_at } = row;
  const isThere = to.shape === shape && to.starts_at === starts_at && to.ends_at === ends_at;
  if (isThere && seriesId === row.seriesId) return;
  await tx.all(
    `UPDATE event SET shape = :shape, starts_at = :starts_at, ends_at = :ends_at, series_id = :seriesId
      WHERE calendar_key = :key AND href = :href AND recurrence_id = :recurrenceId`,
    { key, href, recurrenceId, ...to, seriesId },
  );
}
