/** Keeps the data folder private: one created by hand or from an archive is often open to everybody. */
import { chmod, chown, lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** The permission bits of others. Group access is not reported: container volumes often have a group. */
const OTHERS = 0o007;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** The database, SQLite's files beside it, backups, and the key, including unfinished ones. */
const OURS = /\.db(-wal|-shm|-journal|\.partial)?$|^master\.key/;

/** Returns the folder and the Kalends files in it that others can access. Empty if it cannot be read. Never fails. */
export async function exposedIn(folder: string): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => OURS.test(name)).map((name) => path.join(folder, name));
  const exposed: string[] = [];
  for (const place of [folder, ...files]) {
    if (((await readMode(place)) & OTHERS) !== 0) exposed.push(place);
  }
  return exposed;
}

/** Removes others' access to the folder and the Kalends files that this process owns. Returns what stays exposed. */
export async function makeFolderPrivate(folder: string): Promise<string[]> {
  for (const place of await exposedIn(folder)) {
    const { uid } = await lstat(place).catch(() => ({ uid: -1 }));
    if (uid !== process.getuid?.()) continue;
    await chmod(place, place === folder ? FOLDER_MODE : FILE_MODE).catch(() => undefined);
  }
  return exposedIn(folder);
}

/** If root creates a file, gives it to the owner of its folder, who must be able to read it. */
export async function giveToFolderOwner(folder: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(file, uid, gid);
}

/** Returns the mode of a file or folder, 0 for a link: its target is the operator's responsibility. */
async function readMode(place: string): Promise<number> {
  const stats = await lstat(place).catch(() => undefined);
  return stats?.isFile() || stats?.isDirectory() ? stats.mode : 0;
}
