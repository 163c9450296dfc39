/** The changes of a release and its preconditions: the texts of the changelog and of the packages. */

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const UNRELEASED = /^## Unreleased\n/m;

/** The files that contain the version, with their current texts. */
export type ReleaseTexts = {
  readonly changelog: string;
  /** `package.json`, the client's and `package-lock.json`, by their paths. */
  readonly packages: Readonly<Record<string, string>>;
};

/** Returns why `next` cannot be released after `current`; undefined if it can. */
export function versionProblem(next: string, current: string, isTagged: boolean): string | undefined {
  const parts = parseVersion(next);
  if (parts === undefined) return `"${next}" is no version: it is three numbers, such as 1.2.0.`;
  const order = compare(parts, parseVersion(current) ?? []);
  if (order < 0) return `${next} is older than ${current}, the version of package.json.`;
  if (isTagged) return `v${next} is released already: choose a higher version.`;
  return undefined;
}

/** Returns the same texts with the unreleased changes under the version's heading, and the version in every package. */
export function withVersion(texts: ReleaseTexts, version: string, date: string): ReleaseTexts {
  const current = versionOf(texts);
  const packages = Object.entries(texts.packages).map(([file, text]) => [
    file,
    // The package's own version: the lock file has it twice before any other; with the client's path it never has it.
    replaceFirst(text, `"version": "${current}"`, `"version": "${version}"`, file.includes('lock') ? 2 : 1),
  ]);
  return {
    changelog: texts.changelog.replace(UNRELEASED, `## Unreleased\n\n## ${version} (${date})\n`),
    packages: Object.fromEntries(packages),
  };
}

/** Returns the problems that prevent these texts from being published. */
export function publishProblems({ changelog, packages }: ReleaseTexts): string[] {
  const version = versionOf({ changelog, packages });
  const others = Object.entries(packages).flatMap(([file, text]) => {
    const packageVersion = String(JSON.parse(text).version);
    return packageVersion === version
      ? []
      : [`${file} has version ${packageVersion}, and package.json ${version}.`];
  });
  const isListed = changelog.includes(`\n## ${version} (`);
  return isListed
    ? others
    : [...others, `CHANGELOG.md has no section "## ${version} (…)": npm run release -- ${version} makes it.`];
}

/** Returns the unreleased changes, without their heading. */
export function unreleased(changelog: string): string {
  const [, after = ''] = changelog.split(UNRELEASED);
  return (after.split(/^## /m)[0] ?? '').trim();
}

/** Returns the version in package.json. */
export function versionOf({ packages }: ReleaseTexts): string {
  return String(JSON.parse(packages['package.json'] ?? '{}').version);
}

function parseVersion(version: string): number[] | undefined {
  return VERSION.exec(version)?.slice(1).map(Number);
}

function compare(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((part, i) => part !== right[i]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

function replaceFirst(text: string, from: string, to: string, times: number): string {
  let result = text;
  for (let count = 0; count < times; count += 1) result = result.replace(from, to);
  return result;
}
