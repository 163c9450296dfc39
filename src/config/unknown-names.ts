/** Names in the environment that look like settings but are not, such as misspelled ones. */
export type UnknownName = { readonly name: string; readonly nearest: string | undefined };

/** Read by `kalends listen`, by the tests, and by compose.yaml. */
const OTHERS = /^KALENDS_(CLIENT_ID|CLIENT_SECRET|WEBHOOK_SECRET|DOMAIN|TEST_.*)$/;
/** Names that Kubernetes and container links set for a service named kalends. */
const OF_SERVICE = /^KALENDS_(SERVICE_.*|PORT_\d+_.*)$/;
/** A name with more differing characters is not a misspelling. */
const MOST_SLIPS = 4;
const MOST_CHARACTERS = 100;
const MOST_NAMES = 50;

/** Returns at most fifty names, in the order of the environment. `options` are the existing settings. */
export function unknownNames(
  env: Readonly<Record<string, string | undefined>>,
  options: readonly { readonly name: string }[],
): readonly UnknownName[] {
  const settingNames = options.flatMap(({ name }) => [name, `${name}_FILE`]);
  return Object.keys(env)
    .filter((name) => name.startsWith('KALENDS_') && !settingNames.includes(name))
    .filter((name) => !OTHERS.test(name) && !OF_SERVICE.test(name))
    .slice(0, MOST_NAMES)
    .map((name) => ({ name: name.slice(0, MOST_CHARACTERS), nearest: findNearest(name, settingNames) }));
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MOST_CHARACTERS) return undefined;
  const byDistance = known.map((candidate) => ({ candidate, slips: distance(name, candidate) }));
  const [first] = byDistance.sort((one, other) => one.slips - other.slips);
  return first !== undefined && first.slips <= MOST_SLIPS ? first.candidate : undefined;
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
