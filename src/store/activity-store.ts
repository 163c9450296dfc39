/** ActivityStore in SQL; held to test/contract/activity-store.contract.ts on both databases. */
import type { Activity, ActivityCount } from '../activity/activity.ts';
import type { ActivityStore, HourCount } from '../activity/activity-store.ts';
import type { Database, Value } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

/** The client id under which all applications are counted together. */
const ALL = '';

/** Rows in one statement. The rest are inserted one by one, so that there are few different statements. */
const ROWS_PER_INSERT = 25;

function addText(rows: number): string {
  const row = (_: unknown, index: number) =>
    `(CAST(:client${index} AS TEXT), CAST(:hour AS BIGINT), CAST(:name${index} AS TEXT), CAST(:count${index} AS BIGINT))`;
  return `
    INSERT INTO activity_count (client_id, hour, name, count)
    SELECT column1, column2, column3, column4
      FROM (VALUES ${Array.from({ length: rows }, row).join(', ')}) AS counted
     WHERE column1 = '' OR EXISTS (SELECT 1 FROM application AS a WHERE a.client_id = column1)
    ON CONFLICT (client_id, hour, name) DO UPDATE SET count = activity_count.count + excluded.count`;
}

const ADD_MANY = addText(ROWS_PER_INSERT);
const ADD_ONE = addText(1);

const DELETE_OLD = `
  DELETE FROM activity_count
   WHERE (client_id, hour, name) IN
         (SELECT client_id, hour, name FROM activity_count WHERE hour < :before LIMIT :limit)`;

export function activityStore(db: Database): ActivityStore {
  const since = `FROM activity_count WHERE client_id ${db.dialect.oneOf('clientIds')} AND hour >= :hour`;
  const SUMS = `SELECT name AS activity, CAST(SUM(count) AS BIGINT) AS count ${since} GROUP BY name`;
  const HOURS = `
    SELECT hour, name AS activity, CAST(SUM(count) AS BIGINT) AS count ${since}
     GROUP BY hour, name ORDER BY hour, name`;
  return {
    addCounts: (counts, hour) =>
      db.transaction(async (tx) => {
        const rows = withTotals(counts);
        for (let from = 0; from < rows.length; ) {
          const many = rows.length - from >= ROWS_PER_INSERT;
          const part = rows.slice(from, from + (many ? ROWS_PER_INSERT : 1));
          const values: Record<string, Value> = { hour };
          for (const [index, { clientId, activity, count }] of part.entries())
            Object.assign(values, {
              [`client${index}`]: clientId,
              [`name${index}`]: activity,
              [`count${index}`]: count,
            });
          await tx.change(many ? ADD_MANY : ADD_ONE, values);
          from += part.length;
        }
      }),

    async sumsSince(hour, clientIds = [ALL]) {
      const rows = await db.all<{ activity: Activity; count: number }>(SUMS, { hour, clientIds });
      return new Map(rows.map(({ activity, count }) => [activity, count]));
    },

    hoursSince: async (hour, clientIds = [ALL]) => db.all<HourCount>(HOURS, { hour, clientIds }),

    deleteOldCounts: (before) => deleteInParts(db, DELETE_OLD, { before }),
  };
}

/** Merges counts and adds the sums of all applications. Their fixed order prevents deadlocks between instances. */
function withTotals(counts: readonly ActivityCount[]): ActivityCount[] {
  const all = [...counts, ...counts.map((one) => ({ ...one, clientId: ALL }))];
  const merged = Map.groupBy(all, ({ clientId, activity }) => `${clientId}\n${activity}`);
  return [...merged]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...more]]) =>
      first === undefined
        ? []
        : [{ ...first, count: more.reduce((sum, { count }) => sum + count, first.count) }],
    );
}
