/**
 * Text that callers carry and cannot read or change: encrypted and authenticated, with its owner and its purpose as
 * additional data, so that a changed one, another user's, or one made for something else does not open.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** `key` is 32 bytes; `context` names the owner and the purpose. */
export function sealText(text: string, context: readonly string[], key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bytesOf(context));
  const box = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(box).toString('base64url');
}

/** `undefined` for anything but a text that was sealed for this context. */
export function openText(token: string, context: readonly string[], key: Buffer): string | undefined {
  const box = Buffer.from(token, 'base64url');
  if (box.length < 28) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, 12)).setAAD(bytesOf(context));
    decipher.setAuthTag(box.subarray(-16));
    return decipher.update(box.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    // The only failure there is: the text is not ours, or not for this context.
    return undefined;
  }
}

const bytesOf = (context: readonly string[]) => Buffer.from(JSON.stringify(context));
