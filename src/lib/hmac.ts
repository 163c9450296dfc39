/**
 * HMAC-SHA256 (RFC 2104) out of two one-shot hashes. node:crypto's own makes a stream object for each
 * code, which takes half as long again and is left to the garbage collector to end.
 */
import { hash } from 'node:crypto';

/** The two blocks that come before the message and before the inner hash. */
export type HmacKey = { readonly inner: Uint8Array; readonly outer: Uint8Array };

/** > B = the byte-length of such blocks (RFC 2104 §2) */
const BLOCK = 64;
const DIGEST = 32;

/** Prepares a key of any length. */
export function hmacKey(key: Buffer): HmacKey {
  const block = Buffer.alloc(BLOCK);
  (key.length > BLOCK ? hash('sha256', key, 'buffer') : key).copy(block);
  const padded = (pad: number) => block.map((byte) => byte ^ pad);
  return { inner: padded(0x36), outer: padded(0x5c) };
}

/** The code of `text` in UTF-8, as base64url. */
export function hmacSha256({ inner, outer }: HmacKey, text: string): string {
  const message = Buffer.allocUnsafe(BLOCK + Buffer.byteLength(text));
  message.set(inner);
  message.write(text, BLOCK);
  const outerMessage = Buffer.allocUnsafe(BLOCK + DIGEST);
  outerMessage.set(outer);
  // A digest as text of one byte a character is made faster than one as a buffer.
  outerMessage.write(hash('sha256', message, 'latin1'), BLOCK, 'latin1');
  return hash('sha256', outerMessage, 'base64url');
}
