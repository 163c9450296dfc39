/** Creates complete copies of the live SQLite database: by `kalends backup`, a schedule or the dashboard. */
import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';

import { errorCode } from '../lib/error-code.ts';
import { syncFile, syncFolder } from '../lib/sync-folder.ts';

export type Backup = {
  readonly name: string;
  readonly bytes: number;
  /** The start in epoch milliseconds. */
  readonly at: number;
  /** Whether the schedule created it and may delete it. */
  readonly isScheduled: boolean;
};

export type Backups = {
  readonly folder: string;
  /** The newest first. */
  list(): Promise<readonly Backup[]>;
  /** Creates a backup. Concurrent callers share one. */
  make(): Promise<Backup | BackupRefusal>;
  /** Creates a scheduled backup, then deletes scheduled ones except the last `keep`. */
  makeScheduled(keep: number): Promise<Backup | BackupRefusal>;
};

/** `full`: the folder has the maximum of backups. `no_room`: the disk could fill up. */
export type BackupRefusal = 'full' | 'no_room';

type BackupsDeps = {
  /** Copies the live database into an empty file. */
  readonly backup: (file: string) => Promise<void>;
  readonly databaseBytes: () => Promise<number>;
  readonly now: () => number;
};

/** The maximum of backups that members requested. The schedule never deletes these. */
export const MOST_BACKUPS = 20;
const NAME = /^kalends-(scheduled-)?(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)Z\.db(\.partial)?$/;
/** Required free disk space, as a multiple of the database's size. */
const ROOM = 2;

export function backupsIn(folder: string, deps: BackupsDeps): Backups {
  const list = () => listBackups(folder);
  let making: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = making.then(work);
    making = result.catch(() => undefined);
    return result;
  };
  let requested: Promise<Backup | BackupRefusal> | undefined;
  return {
    folder,
    list,
    make() {
      requested ??= inTurn(async () => {
        const unscheduled = (await list()).filter(({ isScheduled }) => !isScheduled);
        return unscheduled.length >= MOST_BACKUPS ? 'full' : makeBackup(folder, '', deps);
      }).finally(() => {
        requested = undefined;
      });
      return requested;
    },
    makeScheduled: (keep) =>
      inTurn(async () => {
        const backup = await makeBackup(folder, 'scheduled-', deps);
        if (typeof backup === 'string') return backup;
        const old = (await list()).filter(({ isScheduled }) => isScheduled).slice(keep);
        for (const { name } of old) await rm(path.join(folder, name), { force: true });
        return backup;
      }),
  };
}

async function makeBackup(
  folder: string,
  kind: '' | 'scheduled-',
  { backup, databaseBytes, now }: BackupsDeps,
): Promise<Backup | BackupRefusal> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Deletes leftovers of killed processes.
  for (const name of await readdir(folder))
    if (name.endsWith('.partial') && NAME.test(name)) await rm(path.join(folder, name), { force: true });
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < ROOM * (await databaseBytes())) return 'no_room';
  const at = new Date(now()).toISOString().replace(/:|\.\d+/g, '');
  const file = path.join(folder, `kalends-${kind}${at}.db`);
  await writeBackup(file, backup);
  const created = await readBackup(file);
  if (created === undefined) throw new Error(`${file} was deleted right after it was created`);
  return created;
}

async function listBackups(folder: string): Promise<Backup[]> {
  const names = await readdir(folder).catch((reason) => {
    if (isMissing(reason)) return [];
    throw reason;
  });
  const files = await Promise.all(names.map((name) => readBackup(path.join(folder, name))));
  return files.flatMap((one) => one ?? []).sort((one, other) => other.at - one.at);
}

/** Writes under another name first, so that a partial copy is never mistaken for a backup. */
export async function writeBackup(file: string, backup: BackupsDeps['backup']): Promise<void> {
  const partial = `${file}.partial`;
  try {
    // Created before the copy, so that others can never read it, and after deleting a killed process's leftover.
    await rm(partial, { force: true });
    await writeFile(partial, '', { mode: 0o600 });
    await backup(partial);
    // Flushed before the rename, because an older backup may be deleted for it.
    await syncFile(partial);
    await rename(partial, file);
    await syncFolder(path.dirname(file));
  } catch (reason) {
    await rm(partial, { force: true });
    throw reason;
  }
}

/** Returns undefined if the file is not a backup or was deleted meanwhile. */
async function readBackup(file: string): Promise<Backup | undefined> {
  const name = path.basename(file);
  const [, scheduled, day, hour, minute, second, partial] = NAME.exec(name) ?? [];
  if (day === undefined || partial !== undefined) return undefined;
  const stats = await stat(file).catch((reason) => {
    if (isMissing(reason)) return undefined;
    throw reason;
  });
  const at = Date.parse(`${day}T${hour}:${minute}:${second}Z`);
  return stats && { name, bytes: stats.size, at, isScheduled: scheduled !== undefined };
}

const isMissing = (reason: unknown): boolean => errorCode(reason) === 'ENOENT';
