import type { BackupFailure, LastBackups, NotedBackup } from '../../system/system-store.ts';
import type { Statements } from './database.ts';

const LAST = `SELECT name, value FROM setting WHERE name IN ('last_backup', 'last_backup_failure')`;

/** When a backup was made last, and why the one after it was not. Written by systemStore. */
export async function lastBackups(db: Statements): Promise<LastBackups> {
  const rows = await db.all<{ name: string; value: string }>(LAST);
  const kept = (name: string) => rows.find((row) => row.name === name)?.value;
  const [made, failure] = [kept('last_backup'), kept('last_backup_failure')];
  return {
    made: made === undefined ? undefined : (JSON.parse(made) as NotedBackup),
    failure: failure === undefined ? undefined : (JSON.parse(failure) as BackupFailure),
  };
}
