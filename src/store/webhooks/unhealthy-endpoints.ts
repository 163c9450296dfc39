/** UnhealthyEndpoints in SQL; held to test/contract/unhealthy-endpoints.contract.ts on both databases. */
import {
  UNHEALTHY_ON_A_PAGE,
  type UnhealthyEndpoint,
  type UnhealthyEndpoints,
} from '../../webhooks/unhealthy-endpoints.ts';
import type { Database } from '../drivers/database.ts';
import { lastFault } from './webhook-endpoint-store.ts';

const MOST_FAILURES = 3;
const MOST_FAILING_MS = 60_000;
/** Number of due streams of each endpoint that are searched for its last fault. */
const MOST_RETRIED = 10;

const SINCE = 'COALESCE(e.paused_at, e.failing_since)';
const list = (ofClient: string): string => `
  SELECT e.endpoint_id, e.client_id, e.url, e.state, e.paused_reason, e.failures, ${SINCE} AS since,
         ${lastFault(MOST_RETRIED)} AS last_fault
    FROM webhook_endpoint e
   WHERE (e.state = 'paused' OR e.failures > 0) ${ofClient}
     AND (e.state = 'paused' OR e.failures >= ${MOST_FAILURES} OR e.failing_since <= :failingBefore)
     AND e.expires_at IS NULL AND (${SINCE}, e.endpoint_id) < (:since, :endpointId)
   ORDER BY ${SINCE} DESC, e.endpoint_id DESC LIMIT ${UNHEALTHY_ON_A_PAGE}`;
const [OF_ALL, OF_ONE] = [list(''), list('AND e.client_id = :clientId')];

export function unhealthyEndpoints(db: Database): UnhealthyEndpoints {
  return {
    async listUnhealthy({ clientIds, now }, after) {
      const { since, endpointId } = after ?? { since: Number.MAX_SAFE_INTEGER, endpointId: '' };
      const values = { since, endpointId, failingBefore: now - MOST_FAILING_MS };
      if (clientIds === undefined) return db.all<UnhealthyEndpoint>(OF_ALL, values);
      // Reads each application by its own index.
      const ids = [...new Set(clientIds)];
      const pages = ids.map((clientId) => db.all<UnhealthyEndpoint>(OF_ONE, { ...values, clientId }));
      return (await Promise.all(pages)).flat().toSorted(newestFirst).slice(0, UNHEALTHY_ON_A_PAGE);
    },
  };
}

const newestFirst = (one: UnhealthyEndpoint, other: UnhealthyEndpoint): number =>
  other.since - one.since || (one.endpointId < other.endpointId ? 1 : -1);
