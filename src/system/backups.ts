/** Copies of the live SQLite database that open by themselves: for `kalends backup` and for the dashboard. */
import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type Backup = {
  readonly name: string;
  readonly bytes: number /** Epoch milliseconds. */;
  readonly at: number;
};

/** Those in a folder of their own beside the database. */
export type Backups = {
  readonly folder: string;
  /** The newest first. */
  list(): Promise<readonly Backup[]>;
  /** One at a time: who asks while it is made gets the same one. */
  make(): Promise<Backup | BackupRefusal>;
};

/** `full`: there are as many as are kept. `no_room`: the disk could fill up. */
export type BackupRefusal = 'full' | 'no_room';

type BackupsDeps = {
  /** Copies the live database into a file that is empty. */
  readonly backup: (file: string) => Promise<void>;
  readonly databaseBytes: () => Promise<number>;
  /** Epoch milliseconds. */
  readonly now: () => number;
};

/** Nobody takes them away by themselves. */
export const MOST_BACKUPS = 20;
const NAME = /^kalends-\d{4}-\d\d-\d\dT\d{6}Z\.db$/;
/** So many times the database has to fit on the disk before it is copied. */
const ROOM = 2;

/** The backups in `backups` of the data folder. */
export function backupsIn(dataDir: string, { backup, databaseBytes, now }: BackupsDeps): Backups {
  const folder = path.join(path.resolve(dataDir), 'backups');
  const list = async (): Promise<Backup[]> => {
    const names = await readdir(folder).catch((reason) => {
      if (isMissing(reason)) return [];
      throw reason;
    });
    const found = await Promise.all(
      names.filter((name) => NAME.test(name)).map((name) => backupOf(path.join(folder, name))),
    );
    return found.flatMap((one) => one ?? []).sort((one, other) => (one.name < other.name ? 1 : -1));
  };
  const makeOne = async (): Promise<Backup | BackupRefusal> => {
    if ((await list()).length >= MOST_BACKUPS) return 'full';
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const { bavail, bsize } = await statfs(folder);
    if (bavail * bsize < ROOM * (await databaseBytes())) return 'no_room';
    const at = new Date(now()).toISOString().replace(/:|\.\d+/g, '');
    const file = path.join(folder, `kalends-${at}.db`);
    await writeBackup(file, backup);
    const made = await backupOf(file);
    if (made === undefined) throw new Error(`${file} is gone as soon as it was made`);
    return made;
  };
  let making: Promise<Backup | BackupRefusal> | undefined;
  return {
    folder,
    list,
    make() {
      making ??= makeOne().finally(() => {
        making = undefined;
      });
      return making;
    },
  };
}

/** Under another name until it is complete, so that a partial copy is never taken for a backup. */
export async function writeBackup(file: string, backup: BackupsDeps['backup']): Promise<void> {
  const partial = `${file}.partial`;
  try {
    // Created before the copy, so that at no moment others may read it. What a killed process left is begun anew.
    await rm(partial, { force: true });
    await writeFile(partial, '', { mode: 0o600 });
    await backup(partial);
    await rename(partial, file);
  } catch (reason) {
    await rm(partial, { force: true });
    throw reason;
  }
}

/** Nothing of one that was taken away meanwhile. */
async function backupOf(file: string): Promise<Backup | undefined> {
  const found = await stat(file).catch((reason) => {
    if (isMissing(reason)) return undefined;
    throw reason;
  });
  return found && { name: path.basename(file), bytes: found.size, at: Math.round(found.mtimeMs) };
}

const isMissing = (reason: unknown): boolean =>
  reason instanceof Error && 'code' in reason && reason.code === 'ENOENT';
