/** What one attempt comes to: for its message, its stream and its endpoint (StreamStore). */
import type { Sealer } from '../lib/sealing.ts';
import type { TakenStream } from '../webhooks/message.ts';
import type { AfterDelivery, AfterFailure, SettledMessage } from '../webhooks/stream-store.ts';
import type { Statements } from './drivers/database.ts';
import { answerContext } from './webhook-sealing.ts';

const GIVEN_BACK = 'lease_holder = NULL, lease_until = 0';
const HELD = 'stream_id = :streamId AND lease_holder = :holder';

const ADD_ATTEMPT = `
  INSERT INTO webhook_attempt (message_id, number, started_at, duration_ms, status, fault, answer)
  SELECT m.message_id, (SELECT COALESCE(MAX(t.number), 0) + 1 FROM webhook_attempt t WHERE t.message_id = m.message_id),
         CAST(:startedAt AS BIGINT), CAST(:durationMs AS BIGINT), CAST(:status AS BIGINT), CAST(:fault AS TEXT),
         CAST(:answer AS TEXT)
    FROM webhook_message m WHERE m.message_id = :messageId`;

type Sealing = { readonly sealer: Sealer };

/**
 * Also of a message whose stream was taken over meanwhile: that it was sent is so. Call it once the message's row is locked: its
 * attempts are numbered one after the other, those of a replay too.
 */
export async function addAttempt(tx: Statements, { messageId, attempt, sealer }: SettledMessage & Sealing) {
  const { startedAt, durationMs, status, fault, answer } = attempt;
  await tx.all(ADD_ATTEMPT, {
    messageId,
    startedAt,
    durationMs,
    status: status ?? null,
    fault: fault ?? null,
    answer: answer === undefined ? null : sealer.seal(answer, answerContext(messageId)),
  });
}

const WORKS = `
  UPDATE webhook_endpoint SET failures = 0, failing_since = NULL, gate_at = 0
   WHERE endpoint_id = :endpointId AND failures > 0 RETURNING endpoint_id`;
// The first success lets all go: those that wait to be tried again are due.
const LET_GO = `
  UPDATE webhook_stream SET due_at = :now
   WHERE endpoint_id = :endpointId AND due_at > :now AND lease_holder IS NULL`;
const DELIVERED = `
  UPDATE webhook_message SET state = 'delivered', settled_at = :now, attempts = attempts + 1
   WHERE message_id = :messageId`;
const NEXT = `
  UPDATE webhook_stream SET message_id = NULL,
         due_at = CASE WHEN due_at = CAST(:leaseUntil AS BIGINT) AND CAST(:more AS BIGINT) = 0 THEN NULL
                       WHEN CAST(:keepsLease AS BIGINT) = 1 THEN due_at ELSE 0 END,
         lease_until = CASE WHEN CAST(:keepsLease AS BIGINT) = 1 THEN lease_until ELSE 0 END,
         lease_holder = CASE WHEN CAST(:keepsLease AS BIGINT) = 1 THEN lease_holder END
   WHERE ${HELD} AND message_id = :messageId`;

export async function settleDelivered(
  tx: Statements,
  { streamId, holder, leaseUntil, endpoint }: TakenStream,
  settled: SettledMessage & AfterDelivery & Sealing,
): Promise<void> {
  const { messageId, now, more, keepsLease } = settled;
  const { endpointId } = endpoint;
  const worked = endpoint.failures > 0 ? await tx.all(WORKS, { endpointId }) : [];
  if (worked.length > 0) await tx.all(LET_GO, { endpointId, now });
  await tx.all(DELIVERED, { messageId, now });
  await addAttempt(tx, settled);
  const values = { streamId, holder, leaseUntil, messageId };
  await tx.all(NEXT, { ...values, more: Number(more), keepsLease: Number(keepsLease) });
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
  await tx.all(FAILED_ENDPOINT, { endpointId: endpoint.endpointId, now, gateAt, pause });
  const stream = { streamId, holder, messageId };
  if (retryAt === undefined) {
    await tx.all(DEAD, { messageId, now, reason });
    await tx.all(GO_ON, stream);
  } else {
    await tx.all(TRY_AGAIN, { messageId, retryAt, counts: Number(counts) });
    await tx.all(WAIT, { ...stream, retryAt });
  }
  await addAttempt(tx, settled);
}
