/** Seals the secrets of the database under a master key. The context is the table, row and field of a secret. */
import { createHmac, hkdfSync } from 'node:crypto';
import { openWith, sealWith } from './encryption.ts';

export { hashOfSecret, openWith, sealWith } from './encryption.ts';

/** The format at the start of sealed values. The id of the key follows. */
const FORMAT = 'k1';

/** The table, row and field of a value, which can only be opened there. Only `sealedField` creates one. */
export type SealingContext = string & { readonly brand: 'SealingContext' };

/**
 * Binds values to a field, such as `account.credentials`, and to their rows, each identified by one or more texts. A
 * test checks that store/sealed-columns.ts, the fields that a new master key reseals, lists every field.
 */
export function sealedField(name: string): (...row: readonly string[]) => SealingContext {
  const [table = '', ...field] = name.split('.');
  return (...row) => [table, ...row, ...field].join('|') as SealingContext;
}

export interface Sealer {
  /** Identifies the current master key without revealing it: 16 hex digits. */
  readonly keyId: string;
  readonly keyIds: readonly string[];
  /** Returns printable text. */
  seal(plain: string, context: SealingContext): string;
  /** Throws if the value was sealed under another key or context, or was changed. */
  open(sealed: string, context: SealingContext): string;
  /** Returns a 32-byte key for one purpose: derived from the master key, or one stored with `keep`. */
  derive(purpose: string): Buffer;
}

/** A sealer that accepts other master keys while the program runs. */
export interface Keyring extends Sealer {
  /** Lets values that were sealed under this key be opened. Returns its id. */
  add(masterKey: Buffer): string;
  /** Seals under this key, which was added before, from now on. */
  sealUnder(keyId: string): void;
  /** Makes `derive` return this key for the purpose from now on. */
  keep(purpose: string, key: Buffer): void;
}

/** Returns the start of values sealed under this master key. */
export const sealedPrefix = (keyId: string): string => `${FORMAT}.${keyId}.`;

/** `masterKey` is 32 bytes. */
export const createSealer = (masterKey: Buffer): Sealer => createKeyring(masterKey);

/** Creates a keyring that seals under `masterKey`, 32 bytes, until `sealUnder` selects another. */
export function createKeyring(masterKey: Buffer): Keyring {
  const keys = new Map<string, MasterKey>();
  const purposeKeys = new Map<string, Buffer>();
  const add = (added: Buffer): string => {
    const key = deriveMasterKey(added);
    keys.set(key.keyId, key);
    return key.keyId;
  };
  const find = (keyId: string): MasterKey => {
    const key = keys.get(keyId);
    if (key === undefined)
      throw new Error(`Sealed under master key ${keyId}, not ${[...keys.keys()].join(' or ')}`);
    return key;
  };
  let active = find(add(masterKey));

  return {
    get keyId() {
      return active.keyId;
    },
    get keyIds() {
      return [...keys.keys()];
    },
    add,
    sealUnder(keyId) {
      active = find(keyId);
    },
    keep(purpose, key) {
      purposeKeys.set(purpose, key);
    },
    derive: (purpose) => purposeKeys.get(purpose) ?? active.derive(purpose),
    seal: (plain, context) => sealedPrefix(active.keyId) + sealWith(active.sealing, plain, context),
    open(sealed, context) {
      const [format, keyId = '', box] = sealed.split('.');
      if (format !== FORMAT || box === undefined) throw new Error('Not a sealed value');
      return openWith(find(keyId).sealing, box, context);
    },
  };
}

type MasterKey = {
  readonly keyId: string;
  readonly sealing: Buffer;
  readonly derive: (purpose: string) => Buffer;
};

function deriveMasterKey(bytes: Buffer): MasterKey {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', bytes, '', `kalends ${purpose}`, 32));
  const keyId = createHmac('sha256', derive('fingerprint')).update('kalends').digest('hex').slice(0, 16);
  return { keyId, sealing: derive('sealing'), derive };
}

export const masterKeyId = (masterKey: Buffer): string => deriveMasterKey(masterKey).keyId;
