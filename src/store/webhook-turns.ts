/** Which streams are worked next: endpoint by endpoint (StreamStore.takeStreams). */
import type { Sealer } from '../lib/sealing.ts';
import type { Shows, TakenStream } from '../webhooks/message.ts';
import type { TakeStreamsTerms } from '../webhooks/stream-store.ts';
import type { Database, Statements } from './drivers/database.ts';
import { messageContext, openSecrets } from './webhook-sealing.ts';

type EndpointRow = {
  readonly endpointId: string;
  readonly url: string;
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
  SELECT e.endpoint_id AS "endpointId" FROM webhook_endpoint e
   WHERE ${which} AND e.state = 'active' AND e.gate_at <= :now
     AND (SELECT COUNT(*) FROM webhook_stream r
           WHERE r.endpoint_id = e.endpoint_id AND r.lease_holder IS NOT NULL AND r.lease_until > :now)
         < CASE WHEN e.failures >= :openAfter THEN 1 ELSE CAST(:ofEndpoint AS BIGINT) END
     AND EXISTS (SELECT 1 FROM webhook_stream s
                  WHERE s.endpoint_id = e.endpoint_id AND s.due_at > 0 AND s.due_at <= :now AND s.lease_until <= :now)
   ORDER BY e.served_at, e.endpoint_id LIMIT ${ENDPOINTS_AT_ONCE}`;
const DUE_ENDPOINTS = dueText('e.expires_at IS NULL');
const DUE_LISTENER = dueText('e.endpoint_id = :listenerId AND e.expires_at > :now');

// Its row is locked by this: what runs for it is counted by one caller at a time.
const SERVE = `
  UPDATE webhook_endpoint SET served_at = :now WHERE endpoint_id = :endpointId AND state = 'active' AND gate_at <= :now
  RETURNING endpoint_id AS "endpointId", url, secrets, hears_own AS "hearsOwn",
    hears_calendars AS "hearsCalendars", hears_connections AS "hearsConnections", failures, failing_since AS "failingSince"`;
// As many as it may have more; none where SERVE found nothing.
const FREE = `
  SELECT CASE WHEN free > CAST(:limit AS BIGINT) THEN CAST(:limit AS BIGINT) WHEN free > 0 THEN free ELSE 0 END
    FROM (SELECT CASE WHEN e.failures >= :openAfter THEN 1 ELSE CAST(:ofEndpoint AS BIGINT) END
                 - (SELECT COUNT(*) FROM webhook_stream r
                     WHERE r.endpoint_id = e.endpoint_id AND r.lease_holder IS NOT NULL AND r.lease_until > :now) AS free
            FROM webhook_endpoint e
           WHERE e.endpoint_id = :endpointId AND e.state = 'active' AND e.gate_at <= :now) AS f`;
const leaseText = (skipLocked: string): string => `
  UPDATE webhook_stream SET lease_holder = :holder, lease_until = :leaseUntil, due_at = :leaseUntil
   WHERE stream_id IN (SELECT stream_id FROM webhook_stream
                        WHERE endpoint_id = :endpointId AND due_at > 0 AND due_at <= :now AND lease_until <= :now
                        ORDER BY due_at LIMIT COALESCE((${FREE}), 0) ${skipLocked})
  RETURNING stream_id AS "streamId", client_id AS "clientId", user_id AS "userId", calendar_key AS "calendarKey",
    told_seq AS "toldSeq", told_id AS "toldId", sequence, initial, pending_since AS "pendingSince",
    message_id AS "messageId", trace`;
const MESSAGE = `
  SELECT message_id AS "messageId", sequence, shows, body, attempts, next_at AS "nextAt", created_at AS "createdAt"
    FROM webhook_message WHERE message_id = :messageId`;

export async function takeStreams(
  db: Database,
  terms: TakeStreamsTerms,
  sealer: Sealer,
): Promise<TakenStream[]> {
  const { now, limit, listenerId, ofEndpoint, openAfter } = terms;
  const values = { now, ofEndpoint, openAfter };
  const due =
    listenerId === undefined
      ? await db.all<{ endpointId: string }>(DUE_ENDPOINTS, values)
      : await db.all<{ endpointId: string }>(DUE_LISTENER, { ...values, listenerId });
  const taken: TakenStream[] = [];
  while (due.length > 0 && taken.length < limit) {
    const left = limit - taken.length;
    // Together, as far as all that each may have fits: what they write is one commit.
    const together = due.splice(0, Math.max(1, Math.floor(left / ofEndpoint)));
    const all = await Promise.all(
      together.map(({ endpointId }) =>
        db.transaction((tx) => takeOf(tx, endpointId, { ...terms, limit: left }), { flush: 'later' }),
      ),
    );
    taken.push(...all.flat().map((stream) => opened(stream, terms, sealer)));
  }
  return taken;
}

type Taken = {
  readonly endpoint: EndpointRow;
  readonly stream: StreamRow;
  readonly message: MessageRow | undefined;
};

async function takeOf(tx: Statements, endpointId: string, terms: TakeStreamsTerms): Promise<Taken[]> {
  const { now, holder, leaseUntil, limit, ofEndpoint, openAfter } = terms;
  const lease = { endpointId, now, holder, leaseUntil, limit, ofEndpoint, openAfter };
  // One behind the other, without waiting in between.
  const [endpoint, streams] = await Promise.all([
    tx.get<EndpointRow>(SERVE, { endpointId, now }),
    tx.all<StreamRow>(leaseText(tx.dialect.skipLocked), lease),
  ]);
  if (endpoint === undefined) return [];
  return Promise.all(
    streams.map(async (stream) => {
      const { messageId } = stream;
      const message = messageId === null ? undefined : await tx.get<MessageRow>(MESSAGE, { messageId });
      return { endpoint, stream, message };
    }),
  );
}

function opened(
  { endpoint, stream, message }: Taken,
  { holder, leaseUntil }: TakeStreamsTerms,
  sealer: Sealer,
): TakenStream {
  const { endpointId, url, secrets, hearsOwn, hearsCalendars, hearsConnections } = endpoint;
  const { failures, failingSince } = endpoint;
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
    endpoint: {
      endpointId,
      url,
      secrets: openSecrets({ endpointId, secrets }, sealer),
      hearsOwn: hearsOwn === 1,
      hearsCalendars: hearsCalendars === 1,
      hearsConnections: hearsConnections === 1,
      failures,
      failingSince: failingSince ?? undefined,
    },
  };
}
