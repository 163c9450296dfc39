/** The master keys of this process, which follow what the database says of them. */
import { type Keyring, masterKeyId } from '../../lib/sealing.ts';
import type { MasterKeys } from '../../system/master-key.ts';
import type { Statements } from './database.ts';
import { findKeyFile, makeNamedKeyFile, removeNamedKeyFile, replaceKeyFile } from './key-file.ts';
import { fitKeys, type KeySettings, masterKeyOfOpened } from './master-key.ts';

/** `ring` has the keys that the database was under when it was opened. */
export function masterKeys(db: Statements, ring: Keyring, settings: KeySettings): MasterKeys {
  const { masterKey, masterKeyPrevious, dataDir } = settings;
  const idOf = (key: Buffer | undefined) => key && masterKeyId(key);
  const ours = () => JSON.stringify([ring.keyId, ring.keyIds]);
  return {
    source: masterKey === undefined ? 'folder' : 'settings',
    configured: { keyId: idOf(masterKey), previous: idOf(masterKeyPrevious) },

    async look() {
      const before = ours();
      const problem = await fitKeys(ring, await masterKeyOfOpened(db), settings);
      return { changed: ours() !== before, ...(problem !== undefined && { problem }) };
    },

    async makeNext() {
      return ring.add(await makeNamedKeyFile(dataDir));
    },

    discard: (keyId) => removeNamedKeyFile(dataDir, keyId),

    async settle() {
      const { keyId, next } = await masterKeyOfOpened(db);
      if (masterKey !== undefined || keyId === undefined || next !== undefined) return;
      const key = await findKeyFile(dataDir, keyId);
      if (key !== undefined) await replaceKeyFile(dataDir, key);
    },
  };
}
