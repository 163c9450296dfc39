/** Keys that are derived from the master key, and which of them a new master key changes. */
import { type Keyring, masterKeyId, type Sealer, sealedField } from '../../lib/sealing.ts';
import type { MasterKeys } from '../../system/master-key.ts';
import type { Statements } from './database.ts';
import { findKeyFile, makeNamedKeyFile, removeNamedKeyFile, replaceKeyFile } from './key-file.ts';
import { fitKeys, type KeySettings, masterKeyOfOpened } from './master-key.ts';

/** Purposes of derived keys, and whether a key outlives the master key. During a change of that key all of them do. */
export const DERIVED_KEYS: Readonly<Record<string, { readonly outlives: boolean }>> = {
  // Applications keep cursors of GET /events/changes and ids of busy events for as long as they like.
  paging: { outlives: true },
  // The account of a calendar address has an id that is derived from the address.
  feeds: { outlives: true },
  // This key could forge the start of a dashboard sign-in. Its loss invalidates cookies of ten minutes.
  'known browsers': { outlives: false },
  // Hides user ids in links. Saved links stop working.
  'user references': { outlives: false },
  // Reconnect links end with the master key, so that a leaked key cannot create links afterwards.
  'reconnect links': { outlives: false },
  // Links that confirm addresses. They end with the master key.
  'confirmed addresses': { outlives: false },
  // Hides the keys of attempt limits. Counting starts again, at most a day early.
  attempts: { outlives: false },
  // Opaque authorization codes. A repeated answer has another code, which is refused.
  'authorization codes': { outlives: false },
  // Successors of refresh tokens. A window that is open when the key changes closes early.
  'refresh successors': { outlives: false },
  // Nonces of DPoP proofs. Their senders get a new one.
  'dpop nonces': { outlives: false },
};

const derivedKeyContext = sealedField('derived_key.sealed');
const ADD = `
  INSERT INTO derived_key (purpose, sealed) VALUES (:purpose, :sealed) ON CONFLICT (purpose) DO NOTHING`;
const LIST = 'SELECT purpose, sealed FROM derived_key ORDER BY purpose';
const REMOVE = 'DELETE FROM derived_key WHERE purpose = :purpose';

/** Makes `ring` use the stored keys, which were derived from an earlier master key. */
export async function keepDerivedKeys(db: Statements, ring: Keyring): Promise<void> {
  for (const { purpose, sealed } of await db.all<{ purpose: string; sealed: string }>(LIST))
    ring.keep(purpose, Buffer.from(ring.open(sealed, derivedKeyContext(purpose)), 'base64'));
}

export async function addDerivedKeys(tx: Statements, sealer: Sealer): Promise<void> {
  for (const purpose of Object.keys(DERIVED_KEYS)) {
    const key = sealer.derive(purpose).toString('base64');
    await tx.change(ADD, { purpose, sealed: sealer.seal(key, derivedKeyContext(purpose)) });
  }
}

export async function removeDerivedKeys(tx: Statements): Promise<void> {
  for (const [purpose, { outlives }] of Object.entries(DERIVED_KEYS))
    if (!outlives) await tx.change(REMOVE, { purpose });
}

/** Returns the operations on master keys. `ring` has the keys under which the database was opened. */
export function masterKeys(db: Statements, ring: Keyring, settings: KeySettings): MasterKeys {
  const { masterKey, masterKeyPrevious, dataDir } = settings;
  const toKeyId = (key: Buffer | undefined) => key && masterKeyId(key);
  const ours = () => JSON.stringify([ring.keyId, ring.keyIds]);
  return {
    source: masterKey === undefined ? 'folder' : 'settings',
    configured: { keyId: toKeyId(masterKey), previous: toKeyId(masterKeyPrevious) },

    async look() {
      const before = ours();
      const problem = await fitKeys(ring, await masterKeyOfOpened(db), settings);
      return { changed: ours() !== before, ...(problem !== undefined && { problem }) };
    },

    makeNext: async () => ring.add(await makeNamedKeyFile(dataDir)),

    discard: (keyId) => removeNamedKeyFile(dataDir, keyId),

    async settle() {
      const { keyId, next } = await masterKeyOfOpened(db);
      if (masterKey !== undefined || keyId === undefined || next !== undefined) return;
      const key = await findKeyFile(dataDir, keyId);
      if (key !== undefined) await replaceKeyFile(dataDir, key);
    },
  };
}
