/** This checkout and another commit of the repository in temporary folders, with their packages. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { endedWithBench } from './side-process.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');
/** Modules that depend on the program's own: every commit is started and seeded by its own. */
const OWN = ['kalends.ts', 'mirror-seed.ts'];

/** Both sides of a comparison are in folders of one kind: a path, a cache or a file system favors neither. */
export type Checkouts = {
  readonly current: string;
  readonly base: string;
  /** The hash and the subject of the base commit. */
  readonly subject: string;
};

/** Copies this checkout and checks `commit` out. Both are removed when this process ends, also by a signal or an error. */
export async function checkOut(commit: string): Promise<Checkouts> {
  const subject = git('log', '-1', '--format=%h %s', `${commit}^{commit}`);
  const parent = await mkdtemp(path.join(tmpdir(), 'kalends-against-'));
  // As root, PostgreSQL runs as another user, who has to reach the packages of the base.
  await chmod(parent, 0o755);
  const [current, base] = [path.join(parent, 'head'), path.join(parent, 'base')];
  process.on('exit', () => {
    spawnSync('git', ['worktree', 'remove', '--force', base], { cwd: ROOT });
    rmSync(parent, { recursive: true, force: true, maxRetries: 3 });
  });
  git('worktree', 'add', '--detach', '--quiet', base, commit);
  // With the uncommitted changes; a deleted file is still listed.
  const files = git('ls-files', '--cached', '--others', '--exclude-standard', '-z').split('\0');
  for (const file of files)
    if (file !== '' && existsSync(path.join(ROOT, file)))
      await cp(path.join(ROOT, file), path.join(current, file), { verbatimSymlinks: true });
  await linkPackages(current);
  const lockfile = (checkout: string) => readFile(path.join(checkout, 'package-lock.json'), 'utf8');
  if ((await lockfile(base)) === (await lockfile(current))) await linkPackages(base);
  else await installPackages(base);
  return { current, base, subject };
}

/** Throws what git writes if it fails. */
function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.trim();
}

/** Links each package but no cache: compiled code is removed with the checkout. */
async function linkPackages(folder: string): Promise<void> {
  const [from, to] = [path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules')];
  await mkdir(to);
  for (const name of await readdir(from))
    if (name !== '.cache') await symlink(path.join(from, name), path.join(to, name));
}

async function installPackages(folder: string): Promise<void> {
  console.log('Its lockfile differs: npm ci');
  const stdio = ['ignore', 'ignore', 'inherit'] as const;
  const npm = endedWithBench(
    spawn('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: [...stdio] }),
  );
  const [code]: [number | null] = (await once(npm, 'exit')) as [number | null]; // the event's first argument
  if (code !== 0) throw new Error('npm ci failed for the base commit');
}

/** Puts the rows of this commit beside those of the base, on the base's own server. Resolves with their folder. */
export async function addCurrentRows({ current, base }: Checkouts): Promise<string> {
  const bench = path.join(base, 'bench-current');
  if (existsSync(bench)) return bench;
  await cp(path.join(current, 'bench'), bench, { recursive: true });
  for (const file of OWN) await writeFile(path.join(bench, file), `export * from '../bench/${file}';\n`);
  return bench;
}
