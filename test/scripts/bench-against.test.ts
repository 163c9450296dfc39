/** `npm run bench -- --against COMMIT`: what its ratios mean, and that its worktree goes however it ends. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';

import { isBelow, reportOf } from '../../bench/against/compare-commits.ts';
import { ROOT } from '../deploy/docs-blocks.ts';

describe('bench --against', () => {
  const report = (unit: string, current: number[], base: number[]) =>
    reportOf({ what: 'refresh', unit, current, base });

  it('a ratio above 1 is more requests in a second, and less time or memory', () => {
    const faster = report('/s', [100, 110, 120], [100, 100, 100]);

    assert.deepEqual([faster.ratio, ...faster.range], [1.1, 1, 1.2]);
    assert.equal(report('µs', [50], [100]).ratio, 2);
    assert.equal(report('MB', [200], [100]).ratio, 0.5);
  });

  it('a ratio below the limit counts, also if its turns disagree about it', () => {
    assert.equal(isBelow(report('MB', [110], [100]), 0.97), true);
    assert.equal(isBelow(report('/s', [96, 96, 96], [100, 100, 100]), 0.97), true);
    assert.equal(isBelow(report('/s', [60, 96, 140], [100, 100, 100]), 0.97), true);
    assert.equal(isBelow(report('/s', [97, 97, 97], [100, 100, 100]), 0.97), false);
    assert.equal(isBelow(report('µs', [Number.NaN], [100]), 0.97), true);
  });

  it('the command exits with 1 if a ratio is below --at-least', async () => {
    const args = [
      'bench/bench.ts',
      '--smoke',
      '--only',
      'refresh',
      '--against',
      'HEAD',
      '--at-least',
      '1000',
    ];
    const bench = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    const text = bench.stdout.setEncoding('utf8').toArray();
    const [code] = await once(bench, 'exit');

    assert.equal(code, 1);
    assert.match((await text).join(''), /^Below 1000: refresh; refresh, processor$/m);
  });

  it('nothing of the other commit is left after Ctrl-C', async (t) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'kalends-bench-test-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const args = ['bench/bench.ts', '--smoke', '--only', 'refresh', '--against', 'HEAD'];
    const env = { ...process.env, TMPDIR: folder };
    const bench = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
    // It names the other commit once that is checked out.
    await once(bench.stdout, 'data');
    const [checkout = ''] = await readdir(folder);
    bench.kill('SIGINT');
    const [code] = await once(bench, 'exit');

    assert.equal(code, 1);
    assert.match(checkout, /^kalends-against-/);
    assert.deepEqual(await readdir(folder), []);
    const worktrees = execFileSync('git', ['worktree', 'list'], { cwd: ROOT, encoding: 'utf8' });
    assert.doesNotMatch(worktrees, new RegExp(checkout));
  });
});
