import type { SyncFailure } from '../calendars/sync-failure.ts';
import { databaseProblem } from '../lib/database-away-error.ts';

/** Returns a sync's failure if the database is read-only or full, while reads continue. Throws any other reason. */
export function failureOfDatabase(reason: unknown): SyncFailure {
  const problem = databaseProblem(reason);
  if (problem !== 'read_only' && problem !== 'full') throw reason;
  return { kind: 'unavailable', message: 'The database takes no writes' };
}
