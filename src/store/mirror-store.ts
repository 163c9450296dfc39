/** MirrorStore in SQL; held to test/contract/mirror-store.contract.ts on both databases. */
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { MirroredCalendar, MirrorStore } from '../sync/mirror-store.ts';
import type { Database } from './drivers/database.ts';
import {
  applyChanges,
  dropUnlisted,
  HELD_CALENDAR,
  HELD_LIST,
  optional,
  replaceCalendars,
} from './mirror-writes.ts';

type CalendarRow = {
  calendar_key: string;
  account_key: string;
  href: string;
  title: string;
  description: string | null;
  color: string | null;
  time_zone: string;
  access: 'write' | 'read';
  is_primary: number;
  original: string;
  sync_token: string | null;
  synced_at: number | null;
  failed_at: number | null;
  sync_error: string | null;
};
type ListRow = { listed_at: number | null; list_failed_at: number | null; list_error: string | null };

const CALENDAR = `calendar_key, account_key, href, title, description, color, time_zone, access, is_primary, original,
  sync_token, synced_at, failed_at, sync_error`;
type Lists = Pick<MirrorStore, 'findList' | 'leaseList' | 'replaceCalendars' | 'failList'>;

export function mirrorStore(db: Database): MirrorStore {
  return { ...listsOf(db), ...calendarsOf(db) };
}

function listsOf(db: Database): Lists {
  return {
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
  };
}

function calendarsOf(db: Database): Omit<MirrorStore, keyof Lists> {
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

    dropUnlisted(lease, hrefs, until) {
      return db.transaction((tx) => dropUnlisted(tx, lease, { hrefs, until }, db.dialect.oneOf));
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

    async releaseCalendar({ key, holder }) {
      await db.write(
        `UPDATE calendar SET lease_holder = NULL WHERE ${HELD_CALENDAR} RETURNING calendar_key`,
        { key, holder },
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
    ...(row.is_primary === 1 ? { primary: true } : {}),
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
