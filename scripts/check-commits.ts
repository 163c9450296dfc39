/**
 * Checks all commits after the one that added `scripts/limits.ts`: `npm run check -- --commits`, part of `.ci/run`. It
 * needs the whole history.
 */
import { git } from './changed-files.ts';
import { LIMITS } from './limits.ts';

export type Commit = {
  readonly hash: string;
  readonly subject: string;
  readonly body: string;
  /** The paths that it adds, changes or deletes. */
  readonly paths: readonly string[];
};

const CONVENTIONAL = /^(build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test)(\([a-z\d-]+\))?!?: \S/;
const LIMIT_FILES = ['scripts/limits.ts', 'biome.json'];
const [FIRST_LIMIT_FILE = ''] = LIMIT_FILES;

/** Returns a line for each broken rule. */
export const findCommitProblems = (commits: readonly Commit[]): string[] =>
  commits.flatMap((commit) =>
    problemsOf(commit).map((problem) => `${commit.hash.slice(0, 8)} "${commit.subject}": ${problem}`),
  );

function problemsOf({ subject, body, paths }: Commit): string[] {
  const most = LIMITS.commitSubjectCharacters;
  const limits = paths.filter((path) => LIMIT_FILES.includes(path));
  return [
    ...(CONVENTIONAL.test(subject) ? [] : ['the subject must be conventional, such as "fix(oauth): …"']),
    ...(subject.length > most ? [`the subject must have at most ${most} characters`] : []),
    ...(limits.length > 0 && limits.length < paths.length
      ? [`a commit that changes ${limits.join(' and ')} must change nothing else`]
      : []),
    ...(limits.length > 0 && body === '' ? ['the body must give the reason for the limit'] : []),
  ];
}

/** Reads the commits after the one that added the limits, the newest first. Throws in a shallow clone. */
function readCommits(): Commit[] {
  if (git('rev-parse', '--is-shallow-repository')[0] === 'true')
    throw new Error('The history is incomplete. Fetch it with: git fetch --unshallow');
  const added = git('log', '--diff-filter=A', '--format=%H', '--', FIRST_LIMIT_FILE).at(-1);
  if (added === undefined) return [];
  const format = '--format=%x1e%H%x1f%s%x1f%b%x1f';
  const log = git('log', '--name-only', '--no-renames', format, `${added}..HEAD`).join('\n');
  return log
    .split('\x1e')
    .slice(1)
    .map((text) => {
      const [hash = '', subject = '', body = '', paths = ''] = text.split('\x1f');
      return { hash, subject, body: body.trim(), paths: paths.trim().split('\n').filter(Boolean) };
    });
}

if (import.meta.main) {
  try {
    const commits = readCommits();
    const problems = findCommitProblems(commits);
    for (const problem of problems) console.error(problem);
    console.log(`${commits.length} commits, ${problems.length} problem(s).`);
    process.exitCode = problems.length === 0 ? 0 : 1;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
