/** Whether requests can be served from this database now. */
import { isDatabaseAway } from '../../lib/database-away-error.ts';
import type { Database } from './database.ts';
import { compareMigrations } from './migrate.ts';

export type DatabaseState = 'ready' | 'away' | 'read_only' | 'unmigrated';

/** Looks again at each call, except for calls during a look. Throws errors that are none of these states. */
export function databaseStates(db: Database): () => Promise<DatabaseState> {
  let look: Promise<DatabaseState> | undefined;
  return () => {
    look ??= stateOf(db).finally(() => {
      look = undefined;
    });
    return look;
  };
}

async function stateOf(db: Database): Promise<DatabaseState> {
  try {
    if (await db.server?.isReadOnly()) return 'read_only';
    // One that a newer version has made meanwhile is no reason to stop: whether versions mix is the operator's matter.
    return (await compareMigrations(db)).pending.length === 0 ? 'ready' : 'unmigrated';
  } catch (reason) {
    if (isDatabaseAway(reason)) return 'away';
    throw reason;
  }
}
