/** An event's `custom` as the text of X-KALENDS-CUSTOM. */
import { jsonIn } from '../../../lib/json.ts';

/**
 * JSON in base64url, since servers unescape, percent-decode and rewrite properties they do not know, and JSON is full of
 * the characters they change.
 */
export function customText(custom: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(custom)).toString('base64url');
}

/** Reads plain JSON too. `undefined` for anything but a JSON object: Kalends did not write it. */
export function customOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text.startsWith('{') ? text : Buffer.from(text, 'base64url').toString());
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // `isObject` checks what the type says.
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}
