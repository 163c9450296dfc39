/** Settles one attempt for its message, its stream and its endpoint (StreamStore). */
import type { Sealer } from '../../lib/sealing.ts';
import type { TakenStream } from '../../webhooks/message.ts';
import type { AfterDelivery, AfterFailure, SettledMessage } from '../../webhooks/stream-store.ts';
import type { BatchStatement, Database, Statements, Supplied } from '../drivers/database.ts';
import { answerContext } from './webhook-sealing.ts';

export const GIVEN_BACK = 'lease_holder = NULL, lease_until = 0';
export const HELD = 'stream_id = :streamId AND lease_holder = :holder';

const ATTEMPT_COLUMNS = {
  messageId: 'TEXT',
  startedAt: 'BIGINT',
  durationMs: 'BIGINT',
  status: 'BIGINT',
  fault: 'TEXT',
  answer: 'TEXT',
} as const;
const attemptText = ({ value, andFrom }: Pick<Supplied, 'value' | 'andFrom'>): string => `
  INSERT INTO webhook_attempt (message_id, number, started_at, duration_ms, status, fault, answer)
  SELECT m.message_id, (SELECT COALESCE(MAX(t.number), 0) + 1 FROM webhook_attempt t WHERE t.message_id = m.message_id),
         ${['startedAt', 'durationMs', 'status', 'fault', 'answer'].map(value).join(', ')}
    FROM webhook_message AS m${andFrom} WHERE m.message_id = ${value('messageId')}`;
const ADD_ATTEMPT = attemptText({
  value: (column) => `CAST(:${column} AS ${ATTEMPT_COLUMNS[column as keyof typeof ATTEMPT_COLUMNS]})`,
  andFrom: '',
});

type Sealing = { readonly sealer: Sealer };

/**
 * Adds an attempt, even if the stream was taken over: the request was sent. Call it with the message's row locked,
 * since its attempts are numbered one after the other, resends included.
 */
export async function addAttempt(tx: Statements, settled: SettledMessage & Sealing) {
  await tx.change(ADD_ATTEMPT, attemptValues(settled));
}

function attemptValues({ messageId, attempt, sealer }: SettledMessage & Sealing) {
  const { startedAt, durationMs, status, fault, answer } = attempt;
  return {
    messageId,
    startedAt,
    durationMs,
    status: status ?? null,
    fault: fault ?? null,
    answer: answer === undefined ? null : sealer.seal(answer, answerContext(messageId)),
  };
}

const WORKS = `
  UPDATE webhook_endpoint SET failures = 0, failing_since = NULL, gate_at = 0
   WHERE endpoint_id = :endpointId AND failures > 0`;
// After the first success, all streams of the endpoint that wait for a retry are due.
const LET_GO = `
  UPDATE webhook_stream SET due_at = :now
   WHERE endpoint_id = :endpointId AND due_at > :now AND lease_holder IS NULL`;
/** Settles deliveries of about the same time. Attempts of one message are numbered in turn: see addAttempt. */
const DELIVERED: BatchStatement = {
  columns: {
    ...ATTEMPT_COLUMNS,
    now: 'BIGINT',
    streamId: 'TEXT',
    holder: 'TEXT',
    leaseUntil: 'BIGINT',
    more: 'BIGINT',
    keepsLease: 'BIGINT',
  },
  sql: ({ value, from }) => `
    UPDATE webhook_message SET state = 'delivered', settled_at = ${value('now')}, attempts = attempts + 1 ${from}
     WHERE message_id = ${value('messageId')} RETURNING message_id`,
  followedBy: [attemptText, nextText],
  key: 'messageId',
  writes: true,
  // After a power cut the message is sent again with the same id and bytes.
  flush: 'later',
  plan: 'once',
  gather: { calls: 8, ms: 10 },
};

function nextText({ value, from }: Supplied): string {
  const keeps = `${value('keepsLease')} = 1`;
  return `
    UPDATE webhook_stream SET message_id = NULL,
           due_at = CASE WHEN due_at = ${value('leaseUntil')} AND ${value('more')} = 0 THEN NULL
                         WHEN ${keeps} THEN due_at ELSE 0 END,
           lease_until = CASE WHEN ${keeps} THEN lease_until ELSE 0 END,
           lease_holder = CASE WHEN ${keeps} THEN lease_holder END ${from}
     WHERE stream_id = ${value('streamId')} AND lease_holder = ${value('holder')} AND message_id = ${value('messageId')}`;
}

export async function settleDelivered(
  db: Database,
  { streamId, holder, leaseUntil, endpoint }: TakenStream,
  settled: SettledMessage & AfterDelivery & Sealing,
): Promise<void> {
  const { now, more, keepsLease } = settled;
  const { endpointId } = endpoint;
  const stream = { streamId, holder, leaseUntil, more: Number(more), keepsLease: Number(keepsLease) };
  await db.batch(DELIVERED, { ...attemptValues(settled), ...stream, now });
  if (endpoint.failures === 0) return;
  await db.transaction(
    async (tx) => {
      const worked = await tx.change(WORKS, { endpointId });
      if (worked > 0) await tx.change(LET_GO, { endpointId, now });
    },
    { flush: 'later' },
  );
}

const FAILED_ENDPOINT = `
  UPDATE webhook_endpoint SET failures = failures + 1, failing_since = COALESCE(failing_since, CAST(:now AS BIGINT)),
         gate_at = CASE WHEN gate_at > CAST(:gateAt AS BIGINT) THEN gate_at ELSE CAST(:gateAt AS BIGINT) END,
         state = CASE WHEN CAST(:pause AS TEXT) IS NULL THEN state ELSE 'paused' END,
         paused_at = CASE WHEN CAST(:pause AS TEXT) IS NULL OR state = 'paused' THEN paused_at ELSE CAST(:now AS BIGINT) END,
         paused_reason = CASE WHEN CAST(:pause AS TEXT) IS NULL OR state = 'paused' THEN paused_reason
                              ELSE CAST(:pause AS TEXT) END
   WHERE endpoint_id = :endpointId`;
const TRY_AGAIN = `
  UPDATE webhook_message SET attempts = attempts + CAST(:counts AS BIGINT), next_at = :retryAt
   WHERE message_id = :messageId AND state = 'pending'`;
const WAIT = `
  UPDATE webhook_stream SET due_at = :retryAt, ${GIVEN_BACK} WHERE ${HELD} AND message_id = :messageId`;
const DEAD = `
  UPDATE webhook_message SET state = 'dead', settled_at = :now, reason = :reason, attempts = attempts + 1
   WHERE message_id = :messageId AND state = 'pending'`;
const GO_ON = `
  UPDATE webhook_stream SET message_id = NULL, due_at = 0, ${GIVEN_BACK} WHERE ${HELD} AND message_id = :messageId`;

export async function settleFailed(
  tx: Statements,
  { streamId, holder, endpoint }: TakenStream,
  settled: SettledMessage & AfterFailure & Sealing,
): Promise<void> {
  const { messageId, now, counts, retryAt, reason = null, gateAt, pause = null } = settled;
  await tx.change(FAILED_ENDPOINT, { endpointId: endpoint.endpointId, now, gateAt, pause });
  const stream = { streamId, holder, messageId };
  if (retryAt === undefined) {
    await tx.change(DEAD, { messageId, now, reason });
    await tx.change(GO_ON, stream);
  } else {
    await tx.change(TRY_AGAIN, { messageId, retryAt, counts: Number(counts) });
    await tx.change(WAIT, { ...stream, retryAt });
  }
  await addAttempt(tx, settled);
}

/** Deletes the streams of a calendar and withholds their pending messages. `now` is in epoch milliseconds. */
export async function endStreams(
  tx: Statements,
  calendarKey: string,
  { now, reason }: { readonly now: number; readonly reason: string },
): Promise<void> {
  // Streams are first: a message that starts at the same time is either found here or never stored.
  const streams = await tx.all<{ messageId: string | undefined }>(
    'DELETE FROM webhook_stream WHERE calendar_key = :calendarKey RETURNING message_id',
    { calendarKey },
  );
  const messageIds = streams.flatMap(({ messageId }) => messageId ?? []);
  if (messageIds.length === 0) return;
  await tx.change(
    `UPDATE webhook_message SET state = 'withheld', settled_at = :now, reason = :reason
      WHERE state = 'pending' AND message_id ${tx.dialect.oneOf('messageIds')}`,
    { messageIds, now, reason },
  );
}
