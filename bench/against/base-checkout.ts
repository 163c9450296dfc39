/** Another commit of this repository in a temporary worktree, with its packages. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { endedWithBench } from './side-process.ts';

export const ROOT = path.resolve(import.meta.dirname, '../..');
/** Modules that depend on the program's own: every commit is started and seeded by its own. */
const OWN = ['kalends.ts', 'mirror-seed.ts'];

export type BaseCheckout = { readonly folder: string; readonly subject: string };

/** Checks `commit` out. The worktree is removed when this process ends, also by a signal or an error. */
export async function checkOut(commit: string): Promise<BaseCheckout> {
  const subject = git('log', '-1', '--format=%h %s', `${commit}^{commit}`);
  const parent = await mkdtemp(path.join(tmpdir(), 'kalends-against-'));
  const folder = path.join(parent, 'base');
  process.on('exit', () => {
    spawnSync('git', ['worktree', 'remove', '--force', folder], { cwd: ROOT });
    rmSync(parent, { recursive: true, force: true, maxRetries: 3 });
  });
  // Neither side starts with code that an earlier run compiled.
  await rm(path.join(ROOT, 'node_modules/.cache/bench'), { recursive: true, force: true });
  git('worktree', 'add', '--detach', '--quiet', folder, commit);
  const lockfile = (checkout: string) => readFile(path.join(checkout, 'package-lock.json'), 'utf8');
  if ((await lockfile(folder)) === (await lockfile(ROOT))) await linkPackages(folder);
  else await installPackages(folder);
  return { folder, subject };
}

/** Throws what git writes if it fails. */
function git(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr.trim()}`);
  return stdout.trim();
}

/** Links each package but no cache: what is compiled for the worktree goes with it. */
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
export async function addCurrentRows({ folder }: BaseCheckout): Promise<string> {
  const bench = path.join(folder, 'bench-current');
  if (existsSync(bench)) return bench;
  await cp(path.join(ROOT, 'bench'), bench, { recursive: true });
  for (const file of OWN) await writeFile(path.join(bench, file), `export * from '../bench/${file}';\n`);
  return bench;
}
