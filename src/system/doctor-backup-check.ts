/** The check of `doctor` whether there are backups of a database in a file. */
import type { Config } from '../config/config.ts';
import type { Check } from './doctor-checks.ts';
import type { StorageReport } from './storage-report.ts';

const DAY_MS = 24 * 3_600_000;
/** Without a schedule: so old may a database without a backup be, and its last one. */
const PATIENCE_MS = 7 * DAY_MS;
const HOW = 'set KALENDS_BACKUP_EVERY, or run "kalends backup FILE" by a timer';

/** Nothing with PostgreSQL, whose own tools make backups that Kalends does not hear of. */
export function checkBackups(report: StorageReport, { backups: { everyMs } }: Config, now: number): Check[] {
  const name = 'backups';
  if (report.state !== 'reachable' || report.engine !== 'sqlite') return [];
  const { lastBackup, begunAt = now } = report;
  const last = lastBackup === undefined ? 'No backup was made yet' : `The last was made ${iso(lastBackup)}`;
  const most = everyMs === undefined ? PATIENCE_MS : 2 * everyMs;
  if (now - (lastBackup ?? begunAt) < most) {
    const next = everyMs === undefined ? '' : `; one is made every ${everyMs / 3_600_000} h`;
    return [{ name, status: 'ok', message: `${last}${next}.` }];
  }
  const what =
    everyMs === undefined
      ? HOW
      : `one should be made every ${everyMs / 3_600_000} h while "kalends serve" runs: look for backup_failed in its log`;
  return [{ name, status: 'warn', message: `${last}: ${what}.` }];
}

const iso = (at: number): string => new Date(at).toISOString();
