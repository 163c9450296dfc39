/** A name with more differing characters is not a misspelling. */
const MOST_SLIPS = 4;
const MOST_CHARACTERS = 100;

/** Returns the most similar of the known names, or `undefined` if each differs in more than four characters or a third. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > MOST_CHARACTERS) return undefined;
  const letters = [...name];
  const most = Math.min(MOST_SLIPS, Math.ceil(name.length / 3));
  const [first] = known
    .filter((candidate) => Math.abs(candidate.length - letters.length) <= most)
    .map((candidate) => ({ candidate, slips: distance(letters, candidate, most) }))
    .sort((one, other) => one.slips - other.slips);
  return first !== undefined && first.slips <= most ? first.candidate : undefined;
}

/**
 * Returns the Levenshtein distance: the number of characters inserted, left out or replaced. One above `most` is not
 * counted to its end, because a request can have thousands of unknown names.
 */
function distance(letters: readonly string[], other: string, most: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of letters.entries()) {
    const next = [at + 1];
    let least = at + 1;
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === letter ? 0 : 1);
      const slips = Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1);
      next.push(slips);
      least = Math.min(least, slips);
    }
    if (least > most) return least;
    row = next;
  }
  return row[other.length] ?? 0;
}
