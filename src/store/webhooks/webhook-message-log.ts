/** MessageLog in SQL; held to test/contract/webhook-message-log.contract.ts on both databases. */
import type { AuditFields, Caller } from '../../audit/audit-entry.ts';
import { instantText } from '../../lib/rendered-json.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { Attempt } from '../../webhooks/message.ts';
import type {
  AttemptedMessage,
  MessageDetails,
  MessageLog,
  ReplayFilter,
} from '../../webhooks/message-log.ts';
import { auditFor, subjectOfUser } from '../audit/append-audit.ts';
import type { Database, Statements } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';
import {
  buildConditions,
  listMessages,
  MESSAGE_COLUMNS,
  type MessageRow,
  toLoggedMessage,
} from './webhook-message-list.ts';
import { answerContext, messageContext } from './webhook-sealing.ts';
import { addAttempt } from './webhook-settling.ts';
import { replayTaker } from './webhook-turns.ts';

type DetailsRow = MessageRow &
  Pick<MessageDetails, 'shows' | 'body' | 'calendarKey'> & { readonly isOfTestUser: number };
type AttemptRow = AttemptedMessage['log'][number];

const ONE = `
  SELECT ${MESSAGE_COLUMNS}, calendar_key, shows, body,
         (SELECT COUNT(*) FROM playground_user p
           WHERE p.client_id = m.client_id AND p.user_id = m.user_id) AS is_of_test_user
    FROM webhook_message m
   WHERE message_id = :messageId AND (CAST(:clientId AS TEXT) IS NULL OR client_id = :clientId)`;
const ATTEMPTS = `
  SELECT number, started_at, duration_ms, status, fault, answer
    FROM webhook_attempt WHERE message_id = :messageId ORDER BY number`;
const DELIVERED = `
  UPDATE webhook_message SET replay_at = NULL, state = 'delivered', settled_at = :now, reason = NULL
   WHERE message_id = :messageId AND state <> 'pending'`;
const REPLAYED = 'UPDATE webhook_message SET replay_at = NULL WHERE message_id = :messageId';
// A pending message belongs to its stream.
const DELETE_OLD = `
  DELETE FROM webhook_message
   WHERE message_id IN (SELECT message_id FROM webhook_message
                         WHERE state IN ('delivered', 'dead', 'withheld') AND (created_at + 0) < :before LIMIT :limit)`;

/** `resendRequested` is called after a resend may have become due. */
export function messageLog(db: Database, sealer: Sealer, resendRequested?: () => void): MessageLog {
  return { ...reading(db, sealer), ...replaying(db, sealer, resendRequested) };
}

function reading(
  db: Database,
  sealer: Sealer,
): Pick<MessageLog, 'listMessages' | 'findMessage' | 'findAttempts' | 'deleteOldMessages'> {
  const withAttempts = async ({
    calendarKey: _,
    body: __,
    shows,
    isOfTestUser,
    ...row
  }: DetailsRow): Promise<AttemptedMessage> => {
    const { messageId } = row;
    const attempts = await db.all<AttemptRow>(ATTEMPTS, { messageId });
    return {
      ...toLoggedMessage(row),
      shows,
      isOfTestUser: isOfTestUser > 0,
      log: attempts.map(({ answer, ...attempt }) => ({
        ...attempt,
        answer: answer === undefined ? undefined : sealer.open(answer, answerContext(messageId)),
      })),
    };
  };
  return {
    listMessages: (filter, page) => listMessages(db, filter, page),

    async findMessage(clientId, messageId, by) {
      const row = await db.get<DetailsRow>(ONE, { clientId, messageId });
      if (row === undefined) return undefined;
      if (by !== undefined) await auditShown(db, row, by);
      const { calendarKey, body } = row;
      return {
        ...(await withAttempts(row)),
        calendarKey,
        body: sealer.open(body, messageContext(messageId)),
      };
    },

    async findAttempts(clientId, messageId) {
      const row = await db.get<DetailsRow>(ONE, { clientId: clientId ?? null, messageId });
      return row && withAttempts(row);
    },

    deleteOldMessages(before) {
      return deleteInParts(db, DELETE_OLD, { before });
    },
  };
}

type Replaying = Pick<
  MessageLog,
  'askReplay' | 'countReplays' | 'askReplays' | 'takeReplays' | 'settleReplay'
>;

type Count = { readonly count: number };

/** Messages that wait for a resend. They are few, and no other index may be used. */
const WAITING = `
  WITH waiting AS MATERIALIZED (SELECT * FROM webhook_message WHERE replay_at IS NOT NULL LIMIT :most)`;

const countText = (conditions: string, among = ''): string =>
  `${among} SELECT COUNT(*) AS count FROM
     (SELECT 1 FROM ${among === '' ? 'webhook_message' : 'waiting'} WHERE ${conditions} LIMIT :most) AS found`;

function replaying(db: Database, sealer: Sealer, resendRequested?: () => void): Replaying {
  const requesting = <T>(work: (tx: Statements) => Promise<T>) =>
    db.transaction(work).finally(resendRequested);
  return {
    async askReplay(clientId, messageId, { now, by }) {
      return requesting(async (tx) => {
        const changed = await tx.change(
          `UPDATE webhook_message SET replay_at = COALESCE(replay_at, CAST(:now AS BIGINT))
          WHERE client_id = :clientId AND message_id = :messageId`,
          { clientId, messageId, now },
        );
        if (changed === 0) return false;
        const after = { count: 1 };
        await auditFor(tx, by, { action: 'delivery.replayed', clientId, subject: messageId, after });
        return true;
      });
    },

    async countReplays(filter, most) {
      const { text, values } = buildConditions(filter);
      const waiting = (await db.get<Count>(countText(text, WAITING), { ...values, most }))?.count ?? 0;
      // The rest is counted by indexes alone.
      const total = await db.get<Count>(countText(text), { ...values, most: most + waiting });
      return Math.min(most, (total?.count ?? 0) - waiting);
    },

    async askReplays(filter, { now, limit, by }) {
      const { text, values } = buildConditions(filter);
      return requesting(async (tx) => {
        // First, since it locks the user.
        const auditFields = by === undefined ? {} : await auditedFilter(tx, filter);
        // Checks `replay_at` twice: the subquery does not see what another call requested in the meantime.
        const changed = await tx.change(
          `UPDATE webhook_message SET replay_at = :now
          WHERE replay_at IS NULL
            AND message_id IN (SELECT message_id FROM webhook_message WHERE ${text} AND replay_at IS NULL
                                ORDER BY created_at, message_id LIMIT :limit)`,
          { ...values, now, limit },
        );
        const count = changed;
        const { clientId } = filter;
        const after = { count, ...auditFields };
        if (count > 0) await auditFor(tx, by, { action: 'delivery.replayed', clientId, after });
        return count;
      });
    },

    takeReplays: replayTaker(db, sealer),

    settleReplay(messageId: string, attempt: Attempt, now: number) {
      return db.transaction(async (tx) => {
        await tx.change(REPLAYED, { messageId });
        await addAttempt(tx, { messageId, attempt, now, sealer });
        if (attempt.fault === undefined) await tx.change(DELIVERED, { messageId, now });
      });
    },
  };
}

/** Writes the audit entry before anyone sees the body. */
function auditShown(
  db: Database,
  message: { readonly clientId: string; readonly userId: string; readonly messageId: string },
  by: Caller,
): Promise<void> {
  const { clientId, userId, messageId } = message;
  return db.transaction(async (tx) => {
    const user = (await subjectOfUser(tx, { clientId, userId })) ?? null;
    await auditFor(tx, by, { action: 'delivery.shown', clientId, subject: messageId, after: { user } });
  });
}

/** Returns the filter for an audit entry: the user as a hash, and no calendar id, which can be an address. */
async function auditedFilter(tx: Statements, filter: ReplayFilter): Promise<AuditFields> {
  const { clientId, userId, state, endpointId, provider, from, to } = filter;
  const user = userId === undefined ? undefined : await subjectOfUser(tx, { clientId, userId });
  return {
    ...(state !== undefined && { state }),
    ...(endpointId !== undefined && { endpoint: endpointId }),
    ...(provider !== undefined && { provider }),
    ...(user !== undefined && { user }),
    ...(from !== undefined && { from: instantText(from) }),
    ...(to !== undefined && { to: instantText(to) }),
  };
}
