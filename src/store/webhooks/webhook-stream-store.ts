/** StreamStore in SQL; held to test/contract/webhook-stream-store.contract.ts on both databases. */
import type { ProviderKind } from '../../calendars/provider-facts.ts';
import { byBytes } from '../../lib/compared-text.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type {
  DeliveryCalendar,
  NewMessage,
  PendingChange,
  PendingNote,
  Shows,
} from '../../webhooks/message.ts';
import type { StreamContent, StreamMessages, StreamQueue, StreamStore } from '../../webhooks/stream-store.ts';
import type { BatchStatement, Database, Dialect } from '../drivers/database.ts';
import { messageContext } from './webhook-sealing.ts';
import { GIVEN_BACK, HELD, settleDelivered, settleFailed } from './webhook-settling.ts';
import { streamTaker, WAITING_STREAMS } from './webhook-turns.ts';

/**
 * For writes that a power cut may undo: the stream is claimed or sent again with the same id and bytes. A message is
 * flushed before it is sent.
 */
const LATER = { flush: 'later' } as const;
/** A change during the lease has set due_at to 0. */
const UNCHANGED = 'due_at = CAST(:leaseUntil AS BIGINT)';

export function streamStore(db: Database, sealer: Sealer): StreamStore {
  return { ...streamQueue(db, sealer), ...streamReads(db), ...streamMessages(db, sealer) };
}

function streamQueue(db: Database, sealer: Sealer): StreamQueue {
  return {
    async scheduleChanged(dueAt) {
      // Usually nothing has changed, and finding that out needs no write.
      const changed = await db.get(
        'SELECT stream_id FROM webhook_stream WHERE due_at = 0 ORDER BY stream_id LIMIT 1',
      );
      if (changed === undefined) return 0;
      const text = `
        UPDATE webhook_stream SET due_at = :dueAt, pending_since = COALESCE(pending_since, :dueAt)
         WHERE stream_id IN (SELECT stream_id FROM webhook_stream WHERE due_at = 0 AND lease_until <= :dueAt
                              ORDER BY stream_id ${db.dialect.skipLocked})`;
      return db.transaction((tx) => tx.change(text, { dueAt }), { ...LATER, plan: 'once' });
    },

    async nextDueAt() {
      const row = await db.get<{ at: number | undefined }>(
        `${WAITING_STREAMS}
         SELECT MIN(CASE WHEN n.due_at > n.gate_at THEN n.due_at ELSE n.gate_at END) AS at
           FROM (SELECT e.gate_at, (SELECT MIN(s.due_at) FROM webhook_stream s
                                     WHERE s.endpoint_id = e.endpoint_id AND s.due_at > 0) AS due_at
                   FROM waiting JOIN webhook_endpoint e ON e.endpoint_id = waiting.endpoint_id
                  WHERE e.state = 'active' AND e.expires_at IS NULL) n
          WHERE n.due_at IS NOT NULL`,
      );
      return row?.at;
    },

    takeStreams: streamTaker(db, sealer),

    async endLeases() {
      await db.change(`UPDATE webhook_stream SET due_at = 0, ${GIVEN_BACK} WHERE lease_holder IS NOT NULL`);
    },
  };
}

type NoteRow = Omit<PendingNote, 'data' | 'shows'> & { data: string; widest: string | undefined };
type CalendarRow = Omit<DeliveryCalendar, 'feedId' | 'channelId' | 'provider' | 'shows' | 'coveredSince'> & {
  provider: ProviderKind;
  /** Null if no active grant covers it. */
  widest: string | undefined;
  coveredSince: number | undefined;
  feedId: string | undefined;
  channelId: string | undefined;
};

function streamReads(db: Database): StreamContent {
  return {
    pendingChanges: pendingChanges(db),

    async pendingNotes({ clientId, userId, delivered }, limit) {
      const rows = await db.all<NoteRow>(NOTES, { clientId, userId, seq: delivered.seq, limit });
      return rows.map(({ data, widest, ...note }) => ({
        ...note,
        // Written by user-notes.ts.
        data: JSON.parse(data),
        shows: widest === undefined ? undefined : toShows(widest),
      }));
    },

    async shownOfAccount({ clientId, userId, provider, accountId }) {
      const values = { clientId, userId, provider, accountId };
      const row = await db.get<{ widest: string | undefined }>(SHOWN_OF_ACCOUNT, values);
      return row === undefined || row.widest === undefined ? undefined : toShows(row.widest);
    },

    async findDeliveryCalendar(calendarKey) {
      const row = await db.batch<CalendarRow>(DELIVERY_CALENDAR, { calendarKey });
      if (row === undefined) return undefined;
      const { widest, coveredSince, feedId, channelId, ...calendar } = row;
      if (widest === undefined || coveredSince === undefined) return undefined;
      return { ...calendar, coveredSince, shows: toShows(widest), feedId, channelId };
    },
  };
}

const SHOWN_OF_ACCOUNT = `
  SELECT MAX(CASE WHEN f.scope < COALESCE(o.scope, f.scope) THEN f.scope ELSE COALESCE(o.scope, f.scope) END) AS widest
    FROM token_family f
    LEFT JOIN account a ON a.client_id = f.client_id AND a.user_id = f.user_id AND a.provider = :provider
     AND a.account_id = :accountId
    LEFT JOIN grant_coverage o ON o.coverage_id = f.coverage_id AND o.group_id = a.group_id
   WHERE f.client_id = :clientId AND f.user_id = :userId AND f.ended_at IS NULL
     AND (o.group_id IS NOT NULL OR a.group_id IS NULL)`;

const toShows = (scope: string): Shows => (scope === 'free-busy' ? 'busy' : 'events');

/** If a note's group was deleted, all grants of the user count as covering it. */
const NOTES = `
  SELECT n.seq, n.kind, n.event_type, n.provider, n.data, n.noted_at,
         (SELECT MAX(CASE WHEN f.scope < COALESCE(v.scope, f.scope) THEN f.scope ELSE COALESCE(v.scope, f.scope) END)
            FROM token_family f
            LEFT JOIN grant_coverage v ON v.coverage_id = f.coverage_id AND v.group_id = n.group_id
           WHERE f.client_id = n.client_id AND f.user_id = n.user_id AND f.ended_at IS NULL
             AND f.created_at <= n.noted_at
             AND (v.group_id IS NOT NULL
                  OR NOT EXISTS (SELECT 1 FROM account_group g WHERE g.group_id = n.group_id))) AS widest
    FROM user_note n
   WHERE n.client_id = :clientId AND n.user_id = :userId AND n.seq > :seq ORDER BY n.seq LIMIT :limit`;

/**
 * Selects a figure of the active grants that cover an account. PostgreSQL plans one lookup per figure in a third of the
 * time of one join. Scopes sort by what they allow, the narrowest first.
 */
const ofGrants = (figure: string): string => `
  (SELECT ${figure} FROM grant_coverage o JOIN token_family f ON f.coverage_id = o.coverage_id AND f.ended_at IS NULL
      AND f.client_id = a.client_id AND f.user_id = a.user_id
    WHERE o.group_id = a.group_id)`;
const DELIVERY_CALENDAR: BatchStatement = {
  columns: { calendarKey: 'TEXT' },
  sql: ({ value, andFrom }) => `
    SELECT a.account_key, a.provider, a.account_id, a.display, c.calendar_key, c.href, c.time_zone, c.event_count,
           ${ofGrants('MAX(CASE WHEN f.scope < o.scope THEN f.scope ELSE o.scope END)')} AS widest,
           ${ofGrants('MIN(f.created_at)')} AS covered_since, u.feed_id, u.feed_seq AS seq,
           (SELECT s.channel_id FROM webhook_subscription s WHERE s.calendar_key = c.calendar_key) AS channel_id
      FROM calendar c JOIN account a ON a.account_key = c.account_key
      JOIN application_user u ON u.client_id = a.client_id AND u.user_id = a.user_id
      JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL${andFrom}
     WHERE c.calendar_key = ${value('calendarKey')} AND c.left_out = 0
       AND NOT EXISTS (SELECT 1 FROM webhook_subscription s WHERE s.calendar_key = c.calendar_key AND s.ended = 1)`,
  key: 'calendarKey',
  writes: false,
  plan: 'once',
};

function streamMessages(db: Database, sealer: Sealer): StreamMessages {
  const sealed = ({ messageId, body }: Pick<NewMessage, 'messageId' | 'body'>) =>
    sealer.seal(body, messageContext(messageId));
  return {
    async startMessage({ streamId, holder, clientId, userId, endpoint }, message, { of, delivered }) {
      const { messageId, sequence, changeType, eventCount, shows, createdAt } = message;
      const { accountKey = null, calendarKey = null, provider, href = null } = of;
      const place = { deliveredSeq: delivered.seq, deliveredId: delivered.id ?? null };
      const values = { messageId, sequence, changeType, eventCount, shows, createdAt, clientId, userId };
      const begun = await db.batch(START, {
        ...{ streamId, holder, ...values, ...place, accountKey, calendarKey, provider, href },
        body: sealed(message),
        endpointId: endpoint.endpointId,
      });
      return begun !== undefined;
    },

    async narrowMessage(messageId, shows, body) {
      await db.change(
        'UPDATE webhook_message SET shows = :shows, body = :body WHERE message_id = :messageId',
        { messageId, shows, body: sealed({ messageId, body }) },
      );
    },

    async passOver({ streamId, holder, leaseUntil }, delivered, more) {
      const text = `
        UPDATE webhook_stream SET told_seq = :deliveredSeq, told_id = :deliveredId,
               pending_since = CASE WHEN :more = 1 THEN pending_since END,
               due_at = CASE WHEN ${UNCHANGED} AND CAST(:more AS BIGINT) = 0 THEN NULL ELSE 0 END, ${GIVEN_BACK}
         WHERE ${HELD}`;
      const place = { deliveredSeq: delivered.seq, deliveredId: delivered.id ?? null };
      const values = { streamId, holder, leaseUntil, ...place, more: Number(more) };
      await db.transaction((tx) => tx.change(text, values), LATER);
    },

    settleDelivered: (stream, settled, then) => settleDelivered(db, stream, { ...settled, ...then, sealer }),

    settleFailed: (stream, settled, then) =>
      db.transaction((tx) => settleFailed(tx, stream, { ...settled, ...then, sealer })),

    withhold: ({ streamId, holder, leaseUntil, message }, now) =>
      db.transaction(async (tx) => {
        const values = { streamId, holder, leaseUntil };
        const held = await tx.change(WITHHOLD, values);
        if (held === 0 || message === undefined) return;
        await tx.change(
          `UPDATE webhook_message SET state = 'withheld', settled_at = :now, reason = :reason
            WHERE message_id = :messageId AND state = 'pending'`,
          { messageId: message.messageId, now, reason: 'No grant covers its account any more' },
        );
      }),
  };
}

const NEW_MESSAGE = {
  endpointId: 'TEXT',
  clientId: 'TEXT',
  userId: 'TEXT',
  accountKey: 'TEXT',
  calendarKey: 'TEXT',
  provider: 'TEXT',
  href: 'TEXT',
  sequence: 'BIGINT',
  changeType: 'TEXT',
  eventCount: 'BIGINT',
  shows: 'TEXT',
  body: 'TEXT',
  createdAt: 'BIGINT',
} as const;
const START: BatchStatement = {
  columns: {
    streamId: 'TEXT',
    holder: 'TEXT',
    messageId: 'TEXT',
    deliveredSeq: 'BIGINT',
    deliveredId: 'TEXT',
    ...NEW_MESSAGE,
  },
  sql: ({ value, from }) => `
    UPDATE webhook_stream SET message_id = ${value('messageId')}, sequence = ${value('sequence')},
           told_seq = ${value('deliveredSeq')}, told_id = ${value('deliveredId')}, initial = 0, pending_since = NULL ${from}
     WHERE stream_id = ${value('streamId')} AND lease_holder = ${value('holder')} RETURNING message_id`,
  followedBy: [
    ({ value, andFrom }) => `
      INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, account_key, calendar_key, provider,
        calendar_id, sequence, change_type, event_count, shows, body, created_at, next_at, state)
      SELECT s.message_id, ${Object.keys(NEW_MESSAGE).map(value).join(', ')}, ${value('createdAt')}, 'pending'
        FROM webhook_stream AS s${andFrom}
       WHERE s.stream_id = ${value('streamId')} AND s.lease_holder = ${value('holder')} AND s.message_id = ${value('messageId')}`,
  ],
  key: 'messageId',
  writes: true,
  plan: 'once',
};

/** If something changed during the lease, a grant may have begun, so the position stays. */
const MOVES = `${UNCHANGED} AND calendar_key IS NOT NULL`;
/** Moves a calendar's position to the present: a grant that begins later receives nothing from before. */
const WITHHOLD = `
  UPDATE webhook_stream SET message_id = NULL, pending_since = NULL,
         initial = CASE WHEN ${MOVES} THEN 0 ELSE initial END, told_id = CASE WHEN ${MOVES} THEN NULL ELSE told_id END,
         told_seq = CASE WHEN ${MOVES} THEN
                      (SELECT u.feed_seq FROM application_user u
                        WHERE u.client_id = webhook_stream.client_id AND u.user_id = webhook_stream.user_id)
                    ELSE told_seq END,
         due_at = CASE WHEN ${MOVES} THEN NULL ELSE 0 END, ${GIVEN_BACK}
   WHERE ${HELD}`;

type ChangeRow = Omit<PendingChange, 'createdOwn' | 'deleted' | 'fields' | 'was'> & {
  place: string;
  createdOwn: number;
  deleted: number;
  fields: string | undefined;
  was: string | undefined;
};

const pendingBatch = ({ byBytes: collation }: Dialect): BatchStatement => ({
  columns: { place: 'TEXT', calendarKey: 'TEXT', seq: 'BIGINT', id: 'TEXT', most: 'BIGINT' },
  sql: ({ value, fromEach }) => `
    SELECT ${value('place')} AS place, c.event_id AS id, c.seq, c.created_seq,
           c.created_own, c.foreign_seq, c.deleted, c.noted_at, c.fields, c.was
      ${fromEach(
        `SELECT * FROM event_change h
          WHERE h.calendar_key = ${value('calendarKey')} AND h.seq >= ${value('seq')}
            AND (h.seq > ${value('seq')} OR h.event_id ${collation} > ${value('id')})
          ORDER BY h.seq, h.event_id ${collation} LIMIT ${value('most')}`,
        'c',
      )}`,
  key: 'place',
  writes: false,
  plan: 'once',
});

/** Reads the changes behind the positions of several streams at once. */
function pendingChanges(db: Database): StreamStore['pendingChanges'] {
  const pending = pendingBatch(db.dialect);
  return async ({ calendarKey, delivered }, limit) => {
    const { seq, id = null } = delivered;
    const place = `${calendarKey} ${seq} ${id ?? ''}`;
    const rows = await db.batchAll<ChangeRow>(pending, { place, calendarKey, seq, id, most: limit });
    return rows
      .map(({ place: _, createdOwn, deleted, fields, was, ...row }) => ({
        ...row,
        createdOwn: createdOwn === 1,
        deleted: deleted === 1,
        // Both were written by change-journal.ts.
        fields: JSON.parse(fields ?? '{}'),
        was: was === undefined ? undefined : JSON.parse(was),
      }))
      .sort((a, b) => a.seq - b.seq || byBytes(a.id, b.id));
  };
}
