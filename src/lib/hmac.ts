/**
 * HMAC-SHA256 (RFC 2104) out of two one-shot hashes. node:crypto's own makes a stream object for each
 * signature, which costs twice the time of the hashing and, since the collector has to finish each of
 * them, much of its time and memory under load.
 */
import { hash } from 'node:crypto';

/** The two blocks that come before the message and before the inner hash. */
export type HmacKey = { readonly inner: Buffer; readonly outer: Buffer };

/** > B = the byte-length of such blocks (RFC 2104 §2) */
const BLOCK = 64;
const DIGEST = 32;

/** Prepares a key of any length. */
export function hmacKey(key: Buffer): HmacKey {
  const block = Buffer.alloc(BLOCK);
  (key.length > BLOCK ? hash('sha256', key, 'buffer') : key).copy(block);
  const padded = (pad: number) => Buffer.from(block.map((byte) => byte ^ pad));
  return { inner: padded(0x36), outer: padded(0x5c) };
}

/** The code of `text` in UTF-8, as base64url. */
export function hmacSha256({ inner, outer }: HmacKey, text: string): string {
  const message = Buffer.allocUnsafe(BLOCK + Buffer.byteLength(text));
  inner.copy(message);
  message.write(text, BLOCK);
  const outerMessage = Buffer.allocUnsafe(BLOCK + DIGEST);
  outer.copy(outerMessage);
  hash('sha256', message, 'buffer').copy(outerMessage, BLOCK);
  return hash('sha256', outerMessage, 'base64url');
}
