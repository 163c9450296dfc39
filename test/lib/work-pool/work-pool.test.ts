import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';

import { type WorkPool, type WorkTask, workPool } from '../../../src/lib/work-pool/work-pool.ts';
import { WorkFailed, type WorkStopped } from '../../../src/lib/work-pool/work-stopped.ts';

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
    pool = workPool({ script: SCRIPT, mostThreads, mostMemory: 32, idleMs: 50, waitMs: 60_000 });
    return pool;
  };
  afterEach(() => pool.close());
  const partsOf = async <T>(of: WorkTask) => {
    const { parts, stopped } = await pool.run<T>(of);
    assert.equal(stopped, undefined);
    return parts;
  };
  const reasonOf = ({ stopped }: { readonly stopped: WorkStopped | undefined }) => stopped?.reason;

  it('returns the parts of a task in order', async () => {
    open();
    assert.deepEqual(await partsOf(task('count', 3)), [1, 2, 3]);
    assert.deepEqual(await partsOf(task('count', 0)), []);
  });

  it('serves a caller that starts a second task for each part, with one thread', async () => {
    open();
    const inner: unknown[] = [];
    for (const part of await partsOf(task('count', 3))) inner.push(await partsOf(task('count', part)));
    assert.deepEqual(inner, [[1], [1, 2], [1, 2, 3]]);
  });

  it('runs the next task in the same thread, whatever the caller does with the parts', async () => {
    open();
    const threads = new Set();
    for (let i = 0; i < 5; i += 1) for (const id of await partsOf(task('thread'))) threads.add(id);
    assert.equal(threads.size, 1);
  });

  it('stops a task at a part that takes more than its processor time, and returns the parts before', async () => {
    open();
    const result = await pool.run(task('forever'));
    assert.deepEqual([result.parts, reasonOf(result)], [['first'], 'deadline']);
    assert.deepEqual(await partsOf(task('count', 1)), [1]);
  });

  it('stops a task at a part that takes more than its memory, and runs the next one', async () => {
    open();
    assert.equal(reasonOf(await pool.run({ ...task('hoard'), partMs: 60_000 })), 'memory');
    assert.deepEqual(await partsOf(task('count', 1)), [1]);
  });

  it('fails with the place of what a task threw, and its thread runs the next one', async () => {
    open();
    const [thread] = await partsOf(task('thread'));
    await assert.rejects(
      partsOf(task('fail')),
      (error: unknown) => error instanceof WorkFailed && /of its own[\s\S]*thread\.ts/.test(error.message),
    );
    await assert.rejects(partsOf(task('none')), WorkFailed);
    assert.deepEqual(await partsOf(task('thread')), [thread]);
  });

  it('moves what is transferred', async () => {
    open();
    const bytes = new ArrayBuffer(8);
    assert.deepEqual(await partsOf({ ...task('size', bytes), transfer: [bytes] }), [8]);
    assert.equal(bytes.byteLength, 0);
  });

  it('lets owners take turns: one owner’s only task does not wait for another’s many', async () => {
    open();
    const ended: string[] = [];
    const run = async (owner: string) => {
      await partsOf(task('count', 1, owner));
      ended.push(owner);
    };
    await Promise.all([run('eve'), run('eve'), run('eve'), run('eve'), run('ada')]);

    assert.ok(ended.indexOf('ada') <= 2, ended.join());
  });

  it('runs all tasks, however many wait, with no more threads than allowed', async () => {
    open(2);
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => partsOf(task('count', 2, `user ${i % 3}`))),
    );
    assert.deepEqual(new Set(all.map(String)), new Set(['1,2']));
    assert.ok(pool.load().threads <= 2);
  });

  it('stops running, waiting and later tasks when it is closed', async () => {
    open();
    const begun = new Int32Array(new SharedArrayBuffer(8));
    const [running, waiting] = [pool.run(task('block', begun)), pool.run(task('count', 1))];
    await Atomics.waitAsync(begun, 0, 0).value;
    await pool.close();

    assert.equal(reasonOf(await running), 'closed');
    assert.equal(reasonOf(await waiting), 'closed');
    assert.equal(reasonOf(await pool.run(task('count', 1))), 'closed');
  });
});
