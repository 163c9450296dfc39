/** Keys that are derived from the master key, and which of them a new master key changes. */
import { type Keyring, masterKeyId, type Sealer, sealedField } from '../../lib/sealing.ts';
import type { MasterKeys } from '../../system/master-key.ts';
import type { Statements } from './database.ts';
import { findKeyFile, makeNamedKeyFile, removeNamedKeyFile, replaceKeyFile } from './key-file.ts';
import { fitKeys, type KeySettings, masterKeyOfOpened } from './master-key.ts';

/**
 * Every purpose that something is derived for, and whether it outlives the master key. While that is changed all do, so
 * that old and new instances agree.
 */
export const DERIVED_KEYS: Readonly<Record<string, { readonly outlives: boolean }>> = {
  // Applications keep cursors of GET /events/changes and ids of busy events for as long as they like.
  paging: { outlives: true },
  // An account that is a calendar's address is known by an id that is derived from it.
  feeds: { outlives: true },
  // This key could forge sign-ins of the dashboard that never began. Its loss ends cookies of ten minutes.
  'known browsers': { outlives: false },
  // Hides users' names in links. A link that was kept leads nowhere afterwards.
  'user references': { outlives: false },
  // Successors of refresh tokens. A window that is open when the key changes closes early.
  'refresh successors': { outlives: false },
};

const contextOf = sealedField('derived_key.sealed');
const ADD = `
  INSERT INTO derived_key (purpose, sealed) VALUES (:purpose, :sealed) ON CONFLICT (purpose) DO NOTHING`;
const LIST = 'SELECT purpose, sealed FROM derived_key ORDER BY purpose';
const REMOVE = 'DELETE FROM derived_key WHERE purpose = :purpose';

/** Makes `ring` derive what is kept of the master key before. */
export async function keepDerivedKeys(db: Statements, ring: Keyring): Promise<void> {
  for (const { purpose, sealed } of await db.all<{ purpose: string; sealed: string }>(LIST))
    ring.keep(purpose, Buffer.from(ring.open(sealed, contextOf(purpose)), 'base64'));
}

/** Keeps what is derived now. */
export async function addDerivedKeys(tx: Statements, sealer: Sealer): Promise<void> {
  for (const purpose of Object.keys(DERIVED_KEYS)) {
    const key = sealer.derive(purpose).toString('base64');
    await tx.change(ADD, { purpose, sealed: sealer.seal(key, contextOf(purpose)) });
  }
}

/** Keeps no longer what does not outlive its master key. */
export async function removeDerivedKeys(tx: Statements): Promise<void> {
  for (const [purpose, { outlives }] of Object.entries(DERIVED_KEYS))
    if (!outlives) await tx.change(REMOVE, { purpose });
}

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
