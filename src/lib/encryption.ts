/**
 * Encrypts text with AES-256-GCM and a random nonce. The context is additional data: the table, row and field of a
 * secret in the database, or the owner and purpose of a text that clients carry.
 */
import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

/** Seals `plain` under a key of 32 bytes, as base64url. */
export function sealWith(key: Buffer, plain: string, context: string): string {
  const nonce = freshNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const box = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(box).toString('base64url');
}

const NONCE_BYTES = 12;
/** Nonces are generated in batches, because each call goes to the system. */
const NONCES_DRAWN = 64;
let drawn = Buffer.alloc(0);

/** Returns twelve random bytes that were never returned before. */
function freshNonce(): Buffer {
  if (drawn.length === 0) drawn = randomBytes(NONCE_BYTES * NONCES_DRAWN);
  const nonce = drawn.subarray(0, NONCE_BYTES);
  drawn = drawn.subarray(NONCE_BYTES);
  return nonce;
}

/** Opens a text that `sealWith` sealed with this key and this context. Throws for everything else. */
export function openWith(key: Buffer, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  // Without the length, GCM accepts a shortened tag, which is easier to guess.
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(-16));
  return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
}

/** Returns the stored form of secrets of 256 random bits: SHA-256 in hex. A slow hash adds nothing to such entropy. */
export const hashOfSecret = (secret: string): string => hash('sha256', secret);
