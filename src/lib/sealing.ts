/**
 * Encrypted text: AES-256-GCM with a random nonce. The context is additional data, so that a text opens for its own
 * context only. For a secret in the database it names table, row and field; for a text that clients carry, its owner
 * and purpose.
 */
import { createCipheriv, createDecipheriv, createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';

/** What sealed values start with: the format, then the id of the key. */
const FORMAT = 'k1';

export interface Sealer {
  /** Names the master key without telling it: 16 hex digits. */
  readonly keyId: string;
  /** Text in, printable text out. */
  seal(plain: string, context: string): string;
  /** Throws when the value was made under another key or context, or was changed. */
  open(sealed: string, context: string): string;
  /** A key of 32 bytes for one purpose, derived from the master key. */
  derive(purpose: string): Buffer;
}

/** `masterKey` is 32 bytes. */
export function createSealer(masterKey: Buffer): Sealer {
  const derive = (purpose: string) =>
    Buffer.from(hkdfSync('sha256', masterKey, '', `kalends ${purpose}`, 32));
  const key = derive('sealing');
  const keyId = createHmac('sha256', derive('fingerprint')).update('kalends').digest('hex').slice(0, 16);

  return {
    keyId,
    derive,
    seal(plain, context) {
      return `${FORMAT}.${keyId}.${sealWith(key, plain, context)}`;
    },
    open(sealed, context) {
      const [format, sealedUnder, box] = sealed.split('.');
      if (format !== FORMAT || box === undefined) throw new Error('Not a sealed value');
      if (sealedUnder !== keyId) throw new Error(`Sealed under master key ${sealedUnder}, not ${keyId}`);
      return openWith(key, box, context);
    },
  };
}

/** `plain` as base64url, under a key of 32 bytes. */
export function sealWith(key: Buffer, plain: string, context: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const box = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(box).toString('base64url');
}

/** What `sealWith` sealed with this key and for this context. Throws for everything else. */
export function openWith(key: Buffer, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  // Without the length, GCM takes a shortened tag, which is sooner guessed.
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
}

/** How secrets of 256 random bits are kept: SHA-256 in hex. A slow hash adds nothing to such entropy. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret);
