/** The master key. The database has its fingerprint, so that no instance works with another key. */
import { type Keyring, masterKeyId } from '../../lib/sealing.ts';
import type { MasterKeyState, NextKey } from '../../system/master-key.ts';
import type { Statements } from './database.ts';
import { findKeyFile, keyFileIn } from './key-file.ts';
import { isBegun } from './migrate.ts';

export type KeySettings = {
  /** undefined: the files in `dataDir`. */
  readonly masterKey: Buffer | undefined;
  /** The key before `masterKey`, while stored data is sealed again. */
  readonly masterKeyPrevious?: Buffer | undefined;
  /** Whether `master.key` is created if there is no key and nothing is sealed yet. */
  readonly createsMasterKey: boolean;
  readonly dataDir: string;
};

const STATE = `
  SELECT name, value FROM setting WHERE name IN ('master_key', 'master_key_next', 'master_key_before')`;

/** Returns the database's record of its key, which is empty if no Kalends ever opened it. */
export async function masterKeyState(db: Statements): Promise<MasterKeyState> {
  if (await isBegun(db)) return masterKeyOfOpened(db);
  return { keyId: undefined, next: undefined, before: undefined };
}

/** Returns the same without checking that the database was opened before: instances call it every two seconds. */
export async function masterKeyOfOpened(db: Statements): Promise<MasterKeyState> {
  const rows = await db.all<{ name: string; value: string }>(STATE);
  const findSetting = (name: string) => rows.find((row) => row.name === name)?.value;
  const [next, before] = [findSetting('master_key_next'), findSetting('master_key_before')];
  return {
    keyId: findSetting('master_key'),
    // Both are written by masterKeyStore in this shape.
    next: next === undefined ? undefined : (JSON.parse(next) as NextKey),
    before: before === undefined ? undefined : (JSON.parse(before) as MasterKeyState['before']),
  };
}

/** Gives `ring` the database's keys, or returns a sentence that says what to do. */
export async function fitKeys(
  ring: Keyring,
  state: MasterKeyState,
  settings: KeySettings,
): Promise<string | undefined> {
  const { keyId, next } = state;
  const needed = [keyId, next?.keyId].flatMap((one) => one ?? []);
  for (const keyId of needed) {
    if (ring.keyIds.includes(keyId)) continue;
    const key = await findKey(keyId, settings);
    if (key !== undefined) ring.add(key);
  }
  if (needed.some((one) => !ring.keyIds.includes(one))) return whyUnfit(state, ring.keyIds, settings);
  const active = next?.phase === 'in_use' ? next.keyId : keyId;
  if (active !== undefined) ring.sealUnder(active);
  return undefined;
}

export async function findKey(keyId: string, settings: KeySettings): Promise<Buffer | undefined> {
  const { masterKey, masterKeyPrevious, dataDir } = settings;
  if (masterKey === undefined) return findKeyFile(dataDir, keyId);
  return [masterKey, masterKeyPrevious].find((key) => key !== undefined && masterKeyId(key) === keyId);
}

/** Returns why an instance with the keys `ours` does not fit, in a sentence that says what to do. */
export function whyUnfit(
  { keyId = 'none', next, before }: MasterKeyState,
  ours: readonly string[],
  { masterKey, dataDir }: KeySettings,
): string {
  const has = ours.length > 0 ? ours.join(' and ') : 'none';
  const missing = [keyId, next?.keyId].flatMap((one) => (one && !ours.includes(one) ? [one] : []));
  const inFiles = `Put the key ${missing.join(' and ')} into ${keyFileIn(dataDir)}.${missing[0]}`;
  if (next !== undefined) {
    const changing = `The master key of this database is being changed from ${keyId} to ${next.keyId}, but this instance has ${has}.`;
    if (masterKey === undefined) return `${changing} ${inFiles}, which "keys rotate-master" created.`;
    return `${changing} Set KALENDS_MASTER_KEY to the new key, and KALENDS_MASTER_KEY_PREVIOUS to the previous key, until "kalends keys rotate-master" reports that it is done.`;
  }
  if (before !== undefined && ours.includes(before.keyId)) {
    const date = new Date(before.until).toISOString().slice(0, 10);
    return `The master key of this database was changed on ${date}: it is ${keyId} now, but this instance has ${has}, the previous key. ${masterKey === undefined ? inFiles : 'Set KALENDS_MASTER_KEY to the new key'}.`;
  }
  return `The database is sealed under master key ${keyId}, but this instance has ${has}. Set KALENDS_MASTER_KEY to that key, or restore the file master.key.`;
}

/** Returns why a database cannot be opened without a key, and what to do; `undefined` if a key may be created. */
export function missingKey(
  keyId: string | undefined,
  { createsMasterKey, dataDir }: KeySettings,
): string | undefined {
  if (keyId !== undefined)
    return `The database is sealed under master key ${keyId}, but there is no KALENDS_MASTER_KEY and no ${keyFileIn(dataDir)}. Restore one of them: a new key cannot open the stored data.`;
  if (createsMasterKey) return undefined;
  return `There is no master key, and with PostgreSQL none is created automatically. Set KALENDS_MASTER_KEY to the output of "openssl rand -base64 32", the same for every instance. Or set KALENDS_MASTER_KEY=generate, which creates ${keyFileIn(dataDir)}: keep this folder.`;
}
