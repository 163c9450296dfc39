/**
 * App-specific passwords as Apple makes them: sixteen letters, shown in four groups. It has never made others, and the
 * password of an Apple Account itself must have a digit, so that what is not sixteen letters is refused without asking
 * Apple: most who type it are about to give us the password of their whole account.
 */

/** Hyphens and dashes of every kind, spaces, and characters that show nothing: what copying puts between letters. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212_.]/gu;

/** The password as Apple spells it, however it was typed; `undefined` for what cannot be one. */
export function appSpecificPassword(typed: string): string | undefined {
  // Full-width letters, as some keyboards write them, are letters.
  const letters = typed.normalize('NFKC').replace(SEPARATORS, '').toLowerCase();
  if (!/^[a-z]{16}$/.test(letters)) return undefined;
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}
