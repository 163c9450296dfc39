/**
 * A database as it is with very many users: a few statements fill every table that grows with users, with values
 * derived from a row's number. Six applications share the users; `acme` has half of them.
 */
import type { Database } from '../../src/store/drivers/database.ts';

/** The number of users and the time of the newest rows. */
export type Filling = {
  readonly users: number;
  /** Epoch milliseconds: the newest rows are of this time. */
  readonly now: number;
};

/** The applications besides `acme` and `other`, which the dashboard's harness creates. */
export const MORE_APPLICATIONS = ['load_2', 'load_3', 'load_4', 'load_5'];
/** Rows per user. */
const MESSAGES = 3;
const REQUESTS = 3;
/** The stored rows are spread over this many milliseconds. */
const KEPT_MS = 6 * 24 * 3_600_000;
/** As long as a sealed body of one event. */
const BODY = 'x'.repeat(600);

/** Returns the start of a statement with the numbers from 0 to `count`, exclusive. */
const rows = (count: number): string =>
  `WITH RECURSIVE numbers(n) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ${count})`;

/** Returns SQL for the application of user number `u`. */
const clientOf = (u: string): string =>
  `CASE WHEN ${u} % 10 < 5 THEN 'acme' WHEN ${u} % 10 = 5 THEN 'other' ELSE 'load_' || (${u} % 10 - 4) END`;
const userOf = (u: string): string => `'user-' || ${u}`;

/** Returns the scripts; each runs as one transaction. */
function scriptsOf({ users, now }: Filling): string[] {
  const messages = users * MESSAGES;
  const requests = users * REQUESTS;
  // Rows of one user are scattered, as if all users were active.
  const u = `(n * 7919 % ${users})`;
  const since = (count: number) => `${now} - (${count} - n) * ${KEPT_MS} / ${count}`;
  const endpointOf = `'we_' || (${clientOf(u)})`;
  return [
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at) VALUES
       ${MORE_APPLICATIONS.map((id) => `('${id}', 'The ${id}', 'https://${id}.example/callback', 1, 1)`).join(', ')}`,
    `${rows(users)} INSERT INTO application_user (client_id, user_id, created_at, last_seen_at, feed_id, feed_seq, audit_key)
     SELECT ${clientOf('n')}, ${userOf('n')}, ${since(users)}, ${since(users)}, 'feed', 1, 'key-' || n FROM numbers`,
    `${rows(users)} INSERT INTO account_group (group_id, client_id, user_id, created_at, approved_at)
     SELECT 'group-' || n, ${clientOf('n')}, ${userOf('n')}, ${now}, ${now} FROM numbers`,
    `${rows(users)} INSERT INTO account (account_key, client_id, user_id, provider, key_in_group, display, credentials,
       granted_scopes, health, health_since, health_reason, linked_at, account_id, group_id, identity)
     SELECT 'account-' || n, ${clientOf('n')}, ${userOf('n')},
       CASE n % 4 WHEN 0 THEN 'google' WHEN 1 THEN 'microsoft' WHEN 2 THEN 'apple' ELSE 'caldav' END, 'group-' || n,
       'person-' || n || '@example.com', 'sealed', '[]',
       CASE WHEN n % 50 < 2 THEN CASE n % 50 WHEN 0 THEN 'reauth_required' ELSE 'degraded' END ELSE 'active' END,
       ${since(users)}, CASE n % 50 WHEN 0 THEN 'access_revoked' WHEN 1 THEN 'provider_unavailable' END, ${now},
       'person-' || n || '@example.com', 'group-' || n, 'identity-' || n FROM numbers`,
    `${rows(users)} INSERT INTO calendar (calendar_key, account_key, href, position, title, time_zone, access, original,
       synced_at, event_count, bytes, is_primary)
     SELECT 'calendar-' || n, 'account-' || n, '/work/', 0, 'Work', 'Europe/Vienna', 'write', '{}', ${now}, 100, 50000, 1
       FROM numbers`,
    `${rows(users)} INSERT INTO token_family (family_id, token_hash, client_id, user_id, scope, created_at, refreshed_at,
       coverage_id)
     SELECT n + 1, 'hash-' || n, ${clientOf('n')}, ${userOf('n')}, 'read-write', ${now}, ${now}, 'coverage-' || n
       FROM numbers`,
    `${rows(users)} INSERT INTO grant_coverage (coverage_id, group_id, scope)
     SELECT 'coverage-' || n, 'group-' || n, 'read-write' FROM numbers`,
    `${rows(users)} INSERT INTO job (kind, key, run_at, attempts, owner, account_key, host)
     SELECT 'sync-calendar', 'calendar-' || n, ${now} + n % 3600 * 1000, 0, 'owner-' || n, 'account-' || n, 'dav.example'
       FROM numbers`,
    `${rows(users)} INSERT INTO job_turn (owner, kind, host, turn_at)
     SELECT 'owner-' || n, 'sync-calendar', 'dav.example', ${now} + n % 3600 * 1000 FROM numbers`,
    `${rows(users)} INSERT INTO user_note (client_id, user_id, seq, kind, event_type, group_id, provider, data, noted_at)
     SELECT ${clientOf('n')}, ${userOf('n')}, 1, 'connections', 'connection.connected', 'group-' || n, 'google', '{}',
       ${since(users)} FROM numbers`,
    `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, created_at, failures, failing_since)
     SELECT 'we_' || client_id, client_id, 'https://hooks.example/' || client_id, 'https://hooks.example/' || client_id, 1,
       1, 3, ${now} FROM application`,
    // An endpoint is down, so a change of each of its calendars waits.
    `${rows(users)} INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, calendar_key, told_seq,
       message_id, pending_since, due_at)
     SELECT 'stream-' || n, 'we_' || (${clientOf('n')}), ${clientOf('n')}, ${userOf('n')}, 'calendar-' || n, 1,
       'msg_' || (10000000 + n), ${now}, ${now} + n FROM numbers`,
    `${rows(messages)} INSERT INTO webhook_message (message_id, endpoint_id, client_id, user_id, account_key, calendar_key,
       provider, calendar_id, sequence, change_type, event_count, shows, body, state, attempts, next_at, created_at)
     SELECT 'msg_' || (10000000 + n), ${endpointOf}, ${clientOf(u)}, ${userOf(u)}, 'account-' || ${u},
       'calendar-' || ${u}, 'google', 'work-' || ${u}, n, 'updated', 3, 'events', '${BODY}',
       CASE WHEN n % 100 < 94 THEN 'delivered' WHEN n % 100 < 97 THEN 'dead' WHEN n % 100 < 99 THEN 'withheld'
         ELSE 'pending' END, 1, ${now}, ${since(messages)} FROM numbers`,
    `${rows(messages)} INSERT INTO webhook_attempt (message_id, number, started_at, duration_ms, status, fault)
     SELECT 'msg_' || (10000000 + n), 1, ${since(messages)}, 12, 500, 'It answered 500' FROM numbers`,
    `${rows(requests)} INSERT INTO request_log (request_id, at, method, route, status, status_class, duration_ms, client_id,
       user_hash, network, body)
     SELECT 'req-' || (10000000 + n), ${since(requests)}, 'GET',
       CASE n % 4 WHEN 0 THEN '/events' WHEN 1 THEN '/calendars' WHEN 2 THEN '/token' ELSE '/free-busy' END,
       CASE WHEN n % 100 < 95 THEN 200 WHEN n % 100 < 98 THEN 401 ELSE 500 END,
       CASE WHEN n % 100 < 95 THEN 2 WHEN n % 100 < 98 THEN 4 ELSE 5 END, 12, ${clientOf(u)},
       'user_' || (1000000000000000 + ${u}), '192.0.2.0', NULL FROM numbers`,
    `${rows(users)} INSERT INTO audit_entry (number, made_at, actor_kind, actor_id, actor_name, action, client_id, subject)
     SELECT n + 1, ${since(users)}, 'person', 'p' || n % 20, 'Some person', 'delivery.replayed', ${clientOf('n')},
       'subject-' || n FROM numbers`,
    `UPDATE audit_counter SET number = ${users}`,
  ];
}

/** Fills the database that `openDashboardApp` set up. Very many rows take minutes; indexes are recreated afterwards. */
export async function fillTables(db: Database, filling: Filling): Promise<void> {
  const isPostgres = db.dialect.engine === 'postgres';
  const indexes = await secondaryIndexes(db);
  const run = (sql: string) => db.script(sql, async () => {});
  for (const { name } of indexes) await run(`DROP INDEX ${name}`);
  // The parent rows exist; PostgreSQL would look up each of them, three million times.
  const unchecked = isPostgres ? 'SET LOCAL session_replication_role = replica;' : '';
  for (const script of scriptsOf(filling)) await run(`${unchecked}${script}`);
  for (const { sql } of indexes) await run(sql);
  // Autovacuum would do this later.
  if (isPostgres) await db.all('VACUUM ANALYZE');
}

/** Lists the indexes of the large tables that belong to no constraint. */
async function secondaryIndexes(db: Database): Promise<{ readonly name: string; readonly sql: string }[]> {
  const tables = `IN (${LARGE_TABLES.map((table) => `'${table}'`).join(', ')})`;
  return db.all(
    db.dialect.engine === 'postgres'
      ? `SELECT indexname AS "name", indexdef AS "sql" FROM pg_indexes WHERE tablename ${tables}
           AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname)`
      : `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name ${tables}`,
  );
}

/** The tables that grow with the users. */
export const LARGE_TABLES = [
  ...[
    'application_user',
    'account_group',
    'account',
    'calendar',
    'token_family',
    'grant_coverage',
    'job',
    'job_turn',
  ],
  ...['user_note', 'webhook_stream', 'webhook_message', 'webhook_attempt', 'request_log', 'audit_entry'],
];
