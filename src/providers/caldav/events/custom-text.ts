/** An event's `custom` as the text of X-KALENDS-CUSTOM. */
import { jsonIn } from '../../../lib/rendered-json.ts';

/**
 * JSON in base64url, since servers unescape, percent-decode and rewrite properties they do not know, and JSON is full of
 * the characters they change.
 */
export function customText(custom: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(custom)).toString('base64url');
}

/** Ten times what Kalends takes of applications. */
const LONGEST_CUSTOM = 200_000;
/** JSON that nests deeper cannot be written again. */
const DEEPEST_CUSTOM = 100;

/** Reads plain JSON too. `undefined` for anything but a JSON object: Kalends did not write it, nor what is too long or too deep. */
export function customOf(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text.length > LONGEST_CUSTOM) return undefined;
  const value = jsonIn(text.startsWith('{') ? text : Buffer.from(text, 'base64url').toString());
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // `isObject` checks what the type says.
  return isObject && isShallow(value, DEEPEST_CUSTOM)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function isShallow(value: unknown, deepest: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return deepest > 0 && Object.values(value).every((member) => isShallow(member, deepest - 1));
}
