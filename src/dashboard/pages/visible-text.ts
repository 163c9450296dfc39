/** Text that others made, such as what a receiver answered, for a reader to see what is in it. */

/** Control and direction characters, which would change how what is around them reads. Lines and tabs stay. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** At most so many characters; what cannot be seen is written as JSON writes it. */
export function visibleText(text: string, most: number): string {
  const shown = text.length > most ? `${text.slice(0, most)}…` : text;
  return shown.replace(UNSEEN, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
