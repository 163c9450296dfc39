/** MirrorStore in SQL; held to test/contract/mirror-store.contract.ts on both databases. */
import { randomBytes } from 'node:crypto';

import type { ProviderCalendar } from '../calendars/calendar.ts';
import type { EventResource } from '../calendars/event.ts';
import type { SyncFailure } from '../calendars/sync-failure.ts';
import { ianaZone } from '../lib/recurrence/zone.ts';
import type { MirroredCalendar, MirrorStore, SyncLease } from '../sync/mirror-store.ts';
import type { Database, Dialect, Statements, Value } from './database.ts';
import { type EventRow, rowsOf, storable } from './event-row.ts';

type CalendarRow = {
  calendar_key: string;
  account_key: string;
  href: string;
  title: string;
  description: string | null;
  color: string | null;
  time_zone: string;
  access: 'write' | 'read';
  original: string;
  sync_token: string | null;
  synced_at: number | null;
  failed_at: number | null;
  sync_error: string | null;
};
type ListRow = { listed_at: number | null; list_failed_at: number | null; list_error: string | null };

const CALENDAR = `calendar_key, account_key, href, title, description, color, time_zone, access, original,
  sync_token, synced_at, failed_at, sync_error`;
/** The guard of every write: nobody else has taken over the lease, and what it is for still exists. */
const HELD_CALENDAR = 'calendar_key = :key AND lease_holder = :holder';
const HELD_LIST = 'account_key = :key AND lease_holder = :holder';
/** Rows in one statement; those left over go one by one, so that the texts of statements stay few. */
const ROWS_PER_INSERT = 20;

export function mirrorStore(db: Database): MirrorStore {
  return {
    async listCalendars(accountKey) {
      const rows = await db.all<CalendarRow>(
        `SELECT ${CALENDAR} FROM calendar WHERE account_key = :accountKey ORDER BY position, href`,
        { accountKey },
      );
      return rows.map(calendarOf);
    },

    async findCalendar(calendarKey) {
      const row = await db.get<CalendarRow>(
        `SELECT ${CALENDAR} FROM calendar WHERE calendar_key = :calendarKey`,
        { calendarKey },
      );
      return row && calendarOf(row);
    },

    async findList(accountKey) {
      const row = await db.get<ListRow>(
        'SELECT listed_at, list_failed_at, list_error FROM account WHERE account_key = :accountKey',
        { accountKey },
      );
      return row && freshnessOf(row.listed_at, row.list_failed_at, row.list_error);
    },

    async leaseList({ key, holder }, now, until) {
      const won = await db.write(
        `UPDATE account SET lease_holder = :holder, lease_until = :until
          WHERE account_key = :key AND (lease_holder IS NULL OR lease_until <= :now)
         RETURNING account_key`,
        { key, holder, now, until },
      );
      return won.length > 0;
    },

    replaceCalendars(lease, calendars, now) {
      return db.transaction((tx) => replaceCalendars(tx, lease, calendars, now));
    },

    async failList({ key, holder }, failure, now) {
      await db.write(
        `UPDATE account SET list_error = :failure, list_failed_at = :now, lease_holder = NULL
          WHERE ${HELD_LIST} RETURNING account_key`,
        { key, holder, failure: JSON.stringify(failure), now },
      );
    },

    async leaseCalendar({ key, holder }, now, until) {
      const [row] = await db.write<CalendarRow>(
        `UPDATE calendar SET lease_holder = :holder, lease_until = :until
          WHERE calendar_key = :key AND (lease_holder IS NULL OR lease_until <= :now)
         RETURNING ${CALENDAR}`,
        { key, holder, now, until },
      );
      return row && calendarOf(row);
    },

    async knownResources(calendarKey) {
      const rows = await db.all<{ href: string; etag: string | null }>(
        'SELECT DISTINCT href, etag FROM event WHERE calendar_key = :calendarKey',
        { calendarKey },
      );
      return new Map(rows.map(({ href, etag }) => [href, etag ?? undefined]));
    },

    applyChanges(lease, changed, removed, until) {
      return db.transaction((tx) => applyChanges(tx, lease, { changed, removed, until }, db.dialect.oneOf));
    },

    async finishSync({ key, holder }, token, syncedAt) {
      const done = await db.write(
        `UPDATE calendar SET sync_token = :token, synced_at = :syncedAt, sync_error = NULL, failed_at = NULL,
                lease_holder = NULL
          WHERE ${HELD_CALENDAR} RETURNING calendar_key`,
        { key, holder, token: optional(token), syncedAt },
      );
      return done.length > 0;
    },

    async failSync({ key, holder }, failure, now) {
      await db.write(
        `UPDATE calendar SET sync_error = :failure, failed_at = :now, lease_holder = NULL
          WHERE ${HELD_CALENDAR} RETURNING calendar_key`,
        { key, holder, failure: JSON.stringify(failure), now },
      );
    },

    async forgetSyncToken({ key, holder }) {
      await db.write(`UPDATE calendar SET sync_token = NULL WHERE ${HELD_CALENDAR} RETURNING calendar_key`, {
        key,
        holder,
      });
    },
  };
}

async function replaceCalendars(
  tx: Statements,
  { key, holder }: SyncLease,
  calendars: readonly ProviderCalendar[],
  now: number,
): Promise<boolean> {
  const held = await tx.all(
    `UPDATE account SET listed_at = :now, list_error = NULL, list_failed_at = NULL, lease_holder = NULL
      WHERE ${HELD_LIST} RETURNING account_key`,
    { key, holder, now },
  );
  if (held.length === 0) return false;

  const hrefs = new Set(calendars.map(({ href }) => storable(href)));
  const known = await tx.all<{ calendar_key: string; href: string }>(
    'SELECT calendar_key, href FROM calendar WHERE account_key = :key',
    { key },
  );
  for (const { calendar_key: gone } of known.filter(({ href }) => !hrefs.has(href))) {
    await tx.all("DELETE FROM job WHERE kind = 'sync-calendar' AND key = :gone", { gone });
    await tx.all('DELETE FROM calendar WHERE calendar_key = :gone', { gone });
  }
  for (const [position, calendar] of calendars.entries()) await putCalendar(tx, key, calendar, position);
  return true;
}

async function putCalendar(
  tx: Statements,
  accountKey: string,
  calendar: ProviderCalendar,
  position: number,
): Promise<void> {
  // A zone nobody knows would fail every read of the calendar.
  const timeZone = ianaZone(calendar.timeZone) ?? 'UTC';
  const values = { accountKey, href: storable(calendar.href), timeZone };
  // Floating times are indexed by the instants the old zone gave them: without an etag every resource
  // counts as changed, whatever way the adapter compares.
  await tx.all(
    `UPDATE event SET etag = NULL WHERE calendar_key =
       (SELECT calendar_key FROM calendar
         WHERE account_key = :accountKey AND href = :href AND time_zone <> :timeZone)`,
    values,
  );
  await tx.all(
    `INSERT INTO calendar (calendar_key, account_key, href, position, title, description, color, time_zone,
       access, original)
     VALUES (:calendarKey, :accountKey, :href, :position, :title, :description, :color, :timeZone,
       :access, :original)
     ON CONFLICT (account_key, href) DO UPDATE SET
       position = excluded.position, title = excluded.title, description = excluded.description,
       color = excluded.color, access = excluded.access, original = excluded.original,
       sync_token = CASE WHEN calendar.time_zone = excluded.time_zone THEN calendar.sync_token END,
       synced_at = CASE WHEN calendar.time_zone = excluded.time_zone THEN calendar.synced_at
                        WHEN calendar.synced_at IS NOT NULL THEN 0 END,
       time_zone = excluded.time_zone
     RETURNING calendar_key`,
    {
      ...values,
      calendarKey: randomBytes(12).toString('base64url'),
      position,
      title: storable(calendar.title),
      description: optional(calendar.description),
      color: optional(calendar.color),
      access: calendar.access,
      original: JSON.stringify(calendar.original),
    },
  );
}

const optional = (text: string | undefined) => (text === undefined ? null : storable(text));

type Part = { changed: readonly EventResource[]; removed: readonly string[]; until: number };

async function applyChanges(
  tx: Statements,
  { key, holder }: SyncLease,
  { changed, removed, until }: Part,
  oneOf: Dialect['oneOf'],
): Promise<boolean> {
  // Locks the calendar's row: whoever wants to take over the lease waits for this transaction.
  const [held] = await tx.all<{ time_zone: string }>(
    `UPDATE calendar SET lease_until = :until WHERE ${HELD_CALENDAR} RETURNING time_zone`,
    { key, holder, until },
  );
  if (held === undefined) return false;

  const hrefs = [...removed, ...changed.map(({ href }) => href)].map(storable);
  await tx.all(`DELETE FROM event WHERE calendar_key = :key AND href ${oneOf('hrefs')}`, { key, hrefs });
  const rows = changed.flatMap((resource) => rowsOf(resource, held.time_zone));
  await insertRows(tx, key, rows);
  return true;
}

async function insertRows(tx: Statements, key: string, rows: readonly EventRow[]): Promise<void> {
  for (let at = 0; at < rows.length; ) {
    const size = rows.length - at >= ROWS_PER_INSERT ? ROWS_PER_INSERT : 1;
    const chunk = rows.slice(at, at + size);
    const values: Record<string, Value> = { key };
    const tuples = chunk.map((row, i) => {
      for (const [name, value] of Object.entries(row)) values[`${name}${i}`] = value;
      return `(:key, ${COLUMNS.map((column) => `:${column}${i}`)})`;
    });
    await tx.all(`INSERT INTO event (calendar_key, ${COLUMNS}) VALUES ${tuples}`, values);
    at += size;
  }
}

/** The columns of an EventRow, under its own names. */
const COLUMNS: readonly (keyof EventRow)[] = [
  'href',
  'recurrence_id',
  'event_id',
  'series_id',
  'shape',
  'starts_at',
  'ends_at',
  'etag',
  'uid',
  'content',
  'timing',
  'original',
];

function calendarOf(row: CalendarRow): MirroredCalendar {
  return {
    calendarKey: row.calendar_key,
    accountKey: row.account_key,
    href: row.href,
    title: row.title,
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.color === null ? {} : { color: row.color }),
    timeZone: row.time_zone,
    access: row.access,
    original: JSON.parse(row.original),
    syncToken: row.sync_token ?? undefined,
    ...freshnessOf(row.synced_at, row.failed_at, row.sync_error),
  };
}

/** How fresh something is, from its columns; a failure is kept as JSON. */
export function freshnessOf(syncedAt: number | null, failedAt: number | null, failure: string | null) {
  const kept: SyncFailure | undefined = failure === null ? undefined : JSON.parse(failure);
  return { syncedAt: syncedAt ?? undefined, failedAt: failedAt ?? undefined, failure: kept };
}
