/**
 * Series whose overrides are separate resources. These arrive in any order, with or without their master. After every
 * write, their rows get the positions that they would have in one resource, so that readers need not distinguish them.
 */
import type { Timing } from '../../calendars/mirrored-event.ts';
import { computePlaces, isSeries, type Place } from '../../lib/recurrence/place-of.ts';
import type { Statements } from '../drivers/database.ts';
import type { EventRow } from './event-row.ts';

/** Condition for overrides that are stored apart from their master. Rows of a whole resource have its own id. */
const APART = 'series_id IS NOT NULL AND event_id <> series_id';

/** The result of a write in a calendar, as far as it can concern series. Texts are as stored. */
export type SeriesWrite = {
  readonly key: string;
  readonly calendarZone: string;
  /** The events and masters that were written or deleted, by href. */
  readonly masters: readonly string[];
  readonly series: readonly string[];
  readonly deleted: readonly DeletedRow[];
};

/** The columns that a DELETE returns: `RETURNING ${DELETED}`. */
export type DeletedRow = Pick<EventRow, 'href' | 'eventId' | 'bytes'> & {
  readonly seriesId: string | undefined;
};
export const DELETED = 'href, event_id, series_id, bytes';

/** Deletes the separately stored overrides of these series. `masters` has the hrefs of their masters. */
export async function deleteApart(
  tx: Statements,
  key: string,
  masters: readonly string[],
): Promise<DeletedRow[]> {
  if (masters.length === 0) return [];
  return tx.all(
    `DELETE FROM event WHERE calendar_key = :key AND series_id ${tx.dialect.oneOf('masters')} AND ${APART}
     RETURNING ${DELETED}`,
    { key, masters },
  );
}

type Row = Place &
  Omit<DeletedRow, 'bytes'> & { readonly recurrenceId: string; readonly timing: string | undefined };

const COLUMNS = `href, recurrence_id, event_id, series_id, shape, starts_at, ends_at, timing`;

/** Updates the position of every row of the series that a write concerned. */
export async function placeSeries(tx: Statements, write: SeriesWrite): Promise<void> {
  const { key, calendarZone, series, deleted } = write;
  const deletedOverrides = deleted.filter(({ eventId, seriesId }) => seriesId !== eventId);
  const ids = [
    ...series,
    ...deletedOverrides.map(({ seriesId }) => seriesId),
    ...(await withOverridesApart(tx, write)),
  ];
  const touched = [...new Set(ids)].filter((id) => id !== undefined);
  if (touched.length === 0) return;
  const oneOfTouched = tx.dialect.oneOf('touched');
  const rows = await tx.all<Row>(
    `SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND href ${oneOfTouched} AND recurrence_id = ''
     UNION
     SELECT ${COLUMNS} FROM event WHERE calendar_key = :key AND series_id ${oneOfTouched}`,
    { key, touched },
  );
  const seriesOfRow = ({ href, recurrenceId, seriesId }: Row) => (recurrenceId === '' ? href : seriesId);
  for (const members of Map.groupBy(rows, seriesOfRow).values()) {
    for (const row of rowsToMove(members, calendarZone)) await moveRow(tx, key, row);
  }
}

async function withOverridesApart(tx: Statements, { key, masters }: SeriesWrite): Promise<string[]> {
  if (masters.length === 0) return [];
  const rows = await tx.all<{ seriesId: string }>(
    `SELECT DISTINCT series_id FROM event
      WHERE calendar_key = :key AND series_id ${tx.dialect.oneOf('masters')} AND ${APART}`,
    { key, masters },
  );
  return rows.map(({ seriesId }) => seriesId);
}

/** Returns the rows of a series whose position changes, with new values. Rows without timing have no position. */
function rowsToMove(rows: readonly Row[], calendarZone: string): Row[] {
  const timed = rows.filter(({ timing }) => timing !== undefined);
  // Written by event-row.ts.
  const timings: Timing[] = timed.map(({ timing }) => JSON.parse(timing ?? ''));
  const places = computePlaces(timings, calendarZone);
  const ofMaster = (row: Row) => (isSeries(timings) ? row.eventId : undefined);
  return timed.flatMap((row, i) => {
    const seriesId = row.recurrenceId === '' ? ofMaster(row) : row.seriesId;
    const to = { ...row, ...places[i], seriesId };
    const isThere =
      to.shape === row.shape &&
      to.startsAt === row.startsAt &&
      to.endsAt === row.endsAt &&
      seriesId === row.seriesId;
    return isThere ? [] : [to];
  });
}

async function moveRow(tx: Statements, key: string, row: Row): Promise<void> {
  const { href, recurrenceId, shape, startsAt, endsAt, seriesId } = row;
  await tx.change(
    `UPDATE event SET shape = :shape, starts_at = :startsAt, ends_at = :endsAt, series_id = :seriesId
      WHERE calendar_key = :key AND href = :href AND recurrence_id = :recurrenceId`,
    { key, href, recurrenceId, shape, startsAt, endsAt, seriesId: seriesId ?? null },
  );
}
