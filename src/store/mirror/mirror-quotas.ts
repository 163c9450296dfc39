/** Counts the stored size of a calendar's events with each write, and enforces the quotas of calendars and users. */
import { type StorageQuotas, tooLargeError } from '../../calendars/too-large-error.ts';
import type { Statements } from '../drivers/database.ts';

/** The events and bytes that a write adds to a calendar; negative if it removes more than it adds. */
export type Growth = { readonly key: string; readonly events: number; readonly bytes: number };

export const NO_QUOTAS: StorageQuotas = {
  eventsPerCalendar: Number.MAX_SAFE_INTEGER,
  bytesPerCalendar: Number.MAX_SAFE_INTEGER,
  bytesPerUser: Number.MAX_SAFE_INTEGER,
};

/**
 * Counts what a transaction wrote. Throws ProviderError `too_large` if it added more than a quota allows. Removals
 * always count, and let the next sync of a calendar that was too large try again.
 */
export async function countGrowth(
  tx: Statements,
  { key, events, bytes }: Growth,
  quotas: StorageQuotas,
): Promise<void> {
  if (events === 0 && bytes === 0) return;
  const calendar = await tx.get<{ title: string; eventCount: number; bytes: number }>(
    `UPDATE calendar SET event_count = event_count + :events, bytes = bytes + :bytes,
            sync_error = CASE WHEN ${MADE_ROOM} THEN NULL ELSE sync_error END,
            failed_at = CASE WHEN ${MADE_ROOM} THEN NULL ELSE failed_at END
      WHERE calendar_key = :key RETURNING title, event_count, bytes`,
    { key, events, bytes },
  );
  if (calendar === undefined) return;
  const { title } = calendar;
  if (events > 0 && calendar.eventCount > quotas.eventsPerCalendar)
    throw tooLargeError(title, 'eventsPerCalendar', quotas);
  if (bytes <= 0) return;
  if (calendar.bytes > quotas.bytesPerCalendar) throw tooLargeError(title, 'bytesPerCalendar', quotas);
  if ((await bytesOfUser(tx, key)) > quotas.bytesPerUser) throw tooLargeError(title, 'bytesPerUser', quotas);
}

/** The failure is JSON that begins with its kind (calendars/sync-failure.ts). */
const MADE_ROOM = `CAST(:bytes AS BIGINT) < 0 AND sync_error LIKE '{"kind":"too_large"%'`;

async function bytesOfUser(tx: Statements, key: string): Promise<number> {
  const sum = await tx.get<{ bytes: number }>(
    `SELECT CAST(SUM(c.bytes) AS BIGINT) AS bytes
       FROM account o JOIN account a ON a.client_id = o.client_id AND a.user_id = o.user_id
       JOIN calendar c ON c.account_key = a.account_key
      WHERE o.account_key = (SELECT account_key FROM calendar WHERE calendar_key = :key)`,
    { key },
  );
  return sum?.bytes ?? 0;
}
