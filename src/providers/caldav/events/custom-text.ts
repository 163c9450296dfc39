/** Writes an event's `custom` as the text of X-KALENDS-CUSTOM. */
import { jsonIn } from '../../../lib/json.ts';

/** Returns JSON in base64url: servers unescape and rewrite unknown properties, and JSON has many such characters. */
export function customText(custom: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(custom)).toString('base64url');
}

/** Ten times the limit for applications. */
const LONGEST_CUSTOM = 200_000;
/** JSON that is nested deeper cannot be written again. */
const DEEPEST_CUSTOM = 100;

/** Reads plain JSON too. `undefined` for anything but a JSON object within the limits. */
export function parseCustom(text: string): Readonly<Record<string, unknown>> | undefined {
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
