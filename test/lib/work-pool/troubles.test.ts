/** Waits that end, threads that are silent, and threads that do not start. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';

import { type WorkPool, type WorkTask, workPool } from '../../../src/lib/work-pool/work-pool.ts';

const task = (name: string, input?: unknown, owner = 'ada'): WorkTask => ({
  name,
  input,
  owner,
  partMs: 300,
});
const scriptOf = (name: string) => new URL(name, import.meta.url);

describe('a pool of worker threads in trouble', () => {
  let pool: WorkPool;
  let waits: number[];
  let refused: string[];
  let replaced: object[];
  let notStarted: unknown[];
  const open = (script = './thread.ts', mostThreads = 1) => {
    [waits, refused, replaced, notStarted] = [[], [], [], []];
    const listener = {
      waited: (milliseconds: number) => void waits.push(milliseconds),
      refused: () => void refused.push('busy'),
      replaced: (load: object) => void replaced.push(load),
      notStarted: (reason: unknown) => void notStarted.push(reason),
    };
    const limits = { mostThreads, mostMemory: 32, idleMs: 50, waitMs: 60_000 };
    pool = workPool({ ...limits, script: scriptOf(script), listener });
  };
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(async () => {
    mock.timers.reset();
    await pool.close();
  });

  /** A task that uses no processor time and does not end. Resolves once it is at it. */
  const blocked = async (owner = 'eve') => {
    const begun = new Int32Array(new SharedArrayBuffer(8));
    const result = pool.run(task('block', begun, owner));
    await Atomics.waitAsync(begun, 0, 0).value;
    return { result };
  };
  const tick = (seconds: number) => {
    for (let i = 0; i < seconds; i += 1) mock.timers.tick(1_000);
  };

  it('stops a task that has waited for its limit, which then gets no thread', async () => {
    open();
    const { result } = await blocked();
    tick(5);
    const waiting = pool.run(task('count', 1));
    tick(59);
    assert.equal(pool.load().waiting, 1);
    tick(1);

    assert.equal((await waiting).stopped?.reason, 'busy');
    assert.deepEqual(refused, ['busy']);
    assert.equal(pool.load().waiting, 0);
    assert.equal(waits.length, 2);
    tick(10);
    assert.equal((await result).stopped?.reason, 'stalled');
    assert.deepEqual((await pool.run(task('count', 2))).parts, [1, 2]);
  });

  it('replaces a thread that was silent for a minute, stops its task as stalled and serves the next', async () => {
    open();
    const { result } = await blocked();
    tick(20);
    const waiting = pool.run(task('count', 2));
    tick(39);
    assert.deepEqual(replaced, []);
    tick(11);

    const { parts, stopped } = await result;
    assert.deepEqual([parts, stopped?.reason], [['first'], 'stalled']);
    assert.deepEqual(replaced, [{ running: 1, waiting: 1 }]);
    assert.deepEqual((await waiting).parts, [1, 2]);
  });

  it('stops only the silent thread, and not one that has sent a part every ten seconds', async () => {
    open('./thread.ts', 2);
    const { result } = await blocked();
    const turns = new Int32Array(new SharedArrayBuffer(8));
    const working = pool.run(task('inTurns', turns, 'ben'));
    for (let turn = 1; turn <= 8; turn += 1) {
      while (Atomics.load(turns, 0) < turn) await Atomics.waitAsync(turns, 0, turn - 1).value;
      tick(10);
      Atomics.store(turns, 1, turn);
      Atomics.notify(turns, 1);
    }

    assert.equal((await result).stopped?.reason, 'stalled');
    assert.deepEqual(replaced, [{ running: 1, waiting: 0 }]);
    assert.deepEqual(await working, { parts: [1, 2, 3, 4, 5, 6, 7, 8], stopped: undefined });
  });

  it('does not end a thread that got a task while it was idle', async () => {
    open();
    await pool.run(task('count', 1));
    const { result } = await blocked();
    tick(10);

    assert.equal(pool.load().threads, 1);
    await pool.close();
    assert.deepEqual((await result).parts, ['first']);
  });

  for (const [script, reason] of [
    ['./dying-thread.ts', /no such file/],
    ['https://dav.example/thread.js', /must be of scheme file/],
  ] as const)
    it(`stops all tasks if no thread becomes ready, and starts none for ten seconds: ${script}`, async (t) => {
      open(script);
      const tasks = ['ada', 'ben', 'eve'].map((owner) => pool.run(task('count', 1, owner)));
      for (const one of tasks) assert.equal((await one).stopped?.reason, 'unstarted');
      assert.equal((await pool.run(task('count', 1))).stopped?.reason, 'unstarted');

      assert.equal(notStarted.length, 1);
      assert.match(String(notStarted[0]), reason);
      assert.equal(pool.load().threads, 0);
      const later = performance.now() + 10_000;
      t.mock.method(performance, 'now', () => later);
      assert.equal((await pool.run(task('count', 1))).stopped?.reason, 'unstarted');
      assert.equal(notStarted.length, 2);
    });
});
