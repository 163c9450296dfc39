/**
 * Finds the calendars that need no sync, since their account's list shows the version of their last sync: a later
 * change would have given them another version. In statements of mirror-store.ts and mirror-writes.ts.
 *
 * A version can be a digest, which returns with the earlier content. So a version describes the mirror only if nothing
 * was written since it was listed, and not by the sync that it is to replace. After a change there is one more sync.
 */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { storable } from '../../lib/storable-text.ts';
import type { Statements } from '../drivers/database.ts';

/**
 * Versions are often a time in whole seconds: a version younger than this can cover further changes, which a sync that
 * began by then has not seen.
 */
const SETTLES_MS = 2_000;
/**
 * A version that never changes is a server's mistake: without a sync for this long, a calendar is synced regardless.
 */
const TRUSTED_MS = 3_600_000;

/** The columns of a row to be written, as `versionValues` supplies them. */
export const VERSION_COLUMNS = 'listed_version, listed_since';
export const VERSION_PARAMETERS = 'CAST(:version AS TEXT), CAST(:versionReadAt AS BIGINT)';
/** The version columns of a calendar that is listed again. */
export const LISTED_AGAIN = `listed_version = excluded.listed_version,
       listed_since = CASE WHEN calendar.listed_version = excluded.listed_version THEN calendar.listed_since
                           ELSE excluded.listed_since END, listed_revision = calendar.revision`;

export const versionValues = ({ version }: ProviderCalendar) => ({
  version: version === undefined ? null : storable(version.tag),
  versionReadAt: version?.readAt ?? null,
});

/** The assignments of the statement that begins a sync at `:now`. */
export const BEGINS_SYNC = `begun_version = CASE WHEN listed_since <= CAST(:now AS BIGINT) - ${SETTLES_MS}
                  AND listed_revision = revision THEN listed_version END`;
/** The assignments of every statement that writes events of a calendar. */
export const WRITES_EVENTS = 'revision = revision + 1, begun_version = NULL, synced_version = NULL';
/** The assignments of the statement that ends a sync, which began at `:syncedAt`. */
export const ENDS_SYNC = 'synced_version = begun_version, begun_version = NULL, read_at = :syncedAt';

// Without a token, a whole calendar is to be listed. Each sync of a calendar reports what it leaves out.
const NOTE_CURRENT = `
  UPDATE calendar SET synced_at = CAST(:now AS BIGINT)
   WHERE account_key = :accountKey AND left_out = 0 AND listed_version = synced_version AND read_at > CAST(:now AS BIGINT) - ${TRUSTED_MS}
     AND synced_at < :now AND sync_token IS NOT NULL AND sync_error IS NULL AND too_complex IS NULL
     AND unreadable IS NULL AND unfinished_syncs = 0`;

/** Call it once the list that was requested at `now` is written: its unchanged calendars count as synced then. */
export async function noteCurrent(tx: Statements, accountKey: string, now: number): Promise<void> {
  await tx.change(NOTE_CURRENT, { accountKey, now });
}
