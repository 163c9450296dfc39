/**
 * Which calendars need not be synced, since their account's list shows them as they were when their last sync began: a
 * change made after that would have given them another version. In statements of mirror-store.ts and mirror-writes.ts.
 *
 * Versions can be digests, which come back with what was there before. So one says what the mirror has only while nothing is
 * written: not since it was listed, and not by the sync that it is to stand for. After a change there is one more sync.
 */
import type { ProviderCalendar } from '../../calendars/calendar.ts';
import { storable } from '../../lib/storable-text.ts';
import type { Statements } from '../drivers/database.ts';

/**
 * Versions are often a time in whole seconds: further changes can come under one that is younger than this, and a sync
 * that began by then has not seen them.
 */
const SETTLES_MS = 2_000;
/** A version that never changes is a server's mistake: without a sync for so long, a calendar is synced whatever it shows. */
const TRUSTED_MS = 3_600_000;

/** Of a row to be written, as `versionValues` gives them. */
export const VERSION_COLUMNS = 'listed_version, listed_since';
export const VERSION_PARAMETERS = 'CAST(:version AS TEXT), CAST(:versionReadAt AS BIGINT)';
/** What a calendar that is listed again has then. */
export const LISTED_AGAIN = `listed_version = excluded.listed_version,
       listed_since = CASE WHEN calendar.listed_version = excluded.listed_version THEN calendar.listed_since
                           ELSE excluded.listed_since END, listed_revision = calendar.revision`;

export const versionValues = ({ version }: ProviderCalendar) => ({
  version: version === undefined ? null : storable(version.tag),
  versionReadAt: version?.readAt ?? null,
});

/** For the statement that begins a sync at `:now`. */
export const BEGINS_SYNC = `begun_version = CASE WHEN listed_since <= CAST(:now AS BIGINT) - ${SETTLES_MS}
                  AND listed_revision = revision THEN listed_version END`;
/** For whatever writes events of a calendar. */
export const WRITES_EVENTS = 'revision = revision + 1, begun_version = NULL, synced_version = NULL';
/** For the one that ends it, which had begun at `:syncedAt`. */
export const ENDS_SYNC = 'synced_version = begun_version, begun_version = NULL, read_at = :syncedAt';

// Without a token, all of a calendar is to be listed. What is left out of one is told of by each of its syncs.
const NOTE_CURRENT = `
  UPDATE calendar SET synced_at = CAST(:now AS BIGINT)
   WHERE account_key = :accountKey AND left_out = 0 AND listed_version = synced_version AND read_at > CAST(:now AS BIGINT) - ${TRUSTED_MS}
     AND synced_at < :now AND sync_token IS NOT NULL AND sync_error IS NULL AND too_complex IS NULL
     AND unreadable IS NULL AND unfinished_syncs = 0`;

/** Call it once the list is written that was asked for at `now`: calendars it shows unchanged count as synced then. */
export async function noteCurrent(tx: Statements, accountKey: string, now: number): Promise<void> {
  await tx.change(NOTE_CURRENT, { accountKey, now });
}
