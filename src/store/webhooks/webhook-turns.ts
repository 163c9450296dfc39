/** Leases the streams and resends that are next, chosen among all endpoints with due work. */
import type { SlotPlace } from '../../lib/fair-slots/slot-counts.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type { PendingMessage, TakenEndpoint, TakenStream } from '../../webhooks/message.ts';
import type { MessageLog, TakenReplay } from '../../webhooks/message-log.ts';
import type { StreamStore, TakeTerms } from '../../webhooks/stream-store.ts';
import type { BatchStatement, Database, Dialect, Supplied } from '../drivers/database.ts';
import { messageContext, openSecrets } from './webhook-sealing.ts';

type EndpointRow = Pick<
  TakenEndpoint,
  'endpointId' | 'url' | 'privateNetwork' | 'failures' | 'failingSince'
> & {
  readonly clientId: string;
  readonly origin: string;
  readonly secrets: string | undefined;
  readonly hearsOwn: number;
  readonly hearsCalendars: number;
  readonly hearsConnections: number;
  /** How many more deliveries may run, and how many are due. */
  readonly free: number;
  readonly due: number;
};
type StreamRow = Pick<
  TakenStream,
  'streamId' | 'clientId' | 'userId' | 'calendarKey' | 'sequence' | 'pendingSince'
> & {
  readonly deliveredSeq: number;
  readonly deliveredId: string | undefined;
  readonly initial: number;
  readonly messageId: string | undefined;
  readonly trace: string | undefined;
};

type ReplayRow = Omit<TakenReplay, 'url' | 'secrets' | 'place'> & { readonly endpointId: string };

/** The number of slots: one query finds an endpoint of each application that can get one. */
const ENDPOINTS_AT_ONCE = 128;

/** A table of work for endpoints. `mayBegin` and `most`, the concurrency limit, refer to the endpoint `e`. */
type Work = Readonly<
  Record<'table' | 'key' | 'order' | 'isDue' | 'isLeased' | 'lease' | 'mayBegin' | 'most', string>
>;
type WorkOf = (value: Supplied['value']) => Work;

const STREAMS: WorkOf = (value) => ({
  ...{ table: 'webhook_stream', key: 'stream_id', order: 'due_at' },
  isDue: `due_at > 0 AND due_at <= ${value('now')} AND lease_until <= ${value('now')}`,
  isLeased: `lease_holder IS NOT NULL AND lease_until > ${value('now')}`,
  lease: `lease_holder = ${value('holder')}, lease_until = ${value('leaseUntil')}, due_at = ${value('leaseUntil')}`,
  mayBegin: `e.state = 'active' AND e.gate_at <= ${value('now')}`,
  most: `CASE WHEN e.failures >= ${value('openAfter')} THEN 1 ELSE CAST(${value('ofEndpoint')} AS BIGINT) END`,
});
const REPLAYS: WorkOf = (value) => ({
  ...{ table: 'webhook_message', key: 'message_id', order: 'replay_at, created_at' },
  isDue: `replay_at <= ${value('now')}`,
  isLeased: `replay_at > ${value('now')}`,
  lease: `replay_at = ${value('leaseUntil')}`,
  mayBegin: `e.state = 'active'`,
  most: `CAST(${value('ofEndpoint')} AS BIGINT)`,
});

/** Selects the endpoints with waiting work, each by the index: those without work cost nothing. */
const waitingText = (table: string, at: string): string => `
  WITH RECURSIVE waiting(endpoint_id) AS (
    SELECT MIN(endpoint_id) FROM ${table} WHERE ${at} IS NOT NULL
    UNION ALL
    SELECT (SELECT MIN(n.endpoint_id) FROM ${table} n WHERE ${at} IS NOT NULL AND n.endpoint_id > w.endpoint_id)
      FROM waiting w WHERE w.endpoint_id IS NOT NULL)`;
export const WAITING_STREAMS = waitingText('webhook_stream', 'due_at');
const LISTENER = 'WITH waiting(endpoint_id) AS (SELECT CAST(:listenerId AS TEXT))';
/** The address of an endpoint without its path. */
const ORIGIN = `substr(e.address, 1, length(e.address) -
  length(ltrim(substr(e.address, 9), 'abcdefghijklmnopqrstuvwxyz0123456789._-:[]')))`;

/**
 * Selects endpoints with due work: one of each application, then a second one of each, and so on. Less running work is
 * first; among equals, the one served longest ago. Without MATERIALIZED, SQLite would repeat each count.
 */
function dueText(work: WorkOf, { oneOf }: Dialect, [waiting, which]: readonly [string, string]): string {
  const { table, order, isDue, isLeased, mayBegin, most } = work((name) => `:${name}`);
  const ofEndpoint = `FROM ${table} w WHERE w.endpoint_id = e.endpoint_id`;
  return `${waiting}, candidate AS MATERIALIZED (
    SELECT e.endpoint_id, e.client_id, e.served_at, ${ORIGIN} AS origin, ${most} AS most,
           (SELECT COUNT(*) ${ofEndpoint} AND ${isLeased}) AS leased,
           (SELECT COUNT(*) FROM (SELECT 1 ${ofEndpoint} AND ${isDue} ORDER BY ${order} LIMIT :ofEndpoint) AS d) AS due
      FROM waiting CROSS JOIN webhook_endpoint e
     WHERE e.endpoint_id = waiting.endpoint_id AND ${which} AND ${mayBegin} AND NOT e.client_id ${oneOf('full')})
  SELECT e.endpoint_id, e.client_id, c.origin, e.url, e.private_network, e.secrets, e.hears_own, e.hears_calendars,
         e.hears_connections, e.failures, e.failing_since, c.most - c.leased AS free, c.due
    FROM (SELECT candidate.*, MAX(served_at) OVER (PARTITION BY client_id) AS client_served_at,
                 ROW_NUMBER() OVER (PARTITION BY client_id ORDER BY leased, served_at, endpoint_id) AS turn
            FROM candidate WHERE due > 0 AND leased < most AND NOT client_id || ' ' || origin ${oneOf('full')}
           ORDER BY turn, client_served_at, endpoint_id LIMIT ${ENDPOINTS_AT_ONCE}) AS c
    JOIN webhook_endpoint e ON e.endpoint_id = c.endpoint_id
   ORDER BY c.turn, c.client_served_at, c.endpoint_id`;
}

/** Selects how many more deliveries a locked endpoint may have; 0 if it may not be served now. */
const freeText = (value: Supplied['value'], { table, isLeased, mayBegin, most }: Work): string => `
  SELECT CASE WHEN free > ${value('most')} THEN ${value('most')} WHEN free > 0 THEN free ELSE 0 END
    FROM (SELECT ${most} - (SELECT COUNT(*) FROM ${table} r WHERE r.endpoint_id = e.endpoint_id AND ${isLeased}) AS free
            FROM webhook_endpoint e WHERE e.endpoint_id = ${value('endpointId')} AND ${mayBegin}) AS f`;

/** Leases due work of several endpoints. One caller at a time counts the running work of an endpoint. */
const leaseBatch = (work: WorkOf, { skipLocked }: Dialect, returning: string): BatchStatement => ({
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
      UPDATE webhook_endpoint AS e SET served_at = ${value('now')} ${from}
       WHERE e.endpoint_id = ${value('endpointId')} AND ${work(value).mayBegin}`,
  ],
  sql: ({ value, fromOnce }) => {
    const { table, key, order, isDue, lease } = work(value);
    const due = `
      SELECT w.${key} AS picked_id FROM ${table} w WHERE w.endpoint_id = ${value('endpointId')} AND ${isDue}
       ORDER BY ${order} LIMIT COALESCE((${freeText(value, work(value))}), 0) ${skipLocked}`;
    return `
    UPDATE ${table} SET ${lease} ${fromOnce(due)} WHERE ${key} = picked_id
    RETURNING endpoint_id, client_id, user_id, calendar_key, ${returning}`;
  },
  key: 'endpointId',
  writes: true,
  // After a power cut, leased work is done again.
  flush: 'later',
  plan: 'once',
});
const MESSAGE: BatchStatement = {
  columns: { messageId: 'TEXT' },
  sql: ({ value, andFrom }) => `
    SELECT m.message_id, m.sequence, m.shows, m.body, m.attempts, m.next_at, m.created_at
      FROM webhook_message AS m${andFrom} WHERE m.message_id = ${value('messageId')}`,
  key: 'messageId',
  writes: false,
};

const STREAM_COLUMNS = `
  stream_id, told_seq AS delivered_seq, told_id AS delivered_id, sequence, initial, pending_since, message_id, trace`;

/** Returns StreamStore.takeStreams on `db`. */
export function streamTaker(db: Database, sealer: Sealer): StreamStore['takeStreams'] {
  const lease = leaseBatch(STREAMS, db.dialect, STREAM_COLUMNS);
  const dueOfAll = dueText(STREAMS, db.dialect, [WAITING_STREAMS, 'e.expires_at IS NULL']);
  const dueOfListener = dueText(STREAMS, db.dialect, [LISTENER, 'e.expires_at > :now']);
  return (terms) => {
    const { holder, leaseUntil, listenerId } = terms;
    const due = listenerId === undefined ? dueOfAll : dueOfListener;
    return take({ db, due, lease }, terms, (found) => {
      const endpoint = openedEndpoint(found, sealer);
      return async (stream: StreamRow) => {
        const { messageId } = stream;
        const message =
          messageId === undefined ? undefined : await db.batch<PendingMessage>(MESSAGE, { messageId });
        return { ...openedStream(stream, message, sealer), endpoint, holder, leaseUntil };
      };
    });
  };
}

// In the order of the index, which PostgreSQL would not use while its statistics are outdated.
const ANY_RESEND =
  'SELECT endpoint_id FROM webhook_message WHERE replay_at IS NOT NULL ORDER BY endpoint_id LIMIT 1';

/** Returns MessageLog.takeReplays on `db`. */
export function replayTaker(db: Database, sealer: Sealer): MessageLog['takeReplays'] {
  const lease = leaseBatch(REPLAYS, db.dialect, 'message_id AS message_id, shows, body');
  const due = dueText(REPLAYS, db.dialect, [waitingText('webhook_message', 'replay_at'), '1 = 1']);
  return async (terms) => {
    // Usually there are none, which this query finds at less cost.
    if ((await db.get(ANY_RESEND, {})) === undefined) return [];
    return take({ db, due, lease }, terms, (endpoint) => {
      const { url, privateNetwork } = endpoint;
      const secrets = openSecrets(endpoint, sealer);
      return ({ endpointId: _, ...row }: ReplayRow) => ({
        ...row,
        body: sealer.open(row.body, messageContext(row.messageId)),
        ...{ url, privateNetwork, secrets },
      });
    });
  };
}

/** Takes slots for due work and leases it. Returns the slots of work that was not leased, or all if this fails. */
async function take<Row, Opened>(
  { db, due, lease }: { readonly db: Database; readonly due: string; readonly lease: BatchStatement },
  { slots, listenerId = '', ...terms }: TakeTerms,
  openerOf: (endpoint: EndpointRow) => (row: Row) => Opened | Promise<Opened>,
): Promise<(Opened & { readonly place: SlotPlace })[]> {
  if (slots.isFull({})) return [];
  const full = slots.full().map(({ clientId, host }) => (host === '' ? clientId : `${clientId} ${host}`));
  const endpoints = await db.all<EndpointRow>(due, { ...terms, listenerId, full });
  const picked = slots.pick(
    endpoints.map((endpoint) => {
      const { clientId, endpointId: owner, origin: host, free, due } = endpoint;
      return { clientId, owner, host, due: Math.min(free, due), endpoint };
    }),
  );
  const held: SlotPlace[] = [];
  try {
    const all = [...Map.groupBy(picked, (place) => place)].map(async ([place, { length: most }]) => {
      const rows = await db.batchAll<Row>(lease, { ...terms, endpointId: place.owner, most });
      const { clientId, owner, host } = place;
      const open = openerOf(place.endpoint);
      return Promise.all(
        rows.map(async (row) => ({ ...(await open(row)), place: { clientId, owner, host } })),
      );
    });
    const leased = (await Promise.all(all)).flat();
    held.push(...leased.map(({ place }) => place));
    return leased;
  } finally {
    for (const place of picked) slots.remove(place);
    for (const place of held) slots.add(place);
  }
}

const openedEndpoint = (
  { endpointId, url, privateNetwork, failures, secrets, ...row }: EndpointRow,
  sealer: Sealer,
): TakenStream['endpoint'] => ({
  ...{ endpointId, url, privateNetwork, failures, failingSince: row.failingSince },
  secrets: openSecrets({ endpointId, secrets }, sealer),
  hearsOwn: row.hearsOwn === 1,
  hearsCalendars: row.hearsCalendars === 1,
  hearsConnections: row.hearsConnections === 1,
});

function openedStream(stream: StreamRow, message: PendingMessage | undefined, sealer: Sealer) {
  const { deliveredSeq: seq, deliveredId: id, initial, messageId: _, trace, ...names } = stream;
  return {
    ...names,
    delivered: { seq, id },
    initial: initial === 1,
    ...(trace === undefined ? {} : { trace }),
    message: message && { ...message, body: sealer.open(message.body, messageContext(message.messageId)) },
  };
}
