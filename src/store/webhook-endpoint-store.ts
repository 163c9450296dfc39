/** EndpointStore in SQL; held to test/contract/webhook-endpoint-store.contract.ts on both databases. */
import { endpointAddress } from '../lib/endpoint-address.ts';
import type { Sealer } from '../lib/sealing.ts';
import type { PauseReason } from '../webhooks/endpoint.ts';
import type { EndpointStore, ListedEndpoint, NewEndpoint } from '../webhooks/endpoint-store.ts';
import type { Database } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';
import { lookSoon } from './followed-accounts.ts';
import { openSecrets, sealSecrets } from './webhook-sealing.ts';

type Row = {
  endpointId: string;
  clientId: string;
  url: string;
  isFirst: number;
  events: number;
  calendars: number;
  connections: number;
  own: number;
  state: 'active' | 'paused';
  pausedReason: PauseReason | null;
  pausedAt: number | null;
  failures: number;
  failingSince: number | null;
  createdAt: number;
  expiresAt: number | null;
  waiting: number;
  lastFault: string | null;
};

const LISTED = `
  SELECT e.endpoint_id AS "endpointId", e.client_id AS "clientId", e.url, e.is_first AS "isFirst",
         e.hears_events AS "events", e.hears_calendars AS "calendars", e.hears_connections AS "connections",
         e.hears_own AS "own", e.state, e.paused_reason AS "pausedReason", e.paused_at AS "pausedAt", e.failures,
         e.failing_since AS "failingSince", e.created_at AS "createdAt", e.expires_at AS "expiresAt",
         (SELECT COUNT(*) FROM webhook_stream s WHERE s.endpoint_id = e.endpoint_id AND s.due_at IS NOT NULL) AS "waiting",
         CASE WHEN e.failures > 0 THEN
           (SELECT t.fault FROM webhook_stream s JOIN webhook_attempt t ON t.message_id = s.message_id
             WHERE s.endpoint_id = e.endpoint_id AND t.fault IS NOT NULL ORDER BY t.started_at DESC LIMIT 1) END AS "lastFault"
    FROM webhook_endpoint e`;
const OF_CLIENT = `${LISTED} WHERE CAST(:clientId AS TEXT) IS NULL OR e.client_id = :clientId
   ORDER BY e.client_id, e.is_first DESC, e.created_at, e.endpoint_id`;
const ONE = `${LISTED} WHERE e.endpoint_id = :endpointId`;
const ADD = `
  INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, secrets, hears_events, hears_calendars,
    hears_connections, hears_own, created_at, expires_at)
  SELECT :endpointId, :clientId, :url, :address, 0, :secrets, CAST(:events AS BIGINT), CAST(:calendars AS BIGINT),
         CAST(:connections AS BIGINT), CAST(:own AS BIGINT), CAST(:createdAt AS BIGINT), CAST(:expiresAt AS BIGINT)
   WHERE CAST(:most AS BIGINT) IS NULL
      OR (SELECT COUNT(*) FROM webhook_endpoint
           WHERE client_id = :clientId AND expires_at > CAST(:createdAt AS BIGINT)) < CAST(:most AS BIGINT)
  RETURNING endpoint_id`;
// Its row is locked by this: listeners of an application are counted by one caller at a time.
const LOCK_CLIENT =
  'UPDATE application SET updated_at = updated_at WHERE client_id = :clientId RETURNING client_id';
const IS_LISTENER =
  'endpoint_id = :endpointId AND client_id = :clientId AND expires_at IS NOT NULL RETURNING endpoint_id';
const RENEW = `UPDATE webhook_endpoint SET expires_at = :expiresAt WHERE expires_at > :now AND ${IS_LISTENER}`;
const REMOVE_LISTENER = `DELETE FROM webhook_endpoint WHERE ${IS_LISTENER}`;
const REMOVE_ENDED = `
  DELETE FROM webhook_endpoint WHERE endpoint_id IN
    (SELECT endpoint_id FROM webhook_endpoint WHERE expires_at < :now ORDER BY expires_at LIMIT 100)
  RETURNING endpoint_id`;
const PAUSE = `
  UPDATE webhook_endpoint SET state = 'paused', paused_reason = 'operator', paused_at = :now
   WHERE endpoint_id = :endpointId RETURNING endpoint_id`;
const RESUME = `
  UPDATE webhook_endpoint SET state = 'active', paused_reason = NULL, paused_at = NULL, failures = 0,
         failing_since = NULL, gate_at = 0
   WHERE endpoint_id = :endpointId RETURNING endpoint_id`;
/** What waits to be tried again is tried now. */
const WAKE = `
  UPDATE webhook_stream SET due_at = 0 WHERE endpoint_id = :endpointId AND due_at IS NOT NULL AND lease_holder IS NULL`;
const REMOVE =
  'DELETE FROM webhook_endpoint WHERE endpoint_id = :endpointId AND is_first = 0 RETURNING endpoint_id';
const SECRETS = 'SELECT secrets FROM webhook_endpoint WHERE endpoint_id = :endpointId';
// Its row is locked by the first: what is read then is what the call before made.
const LOCK = 'UPDATE webhook_endpoint SET url = url WHERE endpoint_id = :endpointId RETURNING secrets';
const KEEP_SECRETS = 'UPDATE webhook_endpoint SET secrets = :secrets WHERE endpoint_id = :endpointId';
const ELSEWHERE = `
  SELECT endpoint_id FROM webhook_endpoint WHERE address = :address AND client_id <> :clientId LIMIT 1`;

/** Endpoints in `db`; secrets are sealed. */
export function endpointStore(db: Database, sealer: Sealer): EndpointStore {
  const add = (endpoint: NewEndpoint, terms: { expiresAt: number | null; most: number | null }) => {
    const { endpointId, clientId, url, hears, secret, createdAt } = endpoint;
    const flags = {
      events: Number(hears.events),
      calendars: Number(hears.calendars),
      connections: Number(hears.connections),
      own: Number(hears.own),
    };
    const secrets = sealSecrets(endpointId, [{ secret }], sealer);
    const values = { endpointId, clientId, url, address: endpointAddress(url), secrets, createdAt };
    return db.transaction(async (tx) => {
      await tx.all(LOCK_CLIENT, { clientId });
      await lookSoon(tx, { clientId }, createdAt);
      return (await tx.all(ADD, { ...values, ...flags, ...terms })).length > 0;
    });
  };
  return {
    async listEndpoints(clientId) {
      return (await db.all<Row>(OF_CLIENT, { clientId: clientId ?? null })).map(endpointOf);
    },

    async findEndpoint(endpointId) {
      const row = await db.get<Row>(ONE, { endpointId });
      return row && endpointOf(row);
    },

    async addEndpoint(endpoint) {
      await add(endpoint, { expiresAt: null, most: null });
    },

    addListener: (listener, expiresAt, most) => add(listener, { expiresAt, most }),

    async renewListener(listener, expiresAt, now) {
      return (await db.write(RENEW, { ...listener, expiresAt, now })).length > 0;
    },

    async removeListener(listener) {
      return (await db.write(REMOVE_LISTENER, { ...listener })).length > 0;
    },

    removeEndedListeners: (now) => deleteInParts(db, REMOVE_ENDED, { now }),

    async pauseEndpoint(endpointId, now) {
      return (await db.write(PAUSE, { endpointId, now })).length > 0;
    },

    async resumeEndpoint(endpointId) {
      return db.transaction(async (tx) => {
        const resumed = await tx.all(RESUME, { endpointId });
        if (resumed.length > 0) await tx.all(WAKE, { endpointId });
        return resumed.length > 0;
      });
    },

    async removeEndpoint(endpointId) {
      return (await db.write(REMOVE, { endpointId })).length > 0;
    },

    async secretsOf(endpointId) {
      const row = await db.get<{ secrets: string | null }>(SECRETS, { endpointId });
      return row && openSecrets({ endpointId, ...row }, sealer);
    },

    async changeSecrets(endpointId, change) {
      return db.transaction(async (tx) => {
        const row = await tx.get<{ secrets: string | null }>(LOCK, { endpointId });
        if (row === undefined) return false;
        const secrets = change(openSecrets({ endpointId, ...row }, sealer));
        await tx.all(KEEP_SECRETS, { endpointId, secrets: sealSecrets(endpointId, secrets, sealer) });
        return true;
      });
    },

    async isElsewhere(address, clientId) {
      return (await db.get(ELSEWHERE, { address, clientId })) !== undefined;
    },
  };
}

function endpointOf({ isFirst, events, calendars, connections, own, ...row }: Row): ListedEndpoint {
  return {
    ...row,
    isFirst: isFirst === 1,
    hears: {
      events: events === 1,
      calendars: calendars === 1,
      connections: connections === 1,
      own: own === 1,
    },
    pausedReason: row.pausedReason ?? undefined,
    pausedAt: row.pausedAt ?? undefined,
    failingSince: row.failingSince ?? undefined,
    expiresAt: row.expiresAt ?? undefined,
    lastFault: row.lastFault ?? undefined,
  };
}
