/**
 * Text that callers carry and cannot read or change, sealed for its owner and its purpose: a changed one, another
 * user's, or one made for something else does not open.
 */
import { openWith, sealWith } from '../lib/sealing.ts';

/** `key` is 32 bytes; `context` names the owner and the purpose. */
export function sealText(text: string, context: readonly string[], key: Buffer): string {
  return sealWith(key, text, JSON.stringify(context));
}

/** `undefined` for anything but a text that was sealed for this context. */
export function openText(token: string, context: readonly string[], key: Buffer): string | undefined {
  try {
    return openWith(key, token, JSON.stringify(context));
  } catch {
    // The only failure there is: the text is not ours, or not for this context.
    return undefined;
  }
}
