/** Creates scheduled backups of the SQLite database, in the process that runs jobs. */
import type { Log } from '../lib/log.ts';
import type { Backup, Backups } from './backups.ts';
import type { SystemStore } from './system-store.ts';

export type BackupScheduleDeps = {
  readonly backups: Pick<Backups, 'list' | 'makeScheduled'>;
  readonly system: Pick<SystemStore, 'noteBackup' | 'noteBackupFailure'>;
  readonly log: Pick<Log, 'error' | 'info'>;
  readonly now: () => number;
};

const LOOK_EVERY_MS = 60_000;
const RETRY_MS = 10 * 60_000;

/** Checks every minute whether a backup is due. Restarts do not matter: the files have the last backup's time. */
export function startBackups(
  { everyMs, keep }: { readonly everyMs: number; readonly keep: number },
  deps: BackupScheduleDeps,
) {
  const makeDue = backupsDue({ everyMs, keep }, deps);
  let looking: Promise<void> | undefined;
  const look = () => {
    looking ??= makeDue().finally(() => {
      looking = undefined;
    });
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await looking;
    },
  };
}

/** Creates a due backup. Never throws: failures are logged, stored and retried. */
export function backupsDue(
  { everyMs, keep }: { readonly everyMs: number; readonly keep: number },
  { backups, system, log, now }: BackupScheduleDeps,
): () => Promise<void> {
  let failedAt = Number.NEGATIVE_INFINITY;
  const failed = async (reason: string) => {
    failedAt = now();
    log.error({ event: 'backup_failed', reason }, 'The scheduled backup was not created');
    await system
      .noteBackupFailure({ at: failedAt, reason })
      .catch((err) => log.error({ event: 'backup_not_noted', err }, 'The backup result could not be stored'));
  };
  const noted = async ({ name, bytes, at }: Backup) => {
    log.info({ event: 'backup_made', file: name }, 'The scheduled backup was created');
    await system
      .noteBackup({ name, bytes, at }, undefined)
      .catch((err) => log.error({ event: 'backup_not_noted', err }, 'The backup result could not be stored'));
  };
  return async () => {
    try {
      const last = (await backups.list()).find(({ isScheduled }) => isScheduled);
      if (now() - failedAt < RETRY_MS || (last !== undefined && now() - last.at < everyMs)) return;
      const backup = await backups.makeScheduled(keep);
      await (typeof backup === 'string' ? failed(NO_ROOM) : noted(backup));
    } catch (reason) {
      await failed(describeBackupFailure(reason));
    }
  };
}

const NO_ROOM =
  'The disk has too little space: it needs twice the size of the database, once for the backup and once in reserve';

function describeBackupFailure(reason: unknown): string {
  if (reason instanceof Error && /\bENOSPC\b|disk is full/.test(reason.message)) return 'The disk is full';
  return reason instanceof Error ? reason.message : String(reason);
}
