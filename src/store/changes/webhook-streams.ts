/** Marks streams of endpoints as due in the transaction of a change, which is then delivered even if a process dies. */
import { traceOfStream } from '../../lib/current-trace.ts';
import type { Dialect, Statements } from '../drivers/database.ts';

type Noted = { readonly seq: number };

/** Returns a statement for calendars `c` of accounts `a`. `initial` is 1 if their first sync has just ended. */
const noteText = (calendars: string): string => `
  INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, calendar_key, told_seq, initial, due_at, trace)
  SELECT e.endpoint_id || ' ' || c.calendar_key, e.endpoint_id, a.client_id, a.user_id, c.calendar_key,
         CAST(:seq AS BIGINT) - 1 + CAST(:initial AS BIGINT), CAST(:initial AS BIGINT), 0, CAST(:trace AS TEXT)
    FROM calendar c JOIN account a ON a.account_key = c.account_key
    JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL
    JOIN webhook_endpoint e ON e.client_id = a.client_id AND e.hears_events = 1
   WHERE ${calendars} AND c.synced_at IS NOT NULL AND c.left_out = 0
     AND NOT EXISTS (SELECT 1 FROM webhook_subscription s WHERE s.calendar_key = c.calendar_key AND s.ended = 1)
  ON CONFLICT (stream_id) DO UPDATE SET
    initial = CASE WHEN excluded.initial = 1 THEN 1 ELSE webhook_stream.initial END,
    told_seq = CASE WHEN excluded.initial = 1 THEN excluded.told_seq ELSE webhook_stream.told_seq END,
    told_id = CASE WHEN excluded.initial = 1 THEN NULL ELSE webhook_stream.told_id END,
    trace = excluded.trace,
    due_at = CASE WHEN webhook_stream.message_id IS NOT NULL AND webhook_stream.lease_holder IS NULL
                  THEN webhook_stream.due_at ELSE 0 END`;

const OF_CALENDAR = noteText('c.calendar_key = :key');
const ofAccounts = ({ oneOf }: Dialect): string => noteText(`a.account_key ${oneOf('accountKeys')}`);

/** Notes that events of a calendar changed. A stream that waits for a retry keeps its time. */
export async function noteChanges(tx: Statements, key: string, { seq }: Noted): Promise<void> {
  await tx.change(OF_CALENDAR, { key, seq, initial: 0, trace: traceOfStream() });
}

/** Notes that the first sync of a calendar has ended. Its events are reported only as a number. */
export async function noteFirstSync(tx: Statements, key: string, { seq }: Noted): Promise<void> {
  await tx.change(OF_CALENDAR, { key, seq, initial: 1, trace: traceOfStream() });
}

/** Notes the same for all calendars of accounts that became their user's or joined a group. */
export async function noteArrivals(
  tx: Statements,
  accountKeys: readonly string[],
  { seq }: Noted,
): Promise<void> {
  await tx.change(ofAccounts(tx.dialect), { accountKeys, seq, initial: 1, trace: traceOfStream() });
}

const BEHIND = `
  SELECT s.stream_id FROM event_change c JOIN webhook_stream s ON s.calendar_key = c.calendar_key
   WHERE c.noted_at < :before AND (c.seq > s.told_seq OR (c.seq = s.told_seq AND s.told_id IS NOT NULL))`;

/** Marks the streams with undelivered changes from before `before`, which are then deleted: such streams send a reset. */
export async function noteForgotten(tx: Statements, before: number): Promise<void> {
  await tx.change(
    `UPDATE webhook_stream SET pending_since = :before
      WHERE (pending_since IS NULL OR pending_since > :before) AND stream_id IN (${BEHIND})`,
    { before },
  );
}

export const HAS_ENDPOINT = `EXISTS (SELECT 1 FROM webhook_endpoint e WHERE e.client_id = application_user.client_id)`;
