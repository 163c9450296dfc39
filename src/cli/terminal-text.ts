/**
 * Makes output safe for a terminal. Names, ids and responses of servers could contain control characters, which set
 * colors, titles or the clipboard, or direction overrides, which make a line read as another.
 */

/** Control characters without the line feed (some terminals treat U+0080 to U+009F as ESC), and direction overrides. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const UNSAFE_CHARACTERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text with U+FFFD for each unsafe character. */
export const terminalText = (text: string): string => text.replace(UNSAFE_CHARACTERS, '\ufffd');

/** Returns the value as indented JSON with unsafe characters escaped. */
export const terminalJson = (value: unknown): string => safeJson(JSON.stringify(value, null, 2));

/** Returns the value as one line of JSON with unsafe characters escaped. */
export const terminalLine = (value: unknown): string => safeJson(JSON.stringify(value));

/** Returns JSON with unsafe characters escaped. */
export const safeJson = (json: string): string =>
  json.replace(
    UNSAFE_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
