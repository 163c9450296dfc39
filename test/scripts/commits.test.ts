/** Tests the rules for commits. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { findCommitProblems } from '../../scripts/check-commits.ts';
import { LIMITS } from '../../scripts/limits.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const commit = { hash: '0123456789', subject: 'fix(oauth): refuse it', body: '', paths: ['src/a.ts'] };
const problemsIn = (change: Partial<typeof commit>) => findCommitProblems([{ ...commit, ...change }]);

describe('the rules for commits', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-commits-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    });

  it('refuses a subject that is not conventional or too long', () => {
    const longest = `fix: ${'a'.repeat(LIMITS.commitSubjectCharacters - 5)}`;

    assert.deepEqual(problemsIn({}), []);
    assert.deepEqual(problemsIn({ subject: longest }), []);
    assert.match(problemsIn({ subject: `${longest}a` }).join(), /^01234567 ".*": .* at most 72 characters$/);
    for (const subject of ['Fix it', 'fixed: it', 'fix(A b): it', 'fix:it'])
      assert.match(problemsIn({ subject }).join(), /must be conventional/);
  });

  it('refuses a commit that changes a limit and something else, or gives no reason', () => {
    const paths = ['scripts/limits.ts'];

    assert.deepEqual(problemsIn({ paths: [...paths, 'biome.json'], body: 'Joined files are longer.' }), []);
    assert.match(problemsIn({ paths }).join(), /must give the reason/);
    assert.match(
      problemsIn({ paths: [...paths, 'src/a.ts'], body: 'A reason.' }).join(),
      /changes scripts\/limits\.ts must change nothing else$/,
    );
  });

  it('reads the commits after the one that added the limits, and refuses a shallow clone', async () => {
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'Begin');
    await cp(path.join(ROOT, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
    await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
    git('add', 'scripts');
    git('commit', '-q', '-m', 'Add the limits');
    git('commit', '-q', '--allow-empty', '-m', 'fix: end it');
    const check = (cwd: string) => {
      try {
        const args = [path.join(cwd, 'scripts/check-commits.ts')];
        return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', stdio: 'pipe' });
      } catch (error) {
        return String((error as { stderr: string }).stderr);
      }
    };

    assert.equal(check(folder), '1 commits, 0 problem(s).\n');
    git('commit', '-q', '--allow-empty', '-m', 'Oops');
    assert.match(check(folder), /"Oops": the subject must be conventional/);

    const clone = path.join(folder, 'clone');
    git('clone', '-q', '--depth=1', `file://${folder}`, clone);
    assert.match(check(clone), /^The history is incomplete\. Fetch it with: git fetch --unshallow$/m);
  });
});
