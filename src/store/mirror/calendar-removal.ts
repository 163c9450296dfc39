/** Deletes the events of large calendars in parts before the calendars themselves, so that no statement takes long. */
import { randomUUID } from 'node:crypto';
import { calendarRemovalRecorder } from '../changes/change-journal.ts';
import type { Database, Statements, Values } from '../drivers/database.ts';
import { countGrowth, NO_QUOTAS } from './mirror-quotas.ts';

/** A calendar with at most this many resources is deleted in one statement. */
const FEW = 500;
export const RESOURCES_PER_PART = 200;
const ROWS_PER_PART = 500;
const BYTES_PER_PART = 2_000_000;
/** Longer than a part takes. While it lasts, nobody else writes into the calendar. */
const LEASE_MS = 90_000;

/** `chosen` selects the keys of calendars while they are to be deleted; `values` has its parameters. */
export type CalendarsToGo = { readonly chosen: string; readonly values: Values };

/** Empties large calendars. If the process dies, they are listed again or the next call empties them. */
export async function emptyLargeCalendars(db: Database, toGo: CalendarsToGo, now: number): Promise<void> {
  const large = await db.all<{ key: string; accountKey: string }>(
    `SELECT calendar_key AS key, account_key FROM calendar
      WHERE event_count > ${FEW} AND calendar_key IN (${toGo.chosen})`,
    toGo.values,
  );
  const holder = `removal ${randomUUID()}`;
  for (const calendar of large) {
    let isEmpty = false;
    while (!isEmpty) isEmpty = await db.transaction((tx) => takePart(tx, toGo, { ...calendar, holder, now }));
  }
}

/** Deletes a part. Returns whether the work is over: the calendar is empty, deleted, or no longer to be deleted. */
async function takePart(
  tx: Statements,
  { chosen, values }: CalendarsToGo,
  {
    key,
    accountKey,
    holder,
    now,
  }: { readonly key: string; readonly accountKey: string; readonly holder: string; readonly now: number },
): Promise<boolean> {
  const recordRemoval = await calendarRemovalRecorder(tx, accountKey, now);
  // No parameter here has a name of `values`. If the calendar is not deleted, everything is listed again.
  const changed = await tx.change(
    `UPDATE calendar SET sync_token = NULL, synced_at = CASE WHEN synced_at IS NOT NULL THEN 0 END,
            lease_holder = :removal, lease_until = :removalUntil, revision = revision + 1
      WHERE calendar_key = :goneKey AND calendar_key IN (${chosen})`,
    { ...values, goneKey: key, removal: holder, removalUntil: now + LEASE_MS },
  );
  if (changed === 0) return true;
  return (await emptyPart(tx, key, { recordRemoval, most: RESOURCES_PER_PART })).isEmpty;
}

type Part = {
  readonly recordRemoval: (key: string, hrefs: readonly string[]) => Promise<void>;
  readonly most: number;
};

/** Deletes the first resources of a calendar that is being deleted; at least one, however large it is. */
export async function emptyPart(
  tx: Statements,
  key: string,
  { recordRemoval, most }: Part,
): Promise<{ readonly resources: number; readonly isEmpty: boolean }> {
  const rows = await tx.all<{ href: string; bytes: number }>(
    `SELECT href, bytes FROM event WHERE calendar_key = :key ORDER BY href LIMIT ${ROWS_PER_PART}`,
    { key },
  );
  const hrefs = new Set<string>();
  let bytesRead = 0;
  for (const { href, bytes } of rows) {
    bytesRead += bytes;
    const isOver = hrefs.size >= most || (hrefs.size > 0 && bytesRead > BYTES_PER_PART);
    if (isOver && !hrefs.has(href)) break;
    hrefs.add(href);
  }
  const remaining = [...hrefs];
  await recordRemoval(key, remaining);
  const deleted = await tx.all<{ bytes: number }>(
    `DELETE FROM event WHERE calendar_key = :key AND href ${tx.dialect.oneOf('gone')} RETURNING bytes`,
    { key, gone: remaining },
  );
  const bytes = deleted.reduce((sum, row) => sum - row.bytes, 0);
  await countGrowth(tx, { key, events: -remaining.length, bytes }, NO_QUOTAS);
  return {
    resources: remaining.length,
    isEmpty: rows.length < ROWS_PER_PART && deleted.length === rows.length,
  };
}
