/**
 * Text that a terminal only shows. Much of what commands tell comes from elsewhere: names, ids, what a server answered.
 * In it, a control character could set colours, titles or the clipboard, and an override of direction make a line read
 * as another.
 */

/** All but the line feed, which is ours; the second range is one byte in some terminals' eyes, and acts like ESC. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The text with a replacement character for each that is not to be seen. */
export const terminalText = (text: string): string => text.replace(STEERING, '\ufffd');

/** A JSON document that means the same, with each of them escaped. */
export const terminalJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(
    STEERING,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
