/** Returns text as one line of at most `most` characters: others choose the names in it. */
export function oneLine(text: string, most: number): string {
  const line = text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
