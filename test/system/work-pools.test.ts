/** Signs of trouble in the work pools: lines of the log and counts. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';

import { type WorkPools, workPools } from '../../src/start/work-pools.ts';
import { recordingLog } from '../servers/recording-log.ts';

const scriptOf = (name: string) => path.resolve(import.meta.dirname, '../lib/work-pool', `${name}.ts`);

describe('the work pools of the program', () => {
  let pools: WorkPools;
  let waited: string[];
  let replaced: string[];
  const { log, entries } = recordingLog();
  const open = (script: string) => {
    [waited, replaced] = [[], []];
    entries.length = 0;
    const workWaited = (pool: string) => void waited.push(pool);
    const workReplaced = (pool: string) => void replaced.push(pool);
    pools = workPools({ log, workWaited, workReplaced }, scriptOf(script));
  };
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(async () => {
    mock.timers.reset();
    await Promise.all([pools.syncWork.close(), pools.readWork.close()]);
  });
  const task = (name: string, input: unknown, owner = 'ada') => ({ name, input, owner, partMs: 300 });
  const tick = (seconds: number) => {
    for (let i = 0; i < seconds; i += 1) mock.timers.tick(1_000);
  };

  it('log and count the threads that were replaced', async () => {
    open('thread');
    const result = pools.syncWork.run(task('block', new Int32Array(new SharedArrayBuffer(8))));
    tick(70);

    assert.equal((await result).stopped?.reason, 'stalled');
    const line = { event: 'work_pool_replaced', pool: 'sync', running: 1, waiting: 0 };
    assert.deepEqual(
      entries.map(({ level, fields }) => [level, fields]),
      [['error', line]],
    );
    assert.deepEqual([replaced, waited], [['sync'], ['sync']]);
  });

  for (const [name, seconds] of [['readWork', 10] as const, ['syncWork', 60] as const])
    it(`let a task of ${name} wait for ${seconds} seconds`, async () => {
      open('thread');
      const pool = pools[name];
      const runs = [];
      while (pool.load().waiting === 0)
        runs.push(pool.run(task('block', new Int32Array(new SharedArrayBuffer(8)))));
      tick(seconds - 1);
      assert.equal(pool.load().waiting, 1);
      tick(1);

      assert.equal((await runs.at(-1))?.stopped?.reason, 'busy');
      assert.deepEqual(replaced, []);
    });

  it('log each thread that ended before it was ready', async () => {
    open('dying-thread');
    assert.equal((await pools.readWork.run(task('count', 1))).stopped?.reason, 'unstarted');

    assert.equal(entries.length, 1);
    const [entry] = entries;
    assert.equal(entry?.level, 'error');
    assert.ok(entry !== undefined && 'event' in entry.fields && 'err' in entry.fields);
    assert.equal(entry.fields.event, 'work_thread_failed');
    assert.match(String(entry.fields.err), /no such file/);
  });
});
