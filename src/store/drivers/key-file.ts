/** Reads and writes master keys in the data folder: `master.key`, and `master.key.` with the id of another key. */
import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { giveToFolderOwner } from '../../lib/private-folder.ts';
import { masterKeyId } from '../../lib/sealing.ts';
import { syncFolder } from '../../lib/sync-folder.ts';

export class StartRefused extends Error {
  override readonly name = 'StartRefused';
}

const KEY_BYTES = 32;

export const keyFileIn = (dataDir: string): string => path.join(dataDir, 'master.key');

const namedKeyFileIn = (dataDir: string, keyId: string): string => `${keyFileIn(dataDir)}.${keyId}`;

/** Returns the key in `master.key`, or `undefined` if there is none. Throws if the file contains no key. */
export const readKeyFile = (dataDir: string): Promise<Buffer | undefined> => readKey(keyFileIn(dataDir));

export async function findKeyFile(dataDir: string, keyId: string): Promise<Buffer | undefined> {
  for (const file of [keyFileIn(dataDir), namedKeyFileIn(dataDir, keyId)]) {
    const key = await readKey(file);
    if (key !== undefined && masterKeyId(key) === keyId) return key;
  }
  return undefined;
}

/**
 * Creates the key file, readable only by its owner, and returns its key, even if another process was faster. The file
 * appears complete and on the disk or not at all, since nothing sealed can be opened without it.
 */
export async function makeKeyFile(dataDir: string): Promise<Buffer> {
  await writeKey(dataDir, keyFileIn(dataDir), randomBytes(KEY_BYTES));
  const key = await readKeyFile(dataDir);
  if (key === undefined)
    throw new StartRefused(`The key file in ${dataDir} disappeared while it was being created.`);
  return key;
}

export async function makeNamedKeyFile(dataDir: string): Promise<Buffer> {
  const key = randomBytes(KEY_BYTES);
  await writeKey(dataDir, namedKeyFileIn(dataDir, masterKeyId(key)), key);
  return key;
}

export const removeNamedKeyFile = (dataDir: string, keyId: string): Promise<void> =>
  rm(namedKeyFileIn(dataDir, keyId), { force: true });

/** Puts `key` into `master.key`. The previous key stays in a file that is named after it: backups may need it. */
export async function replaceKeyFile(dataDir: string, key: Buffer): Promise<void> {
  const file = keyFileIn(dataDir);
  const before = await readKeyFile(dataDir);
  if (before?.equals(key)) return;
  if (before !== undefined) await writeKey(dataDir, namedKeyFileIn(dataDir, masterKeyId(before)), before);
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeDraft(draft, key);
    await rename(draft, file);
    await syncFolder(dataDir);
  } finally {
    await rm(draft, { force: true });
  }
  await removeNamedKeyFile(dataDir, masterKeyId(key));
}

async function readKey(file: string): Promise<Buffer | undefined> {
  const text = await readFile(file, 'utf8').catch((reason: NodeJS.ErrnoException) => {
    if (reason.code === 'ENOENT') return undefined;
    throw new StartRefused(`The key file ${file} cannot be read (${reason.code}).`, { cause: reason });
  });
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, /^[\da-fA-F]{64}$/.test(trimmed) ? 'hex' : 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new StartRefused(
    `The key file ${file} does not contain 32 bytes in base64 or hex. Restore it, or set KALENDS_MASTER_KEY.`,
  );
}

async function writeKey(dataDir: string, file: string, key: Buffer): Promise<void> {
  const draft = `${keyFileIn(dataDir)}.${randomUUID()}`;
  try {
    await writeDraft(draft, key);
    // Unlike a rename, a link never replaces a file.
    await link(draft, file).catch((reason: NodeJS.ErrnoException) => {
      if (reason.code !== 'EEXIST') throw reason;
    });
    await syncFolder(dataDir);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeDraft(draft: string, key: Buffer): Promise<void> {
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${key.toString('base64')}\n`);
    await giveToFolderOwner(path.dirname(draft), draft);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
