/** Text from other systems, such as an endpoint's response, with invisible characters made visible. */

/** Control and direction characters, which would change how the text around them reads. Lines and tabs stay. */
const UNSEEN = /[^\P{Cc}\n\t]|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** Returns at most `most` characters of the text. Invisible characters are written as JSON escapes them. */
export function visibleText(text: string, most: number): string {
  const visible = text.length > most ? `${text.slice(0, most)}…` : text;
  return visible.replace(UNSEEN, (one) => `\\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}
