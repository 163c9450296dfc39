/** A name with more differing characters is not a misspelling. */
const MOST_SLIPS = 4;
const MOST_CHARACTERS = 100;

/** Returns the most similar of the known names, or `undefined` if each differs in more than four characters or a third. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > MOST_CHARACTERS) return undefined;
  const byDistance = known.map((candidate) => ({ candidate, slips: distance(name, candidate) }));
  const [first] = byDistance.sort((one, other) => one.slips - other.slips);
  const most = Math.min(MOST_SLIPS, Math.ceil(name.length / 3));
  return first !== undefined && first.slips <= most ? first.candidate : undefined;
}

/** Returns the Levenshtein distance: the number of characters inserted, left out or replaced. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (other[column - 1] === letter ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
