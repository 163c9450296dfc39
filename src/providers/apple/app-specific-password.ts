/** App-specific passwords of Apple: sixteen letters. Other text is not sent: it is probably the main password. */

/** Characters that copying may insert between the letters: hyphens and dashes, spaces, invisible characters. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212_.]/gu;

/** Returns the password as Apple spells it, however it was typed; `undefined` if it cannot be one. */
export function appSpecificPassword(typed: string): string | undefined {
  // Full-width letters, which some keyboards produce, count as letters.
  const letters = typed.normalize('NFKC').replace(SEPARATORS, '').toLowerCase();
  if (!/^[a-z]{16}$/.test(letters)) return undefined;
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}
