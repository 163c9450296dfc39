/**
 * Output that is safe in a terminal. Commands print names, ids and answers of servers, in which control characters could
 * set colours, titles or the clipboard, and direction overrides could make a line read as another.
 */

/** Control characters but the line feed (some terminals take U+0080 to U+009F for ESC), and direction overrides. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const UNSAFE_CHARACTERS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The text with a replacement character for each of them. */
export const terminalText = (text: string): string => text.replace(UNSAFE_CHARACTERS, '\ufffd');

/** The value as JSON, with each of them escaped. */
export const terminalJson = (value: unknown): string => safeJson(JSON.stringify(value, null, 2));

/** The same in one line. */
export const terminalLine = (value: unknown): string => safeJson(JSON.stringify(value));

/** JSON text with each of them escaped. */
export const safeJson = (json: string): string =>
  json.replace(
    UNSAFE_CHARACTERS,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
