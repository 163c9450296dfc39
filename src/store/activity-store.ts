/** ActivityStore in SQL; held to test/contract/activity-store.contract.ts on both databases. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Activity, ActivityCount } from '../activity/activity.ts';
import type { ActivityStore, ApplicationLoad, HourCount, LoadOrder } from '../activity/activity-store.ts';
import type { Database, Statements, Value } from './drivers/database.ts';
import { deleteInParts } from './drivers/delete-in-parts.ts';

/** The client id under which all applications are counted together. */
const ALL = '';

/** Rows in one statement. The rest are inserted one by one, so that there are few different statements. */
const ROWS_PER_INSERT = 25;

/** Returns a statement that adds rows of columns of these types, with its parameters numbered by row. */
function addText(rows: number, { into, types, merge }: Counts): string {
  const row = (_: unknown, index: number) =>
    `(${Object.entries(types).map(([name, type]) => `CAST(:${name}${index} AS ${type})`)})`;
  return `
    INSERT INTO ${into}
    SELECT column1, column2, column3, column4 FROM (VALUES ${Array.from({ length: rows }, row)}) AS counted
    ${merge}`;
}

type Counts = {
  readonly into: string;
  readonly types: Readonly<Record<string, string>>;
  readonly merge: string;
};

const ACTIVITIES: Counts = {
  into: 'activity_count (client_id, hour, name, count)',
  types: { clientId: 'TEXT', hour: 'BIGINT', activity: 'TEXT', count: 'BIGINT' },
  merge: `
     WHERE column1 = '' OR EXISTS (SELECT 1 FROM application AS a WHERE a.client_id = column1)
    ON CONFLICT (client_id, hour, name) DO UPDATE SET count = activity_count.count + excluded.count`,
};
const ATTEMPTS: Counts = {
  into: 'endpoint_hour (endpoint_id, hour, attempts, failures)',
  types: { endpointId: 'TEXT', hour: 'BIGINT', attempts: 'BIGINT', failures: 'BIGINT' },
  merge: `
     WHERE EXISTS (SELECT 1 FROM webhook_endpoint AS e WHERE e.endpoint_id = column1)
    ON CONFLICT (endpoint_id, hour) DO UPDATE
       SET attempts = endpoint_hour.attempts + excluded.attempts, failures = endpoint_hour.failures + excluded.failures`,
};
const renderTexts = (counts: Counts) => ({ many: addText(ROWS_PER_INSERT, counts), one: addText(1, counts) });
const [ADD_ACTIVITIES, ADD_ATTEMPTS] = [renderTexts(ACTIVITIES), renderTexts(ATTEMPTS)];

const sum = (...names: Activity[]) =>
  `CAST(SUM(CASE WHEN c.name IN ('${names.join("', '")}') THEN c.count ELSE 0 END) AS BIGINT)`;
/** Applications in one statement: reading their week takes about 10 ms, in which SQLite blocks other reads. */
const LOADS_AT_ONCE = 10;
const LOADS = `
  SELECT a.client_id, MAX(a.name) AS name, ${sum('calls', 'refusals')} AS requests, ${sum('refusals')} AS errors,
         ${sum('call_ms')} AS call_ms, ${sum('syncs')} AS syncs, ${sum('sync_ms')} AS sync_ms,
         ${sum('delivered', 'failed')} AS deliveries, ${sum('failed')} AS failures
    FROM (SELECT client_id, name FROM application WHERE client_id > :after ORDER BY client_id LIMIT ${LOADS_AT_ONCE}) AS a
    LEFT JOIN activity_count AS c ON c.client_id = a.client_id AND c.hour >= :hour
   GROUP BY a.client_id ORDER BY a.client_id`;
const LOAD_OF: Readonly<Record<LoadOrder, (load: ApplicationLoad) => number>> = {
  requests: ({ requests }) => requests,
  errors: ({ errors }) => errors,
  time: ({ callMs, syncMs }) => callMs + syncMs,
  syncs: ({ syncs }) => syncs,
  deliveries: ({ deliveries }) => deliveries,
};

const DELETE_OLD = `
  DELETE FROM activity_count
   WHERE (client_id, hour, name) IN
         (SELECT client_id, hour, name FROM activity_count WHERE hour < :before LIMIT :limit)`;
const DELETE_OLD_ATTEMPTS = `
  DELETE FROM endpoint_hour
   WHERE (endpoint_id, hour) IN (SELECT endpoint_id, hour FROM endpoint_hour WHERE hour < :before LIMIT :limit)`;

export function activityStore(db: Database): ActivityStore {
  const since = `FROM activity_count WHERE client_id ${db.dialect.oneOf('clientIds')} AND hour >= :hour`;
  const SUMS = `SELECT name AS activity, CAST(SUM(count) AS BIGINT) AS count ${since} GROUP BY name`;
  const HOURS = `
    SELECT hour, name AS activity, CAST(SUM(count) AS BIGINT) AS count ${since}
     GROUP BY hour, name ORDER BY hour, name`;
  return {
    addCounts: (counts, hour, attempts = []) =>
      db.transaction(async (tx) => {
        // Locks endpoints first, as the deletion of an application does.
        const sorted = attempts.toSorted((one, other) => (one.endpointId < other.endpointId ? -1 : 1));
        await addRows(tx, ADD_ATTEMPTS, withHour(sorted, hour));
        await addRows(tx, ADD_ACTIVITIES, withHour(withTotals(counts), hour));
      }),

    async sumsSince(hour, clientIds = [ALL]) {
      const rows = await db.all<{ activity: Activity; count: number }>(SUMS, { hour, clientIds });
      return new Map(rows.map(({ activity, count }) => [activity, count]));
    },

    hoursSince: async (hour, clientIds = [ALL]) => db.all<HourCount>(HOURS, { hour, clientIds }),

    async mostActive(hour, by, limit) {
      const loadOf = LOAD_OF[by];
      let most: ApplicationLoad[] = [];
      for (let after = ''; ; await nextTurn()) {
        const loads = await db.all<ApplicationLoad>(LOADS, { hour, after });
        const all = [...most, ...loads.filter((load) => loadOf(load) > 0)];
        most = all.toSorted((one, other) => loadOf(other) - loadOf(one)).slice(0, limit);
        const last = loads.at(-1);
        if (last === undefined || loads.length < LOADS_AT_ONCE) return most;
        after = last.clientId;
      }
    },

    deleteOldCounts: async (before) =>
      (await deleteInParts(db, DELETE_OLD, { before })) +
      (await deleteInParts(db, DELETE_OLD_ATTEMPTS, { before })),
  };
}

const withHour = <T>(counts: readonly T[], hour: number) => counts.map((count) => ({ ...count, hour }));

async function addRows(
  tx: Statements,
  { many, one }: ReturnType<typeof renderTexts>,
  rows: readonly Readonly<Record<string, Value>>[],
): Promise<void> {
  for (let from = 0; from < rows.length; ) {
    const isMany = rows.length - from >= ROWS_PER_INSERT;
    const part = rows.slice(from, from + (isMany ? ROWS_PER_INSERT : 1));
    const entries = part.flatMap((row, index) =>
      Object.entries(row).map(([name, value]) => [`${name}${index}`, value] as const),
    );
    await tx.change(isMany ? many : one, Object.fromEntries(entries));
    from += part.length;
  }
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
