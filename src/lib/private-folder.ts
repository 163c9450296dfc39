/**
 * Who can read the data folder: its owner, and whoever the operator gave its group. A folder that was made by hand, or
 * restored from an archive, is often open to everybody on the machine.
 */
import { chmod, chown, lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** What others have of a mode. A group is no reason: volumes of containers are given to one. */
const OTHERS = 0o007;
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** The database, what SQLite has beside it, backups, and the key, with those that are being made. */
const OURS = /\.db(-wal|-shm|-journal|\.partial)?$|^master\.key/;

/** The folder and the files of ours in it that others have access to; none where it cannot be looked at. Never fails. */
export async function exposedIn(folder: string): Promise<string[]> {
  if (process.platform === 'win32') return [];
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => OURS.test(name)).map((name) => path.join(folder, name));
  const exposed: string[] = [];
  for (const place of [folder, ...files]) {
    if (((await modeOf(place)) & OTHERS) !== 0) exposed.push(place);
  }
  return exposed;
}

/**
 * Takes from others what they have of the folder and of the files of ours in it, where this process owns them. Answers
 * those that others have access to all the same. Never fails.
 */
export async function makeFolderPrivate(folder: string): Promise<string[]> {
  for (const place of await exposedIn(folder)) {
    const { uid } = await lstat(place).catch(() => ({ uid: -1 }));
    if (uid !== process.getuid?.()) continue;
    await chmod(place, place === folder ? FOLDER_MODE : FILE_MODE).catch(() => undefined);
  }
  return exposedIn(folder);
}

/** Of a file that root makes: gives it to the owner of its folder, who is to read it. */
export async function giveToOwnerOf(folder: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  await chown(file, uid, gid);
}

/** The mode of a file or folder; nothing of a link, whose target is the operator's own matter. */
async function modeOf(place: string): Promise<number> {
  const found = await lstat(place).catch(() => undefined);
  return found?.isFile() || found?.isDirectory() ? found.mode : 0;
}
