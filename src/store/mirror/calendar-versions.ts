/**
 * Finds calendars that need no sync: the list of their account shows the version of their last sync. A version can be a
 * digest, which returns with the earlier content. So it describes the mirror only if nothing was written since it was
 * listed, not even by the sync that it would replace. After a change there is one more sync.
 */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { storable } from '../../lib/storable-text.ts';
import type { Statements } from '../drivers/database.ts';

/** A version can be a time in whole seconds. One younger than this may cover changes that a sync has not seen. */
const SETTLES_MS = 2_000;
/** A calendar whose version never changes is synced after this time: its server may be wrong. */
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

// A calendar without a token needs a full sync. One that left out events reports them at each sync.
const NOTE_CURRENT = `
  UPDATE calendar SET synced_at = CAST(:now AS BIGINT)
   WHERE account_key = :accountKey AND left_out = 0 AND listed_version = synced_version AND read_at > CAST(:now AS BIGINT) - ${TRUSTED_MS}
     AND synced_at < :now AND sync_token IS NOT NULL AND sync_error IS NULL AND too_complex IS NULL
     AND unreadable IS NULL AND unfinished_syncs = 0`;

/** Counts unchanged calendars of the list requested at `now` as synced. Call it after the list is written. */
export async function noteCurrent(tx: Statements, accountKey: string, now: number): Promise<void> {
  await tx.change(NOTE_CURRENT, { accountKey, now });
}
