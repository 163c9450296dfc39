import type { BackupFailure, LastBackups, NotedBackup } from '../../system/system-store.ts';
import type { Statements } from './database.ts';

const BEGUN = 'SELECT MIN(applied_at) AS at FROM migration';
const LAST = `SELECT name, value FROM setting WHERE name IN ('last_backup', 'last_backup_failure')`;

/** Returns the last backup and why the one after it failed, as systemStore noted them. Throws unless `db` is migrated. */
export async function lastBackups(db: Statements): Promise<LastBackups> {
  const begun = await db.get<{ at: number }>(BEGUN);
  if (begun === undefined) throw new Error('The database has no migrations');
  const rows = await db.all<{ name: string; value: string }>(LAST);
  const kept = (name: string) => rows.find((row) => row.name === name)?.value;
  const [made, failure] = [kept('last_backup'), kept('last_backup_failure')];
  return {
    begunAt: begun.at,
    made: made === undefined ? undefined : (JSON.parse(made) as NotedBackup),
    failure: failure === undefined ? undefined : (JSON.parse(failure) as BackupFailure),
  };
}
