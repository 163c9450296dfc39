/** Which streams are worked next: of all endpoints that have any due. */
import type { Sealer } from '../lib/sealing.ts';
import type { Shows, TakenEndpoint, TakenStream } from '../webhooks/message.ts';
import type { StreamStore, TakeStreamsTerms } from '../webhooks/stream-store.ts';
import type { BatchStatement, Database, Dialect, Supplied } from './drivers/database.ts';
import { messageContext, openSecrets } from './webhook-sealing.ts';

type EndpointRow = Pick<TakenEndpoint, 'endpointId' | 'url' | 'privateNetwork'> & {
  readonly secrets: string | null;
  readonly hearsOwn: number;
  readonly hearsCalendars: number;
  readonly hearsConnections: number;
  readonly failures: number;
  readonly failingSince: number | null;
};
type StreamRow = {
  readonly streamId: string;
  readonly clientId: string;
  readonly userId: string;
  readonly calendarKey: string | null;
  readonly toldSeq: number;
  readonly toldId: string | null;
  readonly sequence: number;
  readonly initial: number;
  readonly pendingSince: number | null;
  readonly messageId: string | null;
  readonly trace: string | null;
};
type MessageRow = {
  readonly messageId: string;
  readonly sequence: number;
  readonly shows: Shows;
  readonly body: string;
  readonly attempts: number;
  readonly nextAt: number;
  readonly createdAt: number;
};

/** Endpoints looked at in one call. */
const ENDPOINTS_AT_ONCE = 64;

// One that has all it may under way is passed over without a write.
const dueText = (which: string): string => `
  SELECT e.endpoint_id AS "endpointId", e.url, e.private_network AS "privateNetwork", e.secrets,
         e.hears_own AS "hearsOwn", e.hears_calendars AS "hearsCalendars", e.hears_connections AS "hearsConnections", e.failures,
         e.failing_since AS "failingSince"
    FROM webhook_endpoint e
   WHERE ${which} AND e.state = 'active' AND e.gate_at <= :now
     AND (SELECT COUNT(*) FROM webhook_stream r
           WHERE r.endpoint_id = e.endpoint_id AND r.lease_holder IS NOT NULL AND r.lease_until > :now)
         < CASE WHEN e.failures >= :openAfter THEN 1 ELSE CAST(:ofEndpoint AS BIGINT) END
     AND EXISTS (SELECT 1 FROM webhook_stream s
                  WHERE s.endpoint_id = e.endpoint_id AND s.due_at > 0 AND s.due_at <= :now AND s.lease_until <= :now)
   ORDER BY e.served_at, e.endpoint_id LIMIT ${ENDPOINTS_AT_ONCE}`;
const DUE_ENDPOINTS = dueText('e.expires_at IS NULL');
const DUE_LISTENER = dueText('e.endpoint_id = :listenerId AND e.expires_at > :now');

/** As many as an endpoint may have more, by its row as it was locked; none where it may not be served any more. */
const freeText = (value: Supplied['value']): string => `
  SELECT CASE WHEN free > ${value('most')} THEN ${value('most')} WHEN free > 0 THEN free ELSE 0 END
    FROM (SELECT CASE WHEN e.failures >= ${value('openAfter')} THEN 1 ELSE ${value('ofEndpoint')} END
                 - (SELECT COUNT(*) FROM webhook_stream r
                     WHERE r.endpoint_id = e.endpoint_id AND r.lease_holder IS NOT NULL AND r.lease_until > ${value('now')}) AS free
            FROM webhook_endpoint e
           WHERE e.endpoint_id = ${value('endpointId')} AND e.state = 'active' AND e.gate_at <= ${value('now')}) AS f`;

/** What each of several endpoints has due, as much of it as may run: what runs for one is counted by one caller at a time. */
const leaseBatch = ({ skipLocked }: Dialect): BatchStatement => ({
  columns: {
    endpointId: 'TEXT',
    holder: 'TEXT',
    now: 'BIGINT',
    leaseUntil: 'BIGINT',
    most: 'BIGINT',
    ofEndpoint: 'BIGINT',
    openAfter: 'BIGINT',
  },
  precededBy: [
    ({ value, from }) => `
      UPDATE webhook_endpoint SET served_at = ${value('now')} ${from}
       WHERE endpoint_id = ${value('endpointId')} AND state = 'active' AND gate_at <= ${value('now')}`,
  ],
  sql: ({ value, fromEach }) => `
    UPDATE webhook_stream
       SET lease_holder = ${value('holder')}, lease_until = ${value('leaseUntil')}, due_at = ${value('leaseUntil')}
    ${fromEach(
      `SELECT w.stream_id AS picked_id FROM webhook_stream w
        WHERE w.endpoint_id = ${value('endpointId')} AND w.due_at > 0 AND w.due_at <= ${value('now')}
          AND w.lease_until <= ${value('now')}
        ORDER BY w.due_at LIMIT COALESCE((${freeText(value)}), 0) ${skipLocked}`,
      'p',
    )} WHERE stream_id = picked_id
    RETURNING endpoint_id AS "endpointId", stream_id AS "streamId", client_id AS "clientId", user_id AS "userId",
      calendar_key AS "calendarKey", told_seq AS "toldSeq", told_id AS "toldId", sequence, initial,
      pending_since AS "pendingSince", message_id AS "messageId", trace`,
  key: 'endpointId',
  writes: true,
  // What is taken is worked once more after a power cut.
  flush: 'later',
  plan: 'once',
});
const MESSAGE: BatchStatement = {
  columns: { messageId: 'TEXT' },
  sql: ({ value, andFrom }) => `
    SELECT m.message_id AS "messageId", m.sequence, m.shows, m.body, m.attempts, m.next_at AS "nextAt",
           m.created_at AS "createdAt"
      FROM webhook_message AS m${andFrom} WHERE m.message_id = ${value('messageId')}`,
  key: 'messageId',
  writes: false,
};

/** Takes streams in `db` (StreamStore.takeStreams). */
export function streamTaker(db: Database, sealer: Sealer): StreamStore['takeStreams'] {
  const lease = leaseBatch(db.dialect);

  async function takeOf(
    endpoint: EndpointRow,
    { holder, now, leaseUntil, ofEndpoint, openAfter }: TakeStreamsTerms,
    most: number,
  ): Promise<Taken[]> {
    const { endpointId } = endpoint;
    const open = openedEndpoint(endpoint, sealer);
    const values = { endpointId, holder, now, leaseUntil, most, ofEndpoint, openAfter };
    const streams = await db.batchAll<StreamRow>(lease, values);
    return Promise.all(
      streams.map(async (stream) => {
        const { messageId } = stream;
        const message = messageId === null ? undefined : await db.batch<MessageRow>(MESSAGE, { messageId });
        return { endpoint: open, stream, message };
      }),
    );
  }

  return async (terms) => {
    const { now, limit, listenerId, ofEndpoint, openAfter } = terms;
    const values = { now, ofEndpoint, openAfter };
    const due =
      listenerId === undefined
        ? await db.all<EndpointRow>(DUE_ENDPOINTS, values)
        : await db.all<EndpointRow>(DUE_LISTENER, { ...values, listenerId });
    const taken: TakenStream[] = [];
    while (due.length > 0 && taken.length < limit) {
      const left = limit - taken.length;
      // Together, as far as all that each may have fits: what they write is one commit.
      const together = due.splice(0, Math.max(1, Math.floor(left / ofEndpoint)));
      const all = await Promise.all(together.map((endpoint) => takeOf(endpoint, terms, left)));
      taken.push(...all.flat().map((stream) => opened(stream, terms, sealer)));
    }
    return taken;
  };
}

function openedEndpoint(
  { secrets, hearsOwn, hearsCalendars, hearsConnections, failingSince, ...endpoint }: EndpointRow,
  sealer: Sealer,
): TakenStream['endpoint'] {
  return {
    ...endpoint,
    secrets: openSecrets({ endpointId: endpoint.endpointId, secrets }, sealer),
    hearsOwn: hearsOwn === 1,
    hearsCalendars: hearsCalendars === 1,
    hearsConnections: hearsConnections === 1,
    failingSince: failingSince ?? undefined,
  };
}

type Taken = Pick<TakenStream, 'endpoint'> & {
  readonly stream: StreamRow;
  readonly message: MessageRow | undefined;
};

function opened(
  { endpoint, stream, message }: Taken,
  { holder, leaseUntil }: TakeStreamsTerms,
  sealer: Sealer,
): TakenStream {
  const { calendarKey, toldSeq, toldId, initial, pendingSince, messageId: _, trace, ...names } = stream;
  return {
    ...names,
    calendarKey: calendarKey ?? undefined,
    holder,
    leaseUntil,
    told: { seq: toldSeq, id: toldId ?? undefined },
    initial: initial === 1,
    pendingSince: pendingSince ?? undefined,
    ...(trace === null ? {} : { trace }),
    message: message && { ...message, body: sealer.open(message.body, messageContext(message.messageId)) },
    endpoint,
  };
}
