/** Reads how an endpoint's deliveries went, from a bounded number of rows: the cost does not grow with their number. */
import type { EndpointFigures } from '../../webhooks/endpoint-store.ts';
import type { Database } from '../drivers/database.ts';

/** Number of messages that are counted, the newest first. */
const MOST_JUDGED = 1_000;
const MOST_STREAMS = 1_000;

/** Reads each state by its index: a query over several would have to sort. */
const newest = (state: string, name: string): string => `
  SELECT * FROM (SELECT state, created_at FROM webhook_message
                  WHERE endpoint_id = :endpointId AND state = '${state}' AND created_at >= :since AND attempts > 0
                  ORDER BY created_at DESC LIMIT ${MOST_JUDGED}) AS ${name}`;
const JUDGED = `
  SELECT state, COUNT(*) AS count FROM (
    SELECT state FROM (${['delivered', 'dead', 'pending'].map((state) => newest(state, `of_${state}`)).join(' UNION ALL ')}) AS tried
     ORDER BY created_at DESC LIMIT ${MOST_JUDGED}) AS judged
   GROUP BY state`;
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
  const rows = await db.all<{ state: string; count: number }>(JUDGED, { endpointId, since });
  const oldest = await db.get<{ message: number | undefined; change: number | undefined }>(OLDEST, {
    endpointId,
  });
  const waiting = [oldest?.message, oldest?.change].filter((at) => typeof at === 'number');
  return {
    delivered: rows.find(({ state }) => state === 'delivered')?.count ?? 0,
    judged: rows.reduce((sum, { count }) => sum + count, 0),
    oldestWaiting: waiting.length === 0 ? undefined : Math.min(...waiting),
  };
}
