/** MirrorStore in SQL; held to test/contract/mirror-store.contract.ts on both databases. */
import type { SyncFailure } from '../calendars/sync-failure.ts';
import type { RenderedObject } from '../lib/rendered-json.ts';
import type { MirroredCalendar, MirrorStore } from '../sync/mirror-store.ts';
import type { Database } from './drivers/database.ts';
import { optional } from './event-row.ts';
import { applyChanges, dropUnlisted, HELD_CALENDAR, HELD_LIST, replaceCalendars } from './mirror-writes.ts';

export type CalendarRow = FreshnessRow & {
  calendarKey: string;
  href: string;
  title: string;
  description: string | null;
  color: string | null;
  timeZone: string;
  access: 'write' | 'read';
  isPrimary: number;
  original: RenderedObject;
  bytes: number;
  /** JSON of LeftOutEvents. */
  tooComplex: string | null;
};
type SyncRow = CalendarRow & { accountKey: string; syncToken: string | null };
type FreshnessRow = { syncedAt: number | null; failedAt: number | null; failure: string | null };

/** The columns of a CalendarRow; not ambiguous beside those of an account. */
export const CALENDAR_COLUMNS = `calendar_key AS "calendarKey", href, title, description, color, time_zone AS "timeZone",
  access, is_primary AS "isPrimary", original, bytes, too_complex AS "tooComplex", synced_at AS "syncedAt", failed_at AS "failedAt", sync_error AS "failure"`;
const CALENDAR = `${CALENDAR_COLUMNS}, account_key AS "accountKey", sync_token AS "syncToken"`;
type Lists = Pick<MirrorStore, 'findList' | 'leaseList' | 'replaceCalendars' | 'failList'>;

export function mirrorStore(db: Database): MirrorStore {
  return { ...listsOf(db), ...calendarsOf(db) };
}

function listsOf(db: Database): Lists {
  return {
    async findList(accountKey) {
      const row = await db.get<FreshnessRow>(
        `SELECT listed_at AS "syncedAt", list_failed_at AS "failedAt", list_error AS "failure" FROM account
          WHERE account_key = :accountKey`,
        { accountKey },
      );
      return row && freshnessOf(row);
    },

    async leaseList({ key, holder }, now, until) {
      const rows = await db.write(
        `UPDATE account SET lease_holder = :holder, lease_until = :until
          WHERE account_key = :key AND (lease_holder IS NULL OR lease_until <= :now)
         RETURNING account_key`,
        { key, holder, now, until },
      );
      return rows.length > 0;
    },

    replaceCalendars(lease, calendars, now) {
      return db.transaction((tx) => replaceCalendars(tx, lease, { calendars, now }));
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
      const rows = await db.all<SyncRow>(
        `SELECT ${CALENDAR} FROM calendar WHERE account_key = :accountKey AND left_out = 0 ORDER BY position, href`,
        { accountKey },
      );
      return rows.map(calendarOf);
    },

    async findCalendar(calendarKey) {
      const row = await db.get<SyncRow>(
        `SELECT ${CALENDAR} FROM calendar WHERE calendar_key = :calendarKey AND left_out = 0`,
        { calendarKey },
      );
      return row && calendarOf(row);
    },

    async leaseCalendar({ key, holder }, now, until) {
      const [row] = await db.write<SyncRow>(
        `UPDATE calendar SET lease_holder = :holder, lease_until = :until
          WHERE calendar_key = :key AND left_out = 0 AND (lease_holder IS NULL OR lease_until <= :now)
         RETURNING ${CALENDAR}`,
        { key, holder, now, until },
      );
      return row && calendarOf(row);
    },

    async storedVersions(calendarKey) {
      const rows = await db.all<{ href: string; etag: string | null }>(
        'SELECT DISTINCT href, etag FROM event WHERE calendar_key = :calendarKey',
        { calendarKey },
      );
      return new Map(rows.map(({ href, etag }) => [href, etag ?? undefined]));
    },

    applyChanges(lease, changes, until) {
      return db.transaction((tx) => applyChanges(tx, lease, { ...changes, until }));
    },

    dropUnlisted(lease, hrefs, until) {
      return db.transaction((tx) => dropUnlisted(tx, lease, { hrefs, until }));
    },

    async finishSync({ key, holder }, token, syncedAt) {
      const rows = await db.write(
        `UPDATE calendar SET sync_token = :token, synced_at = :syncedAt, sync_error = NULL, failed_at = NULL,
                lease_holder = NULL
          WHERE ${HELD_CALENDAR} RETURNING calendar_key`,
        { key, holder, token: optional(token), syncedAt },
      );
      return rows.length > 0;
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

function calendarOf(row: SyncRow): MirroredCalendar {
  const { calendarKey, accountKey, href, title, description, color, timeZone, access } = row;
  return {
    calendarKey,
    accountKey,
    href,
    title,
    ...(description !== null && { description }),
    ...(color !== null && { color }),
    timeZone,
    access,
    ...(row.isPrimary === 1 && { primary: true }),
    original: JSON.parse(row.original),
    syncToken: row.syncToken ?? undefined,
    ...freshnessOf(row),
  };
}

/** How fresh something is; a failure is kept as JSON. */
export function freshnessOf({ syncedAt, failedAt, failure }: FreshnessRow) {
  const parsed: SyncFailure | undefined = failure === null ? undefined : JSON.parse(failure);
  return { syncedAt: syncedAt ?? undefined, failedAt: failedAt ?? undefined, failure: parsed };
}
