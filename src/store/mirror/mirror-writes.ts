/** Writes a sync's results into the mirror in one transaction each, for mirror-store.ts. */
import { randomBytes } from 'node:crypto';
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { leftOutEvents } from '../../calendars/left-out-message.ts';
import { LONGEST_ORIGINAL, type MirroredChanges } from '../../calendars/mirrored-event.ts';
import type { StorageQuotas } from '../../calendars/too-large-error.ts';
import { renderObject } from '../../lib/rendered-json.ts';
import { storable } from '../../lib/storable-text.ts';
import type { SyncLease } from '../../sync/mirror-store.ts';
import { KNOWN_CALENDARS, type KnownCalendar, noteCalendars } from '../changes/calendar-notes.ts';
import { calendarRemovalRecorder, firstSyncRecorder, recordChanges } from '../changes/change-journal.ts';
import { calendarNoter } from '../changes/user-notes.ts';
import type { Statements, Value } from '../drivers/database.ts';
import { endStreams } from '../webhooks/webhook-settling.ts';
import {
  ENDS_SYNC,
  LISTED_AGAIN,
  noteCurrent,
  VERSION_COLUMNS,
  VERSION_PARAMETERS,
  versionValues,
  WRITES_EVENTS,
} from './calendar-versions.ts';
import { checkName, type EventRow, leftOutRow, optional, toEventRows } from './event-row.ts';
import { countGrowth } from './mirror-quotas.ts';
import { DELETED, type DeletedRow, deleteApart, placeSeries } from './series-rows.ts';
import { chooseCalendarZone } from './zone-change.ts';

/** The guard of every write: the lease is still held, and its calendar still exists. */
export const HELD_CALENDAR = 'calendar_key = :key AND lease_holder = :holder';
export const HELD_LIST = 'account_key = :key AND lease_holder = :holder';
/** Rows in one statement. The rest are inserted one by one, so that there are few different statements. */
const ROWS_PER_INSERT = 20;

/** See MirrorStore.replaceCalendars. */
export async function replaceCalendars(
  tx: Statements,
  { key, holder }: SyncLease,
  { calendars, now }: { readonly calendars: readonly ProviderCalendar[]; readonly now: number },
): Promise<boolean> {
  const recordRemoval = await calendarRemovalRecorder(tx, key, now);
  const isFirst =
    (await tx.get('SELECT 1 FROM account WHERE account_key = :key AND listed_at IS NULL', { key })) !==
    undefined;
  const note = await calendarNoter(tx, key, now);
  const changed = await tx.change(
    `UPDATE account SET listed_at = :now, list_error = NULL, list_failed_at = NULL, lease_holder = NULL,
            unfinished_syncs = 0
      WHERE ${HELD_LIST}`,
    { key, holder, now },
  );
  if (changed === 0) return false;

  const hrefs = new Set(calendars.map(({ href }) => storable(href)));
  const before = await tx.all<KnownCalendar>(KNOWN_CALENDARS, { key });
  for (const { calendarKey: gone } of before.filter(({ href }) => !hrefs.has(href))) {
    await tx.change("DELETE FROM job WHERE kind = 'sync-calendar' AND key = :gone", { gone });
    await recordRemoval(gone);
    await endStreams(tx, gone, { now, reason: 'The calendar was deleted' });
    await tx.change('DELETE FROM calendar WHERE calendar_key = :gone', { gone });
  }
  for (const [position, calendar] of calendars.entries()) await putCalendar(tx, calendar, { key, position });
  await noteCurrent(tx, key, now);
  // The first list of an account is reported by the first sync of each of its calendars.
  if (!isFirst) await noteCalendars(tx, { key, before, note });
  return true;
}

async function putCalendar(
  tx: Statements,
  calendar: ProviderCalendar,
  { key: accountKey, position }: { readonly key: string; readonly position: number },
): Promise<void> {
  checkName(calendar.href);
  const timeZone = chooseCalendarZone(calendar);
  const values = { accountKey, href: storable(calendar.href), timeZone };
  // See zone-change.ts. A sync that still renders for the old zone loses the lease.
  await tx.change(
    `UPDATE event SET etag = NULL WHERE etag IS NOT NULL AND calendar_key =
       (SELECT calendar_key FROM calendar
         WHERE account_key = :accountKey AND href = :href AND time_zone <> :timeZone)`,
    values,
  );
  await tx.change(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, description, color, time_zone,
       access, is_primary, original, ${VERSION_COLUMNS}, left_out)
     SELECT CAST(:calendarKey AS TEXT), account_key, CAST(:href AS TEXT), CAST(:position AS BIGINT),
            CAST(:title AS TEXT), CAST(:description AS TEXT), CAST(:color AS TEXT), CAST(:timeZone AS TEXT),
            CAST(:access AS TEXT), CAST(:isPrimary AS BIGINT), CAST(:original AS TEXT),
            ${VERSION_PARAMETERS}, only_chosen
       FROM account WHERE account_key = :accountKey
     ON CONFLICT (account_key, href) DO UPDATE SET
       position = excluded.position, title = excluded.title, description = excluded.description,
       color = excluded.color, access = excluded.access, is_primary = excluded.is_primary,
       original = excluded.original, ${LISTED_AGAIN},
       sync_token = CASE WHEN calendar.time_zone = excluded.time_zone THEN calendar.sync_token END,
       synced_at = CASE WHEN calendar.time_zone = excluded.time_zone THEN calendar.synced_at
                        WHEN calendar.synced_at IS NOT NULL THEN 0 END,
       lease_holder = CASE WHEN calendar.time_zone = excluded.time_zone THEN calendar.lease_holder END,
       time_zone = excluded.time_zone`,
    {
      ...values,
      ...versionValues(calendar),
      calendarKey: randomBytes(12).toString('base64url'),
      position,
      title: storable(calendar.title),
      description: optional(calendar.description),
      color: optional(calendar.color),
      access: calendar.access,
      isPrimary: Number(calendar.primary === true),
      original: keptOriginal(renderObject(calendar.original)),
    },
  );
}

/** Returns `text`, or an empty text if the object is too long to be returned to applications. */
const keptOriginal = (text: string): string => (Buffer.byteLength(text) <= LONGEST_ORIGINAL ? text : '');

/** The time when an extended lease ends, in epoch milliseconds, and the quotas of events. */
type WriteTerms = { readonly until: number; readonly quotas: StorageQuotas };

/** See MirrorStore.applyChanges. */
export function applyChanges(
  tx: Statements,
  lease: SyncLease,
  { changed, leftOut, removed, own = false, progress, until, quotas }: MirroredChanges & WriteTerms,
): Promise<boolean> {
  const { key } = lease;
  const deletedHrefs = removed.map(storable);
  const hrefs = [...deletedHrefs, ...[...changed, ...leftOut].map(({ href }) => storable(href))];
  const series = changed.flatMap(({ seriesId }) => (seriesId === undefined ? [] : storable(seriesId)));
  // The lease ends soon after the change, so its end is close enough as the time of the change.
  return recordChanges(tx, { key, at: until, own, hrefs, series }, async () => {
    const calendarZone = await extendLease(tx, lease, { until, writes: hrefs.length > 0, progress });
    if (calendarZone === undefined) return false;
    const deleted = await deleteResources(tx, key, hrefs);
    const apart = await deleteApart(tx, key, deletedHrefs);
    const rows = [...changed.flatMap(toEventRows), ...leftOut.map(leftOutRow)];
    await insertRows(tx, key, rows);
    const growth = measureGrowth([...deleted, ...apart], rows);
    await countGrowth(tx, { key, ...growth }, quotas);
    const masters = changed
      .filter(({ seriesId }) => seriesId === undefined)
      .map(({ href }) => storable(href));
    await placeSeries(tx, { key, calendarZone, masters, series, deleted });
    return true;
  });
}

/** See MirrorStore.dropUnlisted. */
export function dropUnlisted(
  tx: Statements,
  lease: SyncLease,
  { hrefs, until, quotas }: { readonly hrefs: readonly string[] } & WriteTerms,
): Promise<boolean> {
  const { key } = lease;
  const unlisted = hrefs.map(storable);
  return recordChanges(tx, { key, at: until, own: false, hrefs: unlisted, series: [] }, async () => {
    const calendarZone = await extendLease(tx, lease, { until, writes: unlisted.length > 0 });
    if (calendarZone === undefined) return false;
    const deleted = await deleteResources(tx, key, unlisted);
    await countGrowth(tx, { key, ...measureGrowth(deleted, []) }, quotas);
    await placeSeries(tx, { key, calendarZone, masters: unlisted, series: [], deleted });
    return true;
  });
}

/** See MirrorStore.finishSync. */
export async function finishSync(
  tx: Statements,
  { key, holder }: SyncLease,
  { token, syncedAt }: { readonly token: string | undefined; readonly syncedAt: number },
): Promise<boolean> {
  const stored = await tx.get<{ syncedAt: number | undefined }>(
    `SELECT synced_at FROM calendar WHERE ${HELD_CALENDAR}`,
    { key, holder },
  );
  const noteFirstSync =
    stored !== undefined && stored.syncedAt === undefined ? await firstSyncRecorder(tx, key) : undefined;
  const calendar = await tx.get<{ title: string }>(
    `UPDATE calendar SET sync_token = :token, synced_at = :syncedAt, sync_error = NULL, failed_at = NULL,
            too_complex = NULL, unreadable = NULL, unfinished_syncs = 0, lease_holder = NULL, ${ENDS_SYNC}
      WHERE ${HELD_CALENDAR} RETURNING title`,
    { key, holder, token: optional(token), syncedAt },
  );
  if (calendar === undefined) return false;
  await noteFirstSync?.();
  for (const kind of ['too_complex', 'unreadable'] as const) {
    const rows = await tx.all<{
      readonly href: string;
      readonly eventId: string;
      readonly reason: string;
      readonly count: number;
    }>(LEFT_OUT[kind], { key });
    const count = rows[0]?.count;
    if (count === undefined) continue;
    const events = leftOutEvents(rows, { kind, title: calendar.title, count });
    await tx.change(KEEP_LEFT_OUT[kind], { key, events: JSON.stringify(events) });
  }
  return true;
}

/**
 * Selects the first left-out resources and their number. CalDAV resources that are partly present have their address as
 * the name, and feed resources their UID, since their `href` is a digest.
 */
const leftOutText = (reason: 'too_complex' | 'unreadable'): string => `
  SELECT href, MAX(CASE WHEN uid = '' THEN event_id WHEN href LIKE '/%' THEN '' ELSE uid END) AS event_id,
         MAX(${reason}) AS reason, COUNT(*) OVER () AS count
    FROM event WHERE calendar_key = :key AND ${reason} IS NOT NULL GROUP BY href ORDER BY href LIMIT 10`;
const LEFT_OUT = { too_complex: leftOutText('too_complex'), unreadable: leftOutText('unreadable') };
const KEEP_LEFT_OUT = {
  too_complex: 'UPDATE calendar SET too_complex = :events WHERE calendar_key = :key',
  unreadable: 'UPDATE calendar SET unreadable = :events WHERE calendar_key = :key',
};

type Sized = { readonly href: string; readonly bytes: number };

/** Counts resources and bytes. A resource is deleted with its last row. */
function measureGrowth(deleted: readonly Sized[], inserted: readonly Sized[]) {
  const sum = (rows: readonly Sized[]) => rows.reduce((total, { bytes }) => total + bytes, 0);
  const count = (rows: readonly Sized[]) => new Set(rows.map(({ href }) => href)).size;
  return { events: count(inserted) - count(deleted), bytes: sum(inserted) - sum(deleted) };
}

/**
 * Extends the lease, notes the progress if there is one, and returns the calendar's zone; `undefined` if the lease is
 * lost. Locks the calendar's row: a process that takes over the lease waits for this transaction.
 */
async function extendLease(
  tx: Statements,
  { key, holder }: SyncLease,
  { until, writes, progress }: LeaseExtension,
): Promise<string | undefined> {
  const sets = (writes ? `, ${WRITES_EVENTS}` : '') + (progress ? `, ${NOTES_PROGRESS}` : '');
  const calendar = await tx.get<{ timeZone: string }>(
    `UPDATE calendar SET lease_until = :until${sets} WHERE ${HELD_CALENDAR} RETURNING time_zone`,
    { key, holder, until, ...(progress && { read: progress.read, expected: progress.expected ?? null }) },
  );
  return calendar?.timeZone;
}

type LeaseExtension = Pick<MirroredChanges, 'progress'> &
  Pick<WriteTerms, 'until'> & { readonly writes: boolean };
const NOTES_PROGRESS = 'sync_read = :read, sync_expected = :expected';

function deleteResources(tx: Statements, key: string, hrefs: readonly string[]): Promise<DeletedRow[]> {
  const { oneOf } = tx.dialect;
  return tx.all(
    `DELETE FROM event WHERE calendar_key = :key AND href ${oneOf('hrefs')} RETURNING ${DELETED}`,
    { key, hrefs },
  );
}

async function insertRows(tx: Statements, key: string, rows: readonly EventRow[]): Promise<void> {
  for (let at = 0; at < rows.length; ) {
    const size = rows.length - at >= ROWS_PER_INSERT ? ROWS_PER_INSERT : 1;
    const chunk = rows.slice(at, at + size);
    const values: Record<string, Value> = { key };
    const tuples = chunk.map((row, i) => {
      for (const name of MEMBERS) values[`${name}${i}`] = row[name];
      return `(:key, ${MEMBERS.map((name) => `:${name}${i}`)})`;
    });
    await tx.change(`INSERT INTO event (calendar_key, ${Object.values(COLUMNS)}) VALUES ${tuples}`, values);
    at += size;
  }
}

const COLUMNS = {
  href: 'href',
  recurrenceId: 'recurrence_id',
  eventId: 'event_id',
  seriesId: 'series_id',
  shape: 'shape',
  startsAt: 'starts_at',
  endsAt: 'ends_at',
  etag: 'etag',
  uid: 'uid',
  content: 'content',
  searchText: 'search_text',
  timing: 'timing',
  original: 'original',
  originalDigest: 'original_digest',
  tooComplex: 'too_complex',
  unreadable: 'unreadable',
  bytes: 'bytes',
} as const satisfies Record<keyof EventRow, string>;
// Guaranteed by the type of COLUMNS.
const MEMBERS = Object.keys(COLUMNS) as (keyof EventRow)[];
