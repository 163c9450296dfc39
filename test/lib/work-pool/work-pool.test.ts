import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { type WorkPool, type WorkTask, workPool } from '../../../src/lib/work-pool/work-pool.ts';
import { WorkFailed, WorkStopped } from '../../../src/lib/work-pool/work-stopped.ts';

const SCRIPT = new URL('./thread.ts', import.meta.url);
const task = (name: string, input?: unknown, owner = 'ada'): WorkTask => ({
  name,
  input,
  owner,
  partMs: 300,
});

describe('a pool of worker threads', () => {
  let pool: WorkPool;
  const open = (mostThreads = 1) => {
    pool = workPool({ script: SCRIPT, mostThreads, mostMemory: 32, idleMs: 50 });
    return pool;
  };
  afterEach(() => pool.close());
  const partsOf = <T>(of: WorkTask) => Array.fromAsync(pool.run<T>(of));
  const isStopped = (why: string) => (error: unknown) => error instanceof WorkStopped && error.reason === why;

  it('a task’s parts come one by one, in order', async () => {
    open();
    assert.deepEqual(await partsOf(task('count', 3)), [1, 2, 3]);
    assert.deepEqual(await partsOf(task('count', 0)), []);
  });

  it('a part that takes more than its processor time ends the task, and the next one is done', async () => {
    open();
    const parts = pool.run(task('forever'));
    assert.equal((await parts.next()).value, 'first');

    await assert.rejects(parts.next(), isStopped('deadline'));
    assert.deepEqual(await partsOf(task('count', 1)), [1]);
  });

  it('a part that takes more than its memory ends the task, and the next one is done', async () => {
    open();
    await assert.rejects(partsOf({ ...task('hoard'), partMs: 60_000 }), isStopped('memory'));
    assert.deepEqual(await partsOf(task('count', 1)), [1]);
  });

  it('a fault of a task is told with its place, and its thread goes on', async () => {
    open();
    await assert.rejects(
      partsOf(task('fail')),
      (error: unknown) => error instanceof WorkFailed && /of its own[\s\S]*thread\.ts/.test(error.message),
    );
    await assert.rejects(partsOf(task('none')), WorkFailed);
    assert.deepEqual(await partsOf(task('count', 1)), [1]);
  });

  it('who leaves a task in the middle ends it', async () => {
    open();
    for await (const part of pool.run(task('count', 1_000_000))) if (part === 2) break;
    assert.deepEqual(await partsOf(task('count', 1)), [1]);
  });

  it('what is transferred is moved', async () => {
    open();
    const bytes = new ArrayBuffer(8);
    assert.deepEqual(await partsOf({ ...task('size', bytes), transfer: [bytes] }), [8]);
    assert.equal(bytes.byteLength, 0);
  });

  it('owners take turns: the only task of one does not wait for the many of another', async () => {
    open();
    const ended: string[] = [];
    const run = async (owner: string) => {
      await partsOf(task('count', 1, owner));
      ended.push(owner);
    };
    await Promise.all([run('eve'), run('eve'), run('eve'), run('eve'), run('ada')]);

    assert.ok(ended.indexOf('ada') <= 2, ended.join());
  });

  it('all tasks are done however many wait, by no more threads than allowed', async () => {
    open(2);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => partsOf(task('count', 2, `user ${i % 3}`))),
    );
    assert.deepEqual(new Set(all.map(String)), new Set(['1,2']));
  });

  it('closing ends what is under way, what waits and what comes after', async () => {
    open();
    const parts = pool.run({ ...task('forever'), partMs: 60_000 });
    await parts.next();
    const [running, waiting] = [parts.next(), partsOf(task('count', 1))];
    const failed = Promise.all([
      assert.rejects(running, isStopped('closed')),
      assert.rejects(waiting, isStopped('closed')),
    ]);
    await pool.close();
    await failed;
    await assert.rejects(partsOf(task('count', 1)), isStopped('closed'));
  });

  it('closing between two parts ends the task as well', { timeout: 10_000 }, async () => {
    const parts = open().run(task('count', 1_000_000));
    await parts.next();
    await pool.close();

    await assert.rejects(parts.next(), isStopped('closed'));
  });
});
