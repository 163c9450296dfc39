/** ConnectionCounts in SQL; held to test/contract/connection-counts.contract.ts on both databases. */
import type { ConnectionCounts, UnhealthyCount } from '../../calendars/connection-counts.ts';
import type { Database } from '../drivers/database.ts';
import { UNFINISHED } from './account-rows.ts';

/** Maximum count while a caller waits. */
const FEW = 10_000;
const HOUR_MS = 3_600_000;
/** The client id of the sum of all applications. */
const ALL = '';

const LAST = 'SELECT MAX(counted_at) AS at FROM connection_total';
const CLIENTS = 'SELECT client_id FROM application ORDER BY client_id';
// The total of an application is a difference, because its index does not have the group of an account.
const COUNT = 'SELECT COUNT(*) AS count FROM account WHERE client_id = :clientId';
const UNFINISHED_COUNTS = `
  SELECT a.client_id, COUNT(*) AS count
    FROM account_group AS g JOIN account AS a ON a.group_id = g.group_id
   WHERE g.expires_at IS NOT NULL GROUP BY a.client_id`;
const KEEP = `
  INSERT INTO connection_total (client_id, total, counted_at) VALUES (:clientId, :total, :now)
  ON CONFLICT (client_id) DO UPDATE SET total = excluded.total, counted_at = excluded.counted_at`;
const FORGET = 'DELETE FROM connection_total WHERE counted_at < :now';

export function connectionCounts(db: Database): ConnectionCounts {
  const ofThese = `client_id ${db.dialect.oneOf('clientIds')}`;
  const some = (where: string) =>
    `SELECT COUNT(*) AS count FROM (
       SELECT 1 FROM account WHERE ${where} group_id NOT IN (${UNFINISHED}) LIMIT ${FEW + 1}) AS first`;
  const [SOME_OF_ALL, SOME_OF_THESE] = [some(''), some(`${ofThese} AND`)];
  const KEPT = `SELECT CAST(SUM(total) AS BIGINT) AS count FROM connection_total WHERE ${ofThese}`;
  const unhealthyText = (and: string) => `
    SELECT health AS state, health_reason AS reason, COUNT(*) AS count
      FROM (SELECT a.health, a.health_reason FROM account AS a
             WHERE a.health <> 'active' AND a.health_reason IS NOT NULL ${and}
               AND a.group_id NOT IN (${UNFINISHED})
             LIMIT :most) AS counted
     GROUP BY health, health_reason ORDER BY 3 DESC, 1, 2`;
  const [AILING_OF_ALL, AILING_OF_THESE] = [unhealthyText(''), unhealthyText(`AND a.${ofThese}`)];
  return {
    async countConnections(clientIds) {
      const values = clientIds === undefined ? {} : { clientIds };
      const sql = clientIds === undefined ? SOME_OF_ALL : SOME_OF_THESE;
      const counted = (await db.get<{ count: number }>(sql, values))?.count ?? 0;
      if (counted <= FEW) return { count: counted, isExact: true };
      const stored = await db.get<{ count: number | undefined }>(KEPT, { clientIds: clientIds ?? [ALL] });
      return { count: Math.max(counted, stored?.count ?? 0), isExact: false };
    },

    async countByHealth(most, clientIds) {
      const values = clientIds === undefined ? { most } : { most, clientIds };
      return db.all<UnhealthyCount>(clientIds === undefined ? AILING_OF_ALL : AILING_OF_THESE, values);
    },

    async keepTotals(now) {
      const last = (await db.get<{ at: number | undefined }>(LAST))?.at ?? 0;
      if (last > now - HOUR_MS) return 0;
      const clients = await db.all<{ clientId: string }>(CLIENTS);
      const rows = await db.all<{ clientId: string; count: number }>(UNFINISHED_COUNTS);
      const unfinished = new Map(rows.map(({ clientId, count }) => [clientId, count]));
      let sum = 0;
      for (const { clientId } of clients) {
        const accounts = (await db.get<{ count: number }>(COUNT, { clientId }))?.count ?? 0;
        const total = Math.max(0, accounts - (unfinished.get(clientId) ?? 0));
        sum += total;
        await db.change(KEEP, { clientId, total, now });
      }
      await db.change(KEEP, { clientId: ALL, total: sum, now });
      await db.change(FORGET, { now });
      return clients.length;
    },
  };
}
