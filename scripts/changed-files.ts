/** The files that were changed since the branch left `main`. */
import { execFileSync } from 'node:child_process';

import { ROOT } from './text-files.ts';

/**
 * Returns the paths of all files that differ from the merge base with `main` or are not committed, deleted ones included.
 * The list is empty without Git or without a branch `main`.
 */
export function listChangedFiles(): string[] {
  try {
    const base = git('merge-base', 'HEAD', 'main')[0] ?? 'HEAD';
    const changed = git('diff', '--name-only', '--no-renames', base);
    return [...changed, ...git('ls-files', '--others', '--exclude-standard')];
  } catch {
    return [];
  }
}

/** Returns the lines that `git` prints. Throws if it fails. */
export function git(...args: string[]): string[] {
  const output = execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return output.split('\n').filter((line) => line !== '');
}
