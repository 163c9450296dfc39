/** Waits for the backends of a killed program: each still commits the transaction that it has received. */
import { openPostgres } from '../../src/store/drivers/postgres-driver.ts';
import { until } from './until.ts';

/** Finds a connection that is older than this one. */
const OLDER_BACKENDS = `
  SELECT 1 AS found FROM pg_stat_activity a JOIN pg_stat_activity own ON own.pid = pg_backend_pid()
   WHERE a.datname = own.datname AND a.backend_type = 'client backend' AND a.backend_start < own.backend_start LIMIT 1`;

/** Waits until PostgreSQL, if that is the database, has no connection from before this call. */
export async function backendsEnded(databaseUrl: string | undefined): Promise<void> {
  if (databaseUrl === undefined) return;
  const db = openPostgres(databaseUrl, 1);
  try {
    const areEnded = async () => (await db.get(OLDER_BACKENDS, {})) === undefined;
    await until('PostgreSQL has ended what the killed program began', areEnded);
  } finally {
    await db.close();
  }
}
