/**
 * The master key: from the configuration, or else from the file `master.key`, which the first start makes.
 * The database has its fingerprint, so that no instance ever works with another key.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import path from 'node:path';

import type { Sealer } from '../../lib/sealing.ts';
import type { Database } from './database.ts';
import { isBegun } from './migrate.ts';
import { StartRefused } from './start-refused.ts';

const KEY_BYTES = 32;

export const keyFileIn = (dataDir: string): string => path.join(dataDir, 'master.key');

/** The key in the file, `undefined` when there is none. Throws when the file holds no key. */
export async function readKeyFile(dataDir: string): Promise<Buffer | undefined> {
  const file = keyFileIn(dataDir);
  const text = await readFile(file, 'utf8').catch((reason: NodeJS.ErrnoException) => {
    if (reason.code === 'ENOENT') return undefined;
    throw new StartRefused(`The key file ${file} cannot be read (${reason.code}).`, { cause: reason });
  });
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const key = Buffer.from(trimmed, /^[\da-fA-F]{64}$/.test(trimmed) ? 'hex' : 'base64');
  if (key.length === KEY_BYTES) return key;
  throw new StartRefused(
    `The key file ${file} does not hold 32 bytes in base64 or hex. Restore it, or set KALENDS_MASTER_KEY.`,
  );
}

/**
 * Makes the key file, readable by its owner only, and answers the key in it: that of another process, if it was faster.
 * The file appears whole and on the disk, or not at all, because nothing that was sealed can be opened without the key.
 */
export async function makeKeyFile(dataDir: string): Promise<Buffer> {
  const draft = path.join(dataDir, `master.key.${randomUUID()}`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Unlike a rename, a link never replaces a file.
    await link(draft, keyFileIn(dataDir)).catch((reason: NodeJS.ErrnoException) => {
      if (reason.code !== 'EEXIST') throw reason;
    });
    await syncFolder(dataDir);
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKeyFile(dataDir);
  if (key === undefined) throw new StartRefused(`The key file in ${dataDir} vanished while it was made.`);
  return key;
}

async function syncFolder(folder: string): Promise<void> {
  // Windows opens no folders; its file systems keep their own journal of names.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** The fingerprint of the database's key; `undefined` for one that was never opened. */
export async function keyIdOf(db: Database): Promise<string | undefined> {
  if (!(await isBegun(db))) return undefined;
  const row = await db.get<{ keyId: string }>(
    `SELECT value AS "keyId" FROM setting WHERE name = 'master_key'`,
  );
  return row?.keyId;
}

/** Writes the fingerprint unless there is one, then refuses any other key. */
export async function claimDatabase(db: Database, sealer: Sealer): Promise<void> {
  if ((await keyIdOf(db)) === undefined) {
    await db.write(
      `INSERT INTO setting (name, value) VALUES ('master_key', :keyId) ON CONFLICT (name) DO NOTHING`,
      { keyId: sealer.keyId },
    );
  }
  const keyId = await keyIdOf(db);
  if (keyId !== sealer.keyId) throw new StartRefused(wrongKey(keyId ?? 'none', sealer.keyId));
}

/** Why `sealer` does not fit a database with `keyId`, in a sentence that says what to do. */
export const wrongKey = (keyId: string, ours: string): string =>
  `The database is sealed under master key ${keyId}, but this instance has ${ours}. Set KALENDS_MASTER_KEY, or restore the file master.key, to the key it was made with.`;

/** Why a database whose key is gone cannot be opened, in a sentence that says what to do. */
export const missingKey = (keyId: string, dataDir: string): string =>
  `The database is sealed under master key ${keyId}, but there is no KALENDS_MASTER_KEY and no ${keyFileIn(dataDir)}. Restore one of them: a new key would open nothing.`;
