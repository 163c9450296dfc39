/** EndpointStore in SQL; held to test/contract/webhook-endpoint-store.contract.ts on both databases. */
import type { By } from '../../audit/audit-entry.ts';
import { auditedUrl } from '../../audit/audited-url.ts';
import { comparableAddress } from '../../lib/egress/endpoint-address.ts';
import type { Sealer } from '../../lib/sealing.ts';
import type {
  EndpointFigures,
  EndpointPage,
  EndpointStore,
  ListedEndpoint,
  NewEndpoint,
} from '../../webhooks/endpoint-store.ts';
import { auditFor } from '../audit/append-audit.ts';
import type { Database } from '../drivers/database.ts';
import { deleteInParts } from '../drivers/delete-in-parts.ts';
import { lookSoon } from '../jobs/followed-accounts.ts';
import { refuseFurther, SET_BY_OWNER, urlColumns } from './first-endpoint.ts';
import { endpointChanges, hearsFlags, hearsWords } from './webhook-endpoint-changes.ts';
import { openSecrets, sealSecrets } from './webhook-sealing.ts';

type Row = Omit<ListedEndpoint, 'isFirst' | 'hears'> & {
  isFirst: number;
  events: number;
  calendars: number;
  connections: number;
  own: number;
};

/** Maximum count of waiting streams: an unreachable endpoint may have one for every calendar. */
const MOST_WAITING = 10_000;
/** Number of due streams that are searched for the last fault. Retries are due in the future and come first. */
const MOST_RETRIED = 200;
/** Selects the last fault of a failing endpoint `e` among its `streams` streams that are due last. */
export const lastFault = (streams: number): string => `
         CASE WHEN e.failures > 0 THEN
           (SELECT t.fault FROM
             (SELECT message_id FROM webhook_stream
               WHERE endpoint_id = e.endpoint_id AND due_at IS NOT NULL
               ORDER BY due_at DESC LIMIT ${streams}) AS s
              JOIN webhook_attempt t ON t.message_id = s.message_id
             WHERE t.fault IS NOT NULL ORDER BY t.started_at DESC LIMIT 1) END`;
/** Selects endpoints `e` of a table or subquery. Counts their streams, so the rows of a page are chosen before. */
const listedFrom = (from: string): string => `
  SELECT e.endpoint_id, e.client_id, e.url, e.private_network, e.is_first,
         e.hears_events AS events, e.hears_calendars AS calendars, e.hears_connections AS connections,
         e.hears_own AS own, e.state, e.paused_reason, e.paused_at, e.failures,
         e.failing_since, e.created_at, e.expires_at,
         (SELECT COUNT(*) FROM
           (SELECT 1 FROM webhook_stream s WHERE s.endpoint_id = e.endpoint_id AND s.due_at IS NOT NULL
             LIMIT ${MOST_WAITING}) AS counted) AS waiting,
         ${lastFault(MOST_RETRIED)} AS last_fault
    FROM ${from} AS e`;
const AFTER =
  '(e.client_id, 1 - e.is_first, e.created_at, e.endpoint_id) > (:clientId, :rank, :createdAt, :endpointId)';
const ALL: EndpointPage = { after: undefined, limit: Number.MAX_SAFE_INTEGER };
const IN_ORDER = 'ORDER BY e.client_id, 1 - e.is_first, e.created_at, e.endpoint_id';
const ONE = `${listedFrom('webhook_endpoint')} WHERE e.endpoint_id = :endpointId`;
const ADD = `
  INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, private_network, is_first, secrets, hears_events, hears_calendars,
    hears_connections, hears_own, created_at, expires_at)
  SELECT :endpointId, :clientId, :url, :address, ${SET_BY_OWNER}, 0, :secrets, CAST(:events AS BIGINT), CAST(:calendars AS BIGINT),
         CAST(:connections AS BIGINT), CAST(:own AS BIGINT), CAST(:createdAt AS BIGINT), CAST(:expiresAt AS BIGINT)
   WHERE CAST(:most AS BIGINT) IS NULL
      OR (SELECT COUNT(*) FROM webhook_endpoint
           WHERE client_id = :clientId AND expires_at > CAST(:createdAt AS BIGINT)) < CAST(:most AS BIGINT)`;
// Locks the application's row, so that one caller at a time counts its endpoints and listeners.
const LOCK_CLIENT = 'UPDATE application SET updated_at = updated_at WHERE client_id = :clientId';
const IS_LISTENER = 'endpoint_id = :endpointId AND client_id = :clientId AND expires_at IS NOT NULL';
const RENEW = `UPDATE webhook_endpoint SET expires_at = :expiresAt WHERE expires_at > :now AND ${IS_LISTENER}`;
const REMOVE_LISTENER = `DELETE FROM webhook_endpoint WHERE ${IS_LISTENER}`;
const REMOVE_ENDED = `
  DELETE FROM webhook_endpoint WHERE endpoint_id IN
    (SELECT endpoint_id FROM webhook_endpoint WHERE expires_at < :now ORDER BY expires_at LIMIT 100)`;
const SECRETS = 'SELECT secrets FROM webhook_endpoint WHERE endpoint_id = :endpointId';
const URLS_ELSEWHERE = 'SELECT url FROM webhook_endpoint WHERE client_id <> :clientId AND expires_at IS NULL';

/** Returns the store of endpoints, at most `most` per application. Secrets are sealed. */
export function endpointStore(db: Database, sealer: Sealer, most = Number.POSITIVE_INFINITY): EndpointStore {
  type Terms = By & { expiresAt: number | null; most: number | null };
  const add = (endpoint: NewEndpoint, { by, ...terms }: Terms) => {
    const { endpointId, clientId, url, hears, secret, createdAt } = endpoint;
    const secrets = sealSecrets(endpointId, [{ secret }], sealer);
    const values = { endpointId, clientId, ...urlColumns(url, by), secrets, createdAt };
    return db.transaction(async (tx) => {
      await tx.change(LOCK_CLIENT, { clientId });
      if (terms.expiresAt === null) await refuseFurther(tx, clientId, most);
      await lookSoon(tx, { clientId }, createdAt);
      const isAdded = (await tx.change(ADD, { ...values, ...hearsFlags(hears), ...terms })) > 0;
      const after = { url: auditedUrl(url), hears: hearsWords(hears) };
      if (isAdded)
        await auditFor(tx, by, { action: 'endpoint.created', clientId, subject: endpointId, after });
      return isAdded;
    });
  };
  return {
    ...endpointChanges(db, sealer),
    async listEndpoints(clientId, { after, limit } = ALL) {
      const clientIds = typeof clientId === 'string' ? [clientId] : clientId;
      const { isFirst = false, ...place } = after ?? {};
      const conditions = [
        ...(clientIds === undefined ? [] : [`e.client_id ${db.dialect.oneOf('clientIds')}`]),
        ...(after === undefined ? [] : [AFTER]),
      ];
      const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
      const page = `(SELECT * FROM webhook_endpoint AS e ${where} ${IN_ORDER} LIMIT :limit)`;
      const rows = await db.all<Row>(`${listedFrom(page)} ${IN_ORDER}`, {
        ...(clientIds && { clientIds }),
        ...(after && { ...place, rank: isFirst ? 0 : 1 }),
        limit,
      });
      return rows.map(toListedEndpoint);
    },

    async findEndpoint(endpointId) {
      const row = await db.get<Row>(ONE, { endpointId });
      return row && toListedEndpoint(row);
    },

    async addEndpoint(endpoint, by) {
      await add(endpoint, { expiresAt: null, most: null, by });
    },

    addListener: (listener, expiresAt, most) => add(listener, { expiresAt, most, by: undefined }),

    async renewListener(listener, expiresAt, now) {
      return (await db.change(RENEW, { ...listener, expiresAt, now })) > 0;
    },

    async removeListener(listener) {
      return (await db.change(REMOVE_LISTENER, { ...listener })) > 0;
    },

    figuresOf: (endpointId, since) => endpointFigures(db, endpointId, since),

    removeEndedListeners: (now) => deleteInParts(db, REMOVE_ENDED, { now }),

    async secretsOf(endpointId) {
      const row = await db.get<{ secrets: string | undefined }>(SECRETS, { endpointId });
      return row && openSecrets({ endpointId, ...row }, sealer);
    },

    async isElsewhere(url, clientId) {
      const rows = await db.all<{ url: string }>(URLS_ELSEWHERE, { clientId });
      const address = comparableAddress(url);
      return rows.some((row) => comparableAddress(row.url) === address);
    },
  };
}

function toListedEndpoint({ isFirst, events, calendars, connections, own, ...row }: Row): ListedEndpoint {
  return {
    ...row,
    isFirst: isFirst === 1,
    hears: {
      events: events === 1,
      calendars: calendars === 1,
      connections: connections === 1,
      own: own === 1,
    },
  };
}

const MOST_STREAMS = 1_000;

const ATTEMPTS = `
  SELECT hour, attempts, failures FROM endpoint_hour
   WHERE endpoint_id = :endpointId AND hour >= :since ORDER BY hour`;
const OLDEST = `
  SELECT (SELECT MIN(created_at) FROM webhook_message WHERE endpoint_id = :endpointId AND state = 'pending') AS message,
         (SELECT MIN(pending_since) FROM
           (SELECT pending_since FROM webhook_stream WHERE endpoint_id = :endpointId AND due_at IS NOT NULL
             ORDER BY due_at LIMIT ${MOST_STREAMS}) AS due) AS change`;

export async function endpointFigures(
  db: Database,
  endpointId: string,
  since: number,
): Promise<EndpointFigures> {
  const hours = await db.all<EndpointFigures['hours'][number]>(ATTEMPTS, { endpointId, since });
  const oldest = await db.get<{ message: number | undefined; change: number | undefined }>(OLDEST, {
    endpointId,
  });
  const waiting = [oldest?.message, oldest?.change].filter((at) => typeof at === 'number');
  return {
    attempts: hours.reduce((sum, { attempts }) => sum + attempts, 0),
    failures: hours.reduce((sum, { failures }) => sum + failures, 0),
    hours,
    oldestWaiting: waiting.length === 0 ? undefined : Math.min(...waiting),
  };
}
