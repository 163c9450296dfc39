import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { it } from 'node:test';

/** Runs a command and prints the number of threads that the pool has started since. */
const PROGRAM = `
  import { promises, readdirSync } from 'node:fs';
  const countThreads = () => readdirSync('/proc/self/task').length;
  const before = countThreads();
  await import('./src/start.js');
  await promises.stat('.');
  console.log(countThreads() - before);`;

it('the program has 16 threads for lookups and files, unless UV_THREADPOOL_SIZE has another number', () => {
  const cwd = path.resolve(import.meta.dirname, '../..');
  const { UV_THREADPOOL_SIZE: _, ...env } = process.env;
  const countIn = (environment: NodeJS.ProcessEnv): number => {
    const args = ['--input-type=module', '-e', PROGRAM, 'kalends', '--version'];
    return Number(execFileSync(process.execPath, args, { cwd, env: environment }).toString().split('\n')[1]);
  };

  assert.deepEqual([countIn(env), countIn({ ...env, UV_THREADPOOL_SIZE: '5' })], [16, 5]);
});
