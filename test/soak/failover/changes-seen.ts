/** Checks that each acknowledged event is on the cursor once and in order, and was delivered. */

/** An acknowledged creation, from its first request to its response, in milliseconds. */
export type Creation = {
  readonly title: string;
  readonly start: number;
  readonly end: number;
  /** Whether the mirror had it then. If the database failed, a later sync brings it (docs/writing.md). */
  readonly isStored: boolean;
};
export type Change = { readonly title: string; readonly changeType: string };

/** Returns a sentence for each problem. */
export function findProblems(
  created: readonly Creation[],
  seen: readonly Change[],
  delivered: readonly string[],
): string[] {
  const changes = seen.filter(({ changeType }) => changeType === 'created').map(({ title }) => title);
  const counts = Map.groupBy(changes, (title) => title);
  const byTitle = new Map(created.map((one) => [one.title, one]));
  const received = new Set(delivered);
  const problems: string[] = [];
  for (const { title } of created) {
    const count = counts.get(title)?.length ?? 0;
    if (count !== 1) problems.push(`"${title}" is on the cursor ${count} times`);
    if (!received.has(title)) problems.push(`"${title}" was not delivered`);
  }
  let latest = Number.NEGATIVE_INFINITY;
  for (const title of changes) {
    const { start, end, isStored } = byTitle.get(title) ?? { start: latest, end: latest, isStored: false };
    if (!isStored) continue;
    if (end < latest) problems.push(`"${title}" is on the cursor after a later one`);
    latest = Math.max(latest, start);
  }
  return problems;
}
