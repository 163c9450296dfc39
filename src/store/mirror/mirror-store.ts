/** MirrorStore in SQL; held to test/contract/mirror-store.contract.ts on both databases. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SyncFailure } from '../../calendars/sync-failure.ts';
import type { StorageQuotas } from '../../calendars/too-large-error.ts';
import type { RenderedObject } from '../../lib/rendered-json.ts';
import { storable } from '../../lib/storable-text.ts';
import type {
  ListEnds,
  MirroredCalendar,
  MirroredEvents,
  MirroredLists,
  MirrorStore,
  SyncEnds,
} from '../../sync/mirror-store.ts';
import type { KnownCalendar } from '../changes/calendar-notes.ts';
import type { Database, Dialect } from '../drivers/database.ts';
import { emptyLargeCalendars } from './calendar-removal.ts';
import { BEGINS_SYNC } from './calendar-versions.ts';
import { NO_QUOTAS } from './mirror-quotas.ts';
import {
  applyChanges,
  dropUnlisted,
  finishSync,
  HELD_CALENDAR,
  HELD_LIST,
  replaceCalendars,
} from './mirror-writes.ts';
import { forgetVersions } from './zone-change.ts';

export type CalendarRow = FreshnessRow &
  KnownCalendar & {
    isPrimary: number;
    original: RenderedObject;
    bytes: number;
    /** JSON of LeftOutEvents. */
    tooComplex: string | undefined;
    unreadable: string | undefined;
  };
type SyncRow = CalendarRow & { accountKey: string; syncToken: string | undefined };
type FreshnessRow = {
  syncedAt: number | undefined;
  failedAt: number | undefined;
  failure: string | undefined;
};

/** The columns of a CalendarRow, unambiguous in a join with `account`. */
export const CALENDAR_COLUMNS = `calendar_key, href, title, description, color, time_zone,
  access, is_primary, original, bytes, too_complex, unreadable, synced_at, failed_at, sync_error AS failure`;
const CALENDAR = `${CALENDAR_COLUMNS}, account_key, sync_token`;
const FREE = 'calendar_key = :key AND left_out = 0 AND (lease_holder IS NULL OR lease_until <= :now)';

/** Limits stored events by `quotas`. Calls `changed` after changes of events were committed. */
export const mirrorStore = (
  db: Database,
  quotas: StorageQuotas = NO_QUOTAS,
  changed: () => void = () => {},
): MirrorStore => ({
  ...mirroredLists(db),
  ...listEnds(db),
  ...mirroredEvents(db, quotas, changed),
  ...syncEnds(db),
});

const mirroredLists = (db: Database): MirroredLists => ({
  async findList(accountKey) {
    const row = await db.get<FreshnessRow>(
      `SELECT listed_at AS synced_at, list_failed_at AS failed_at, list_error AS failure FROM account
        WHERE account_key = :accountKey`,
      { accountKey },
    );
    return row && toFreshness(row);
  },

  async leaseList({ key, holder }, now, until) {
    const [row] = await db.write<{ unfinished: number }>(
      `UPDATE account SET lease_holder = :holder, lease_until = :until, unfinished_syncs = unfinished_syncs + 1
        WHERE account_key = :key AND (lease_holder IS NULL OR lease_until <= :now)
       RETURNING unfinished_syncs AS unfinished`,
      { key, holder, now, until },
    );
    return row?.unfinished;
  },

  async replaceCalendars(lease, calendars, now) {
    const hrefs = calendars.map(({ href }) => storable(href));
    await emptyLargeCalendars(db, { chosen: unlisted(db.dialect), values: { ...lease, hrefs } }, now);
    await forgetVersions(db, lease.key, calendars);
    return db.transaction((tx) => replaceCalendars(tx, lease, { calendars, now }));
  },

  async noteCutList(accountKey, cut) {
    await db.change(
      `UPDATE account SET list_error = :cut, list_failed_at = listed_at
        WHERE account_key = :accountKey AND list_error IS NULL`,
      { accountKey, cut: JSON.stringify(cut) },
    );
  },

  async listCalendars(accountKey) {
    const rows = await db.all<SyncRow>(
      `SELECT ${CALENDAR} FROM calendar WHERE account_key = :accountKey AND left_out = 0 ORDER BY position, href`,
      { accountKey },
    );
    return rows.map(toMirroredCalendar);
  },

  async findCalendar(calendarKey) {
    const row = await db.get<SyncRow>(
      `SELECT ${CALENDAR} FROM calendar WHERE calendar_key = :calendarKey AND left_out = 0`,
      { calendarKey },
    );
    return row && toMirroredCalendar(row);
  },
});

/** Selects the calendars that are no longer in an account's list, while the lease of the list is held. */
const unlisted = ({ oneOf }: Dialect): string => `
  SELECT c.calendar_key FROM calendar c JOIN account a ON a.account_key = c.account_key
   WHERE a.account_key = :key AND a.lease_holder = :holder AND NOT (c.href ${oneOf('hrefs')})`;

/** Takes back one counted sync start: see MirrorStore.excuseSync. */
const ONE_LESS = 'unfinished_syncs = CASE WHEN unfinished_syncs > 0 THEN unfinished_syncs - 1 ELSE 0 END';

const listEnds = (db: Database): ListEnds => ({
  async releaseList({ key, holder }) {
    await db.change(`UPDATE account SET lease_holder = NULL WHERE ${HELD_LIST}`, { key, holder });
  },

  async failList({ key, holder }, failure, now) {
    await db.change(
      `UPDATE account SET list_error = :failure, list_failed_at = :now, lease_holder = NULL, unfinished_syncs = 0
        WHERE ${HELD_LIST}`,
      { key, holder, failure: JSON.stringify(failure), now },
    );
  },

  async noteListFailure({ key, holder }, failure, { now, goesOn }) {
    await db.change(
      `UPDATE account SET list_error = :failure, list_failed_at = :now,
              lease_holder = CASE WHEN CAST(:goesOn AS BIGINT) = 1 THEN lease_holder END
        WHERE ${HELD_LIST}`,
      { key, holder, failure: JSON.stringify(failure), now, goesOn: Number(goesOn) },
    );
  },

  async excuseList({ key, holder }) {
    await db.change(`UPDATE account SET ${ONE_LESS} WHERE ${HELD_LIST}`, { key, holder });
  },
});

/** Resources per query, which takes a few milliseconds. */
const VERSIONS_AT_ONCE = 1000;

const mirroredEvents = (db: Database, quotas: StorageQuotas, changed: () => void): MirroredEvents => ({
  async leaseCalendar({ key, holder }, now, until) {
    const [row] = await db.write<SyncRow>(
      `UPDATE calendar SET lease_holder = :holder, lease_until = :until
        WHERE ${FREE} RETURNING ${CALENDAR}`,
      { key, holder, now, until },
    );
    return row && toMirroredCalendar(row);
  },

  async leaseForSync({ key, holder }, now, until) {
    const [row] = await db.write<SyncRow & { unfinished: number }>(
      `UPDATE calendar SET lease_holder = :holder, lease_until = :until, unfinished_syncs = unfinished_syncs + 1, ${BEGINS_SYNC}
        WHERE ${FREE} RETURNING ${CALENDAR}, unfinished_syncs AS unfinished`,
      { key, holder, now, until },
    );
    return row && { calendar: toMirroredCalendar(row), unfinished: row.unfinished };
  },

  async storedVersions(calendarKey) {
    const versions = new Map<string, string | undefined>();
    for (let after = ''; ; ) {
      const rows = await db.all<{ href: string; etag?: string }>(VERSIONS, { calendarKey, after });
      for (const { href, etag } of rows) versions.set(href, etag);
      const last = rows.at(-1);
      if (last === undefined || rows.length < VERSIONS_AT_ONCE) return versions;
      after = last.href;
      await nextTurn();
    }
  },

  async applyChanges(lease, changes, until) {
    const isApplied = await db.transaction((tx) => applyChanges(tx, lease, { ...changes, until, quotas }));
    changed();
    return isApplied;
  },

  async dropUnlisted(lease, hrefs, until) {
    const isDropped = await db.transaction((tx) => dropUnlisted(tx, lease, { hrefs, until, quotas }));
    changed();
    return isDropped;
  },

  async finishSync(lease, token, syncedAt) {
    const finished = await db.transaction((tx) => finishSync(tx, lease, { token, syncedAt }));
    changed();
    return finished;
  },
});

/** All rows of a resource have its etag. */
const VERSIONS = `
  SELECT href, MAX(etag) AS etag FROM event WHERE calendar_key = :calendarKey AND href > :after
   GROUP BY href ORDER BY href LIMIT ${VERSIONS_AT_ONCE}`;

const syncEnds = (db: Database): SyncEnds => ({
  async failSync({ key, holder }, failure, now) {
    await db.change(
      `UPDATE calendar SET sync_error = :failure, failed_at = :now, lease_holder = NULL, unfinished_syncs = 0,
              synced_at = CASE WHEN CAST(:isPartial AS BIGINT) = 1 THEN COALESCE(synced_at, 0) ELSE synced_at END
        WHERE ${HELD_CALENDAR}`,
      {
        key,
        holder,
        failure: JSON.stringify(failure),
        isPartial: Number(failure.kind === 'too_large'),
        now,
      },
    );
  },

  async noteFailure({ key, holder }, failure, now) {
    await db.change(`UPDATE calendar SET sync_error = :failure, failed_at = :now WHERE ${HELD_CALENDAR}`, {
      key,
      holder,
      failure: JSON.stringify(failure),
      now,
    });
  },

  async pauseSync({ key, holder }) {
    await db.change(`UPDATE calendar SET lease_holder = NULL, unfinished_syncs = 0 WHERE ${HELD_CALENDAR}`, {
      key,
      holder,
    });
  },

  async excuseSync({ key, holder }) {
    await db.change(`UPDATE calendar SET ${ONE_LESS} WHERE ${HELD_CALENDAR}`, { key, holder });
  },

  async releaseCalendar({ key, holder }) {
    await db.change(`UPDATE calendar SET lease_holder = NULL WHERE ${HELD_CALENDAR}`, { key, holder });
  },

  async forgetSyncToken({ key, holder }) {
    await db.change(`UPDATE calendar SET sync_token = NULL WHERE ${HELD_CALENDAR}`, { key, holder });
  },
});

function toMirroredCalendar(row: SyncRow): MirroredCalendar {
  const { calendarKey, accountKey, href, title, description, color, timeZone, access } = row;
  return {
    ...{ calendarKey, accountKey, href, title, timeZone, access },
    ...(description !== undefined && { description }),
    ...(color !== undefined && { color }),
    ...(row.isPrimary === 1 && { primary: true }),
    original: row.original === '' ? {} : JSON.parse(row.original),
    syncToken: row.syncToken,
    ...(row.tooComplex !== undefined && { tooComplex: JSON.parse(row.tooComplex) }),
    ...(row.unreadable !== undefined && { unreadable: JSON.parse(row.unreadable) }),
    ...toFreshness(row),
  };
}

/** Converts the columns of freshness. A failure is stored as JSON. */
export function toFreshness({ failure: text, syncedAt, failedAt }: FreshnessRow) {
  const failure: SyncFailure | undefined = text === undefined ? undefined : JSON.parse(text);
  return { syncedAt, failedAt, failure };
}
