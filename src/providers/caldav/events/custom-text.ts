/** What an application keeps with an event, as the text of X-KALENDS-CUSTOM: JSON that comes back from every server. */
import { jsonIn } from '../../../lib/json.ts';

/**
 * In base64url: what servers do not know they unescape (and percent-decode) and write anew, not always to the same end, and
 * JSON is full of the signs they do it by.
 */
export function customText(custom: Readonly<Record<string, unknown>>): string {
  return Buffer.from(JSON.stringify(custom)).toString('base64url');
}

/** Plain JSON is read as well. `undefined` for what is no JSON object: anything else under the name is not ours. */
export function customOf(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonIn(text.startsWith('{') ? text : Buffer.from(text, 'base64url').toString());
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  // The check above is what the type says.
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}
