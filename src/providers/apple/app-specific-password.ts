/**
 * App-specific passwords as Apple makes them: sixteen letters, shown in four groups. Anything else is refused without
 * asking Apple: it is most likely the password of the whole Apple Account, which must have a digit.
 */

/** What copying may put between the letters: hyphens and dashes, spaces, invisible characters. */
const SEPARATORS = /[\s\p{Pd}\p{Cf}\u2212_.]/gu;

/** The password as Apple spells it, however it was typed; `undefined` for what cannot be one. */
export function appSpecificPassword(typed: string): string | undefined {
  // Full-width letters, as some keyboards write them, are letters.
  const letters = typed.normalize('NFKC').replace(SEPARATORS, '').toLowerCase();
  if (!/^[a-z]{16}$/.test(letters)) return undefined;
  return letters.replace(/(.{4})(?=.)/g, '$1-');
}
