/** The connections of the PostgreSQL driver. */
import pg from 'pg';

/** How long a statement waits for a free connection of the pool, or for a new one, before it fails. */
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;

/** At most `connections`, each opened when it is needed. */
export function openPool(url: string, connections: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'kalends',
    max: connections,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: IDLE_TIMEOUT_MS,
    keepAlive: true,
    types: { getTypeParser },
  });
  // A connection that the server ends is replaced at the next statement. Both are needed: the pool
  // hears of its idle connections only, and one in use would take the process down with it; the
  // statement it was running fails by itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** bigint arrives as a number: instants in milliseconds and 48-bit keys are exact in one. */
function getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
  if (oid === pg.types.builtins.INT8) return Number;
  // The cast picks the overload: pg's typings list one for each format.
  return pg.types.getTypeParser(oid, format as 'text');
}
