/** Code that waits for others or runs at intervals, with a clock that the test advances. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';

import { loadConfig } from '../../src/config/config.ts';
import { createSealer } from '../../src/lib/sealing.ts';
import { checkAll } from '../../src/system/doctor.ts';
import { GONE_AFTER_MS, noteInstance } from '../../src/system/instances.ts';
import type { Instance } from '../../src/system/system-store.ts';
import { collectingLog } from '../harness/calendar-server.ts';

const NOW = Date.UTC(2026, 10, 15, 12);
const never = new Promise<never>(() => {});
/** Lets what was promised go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the checks of doctor', () => {
  it('can run one alone', async () => {
    const config = loadConfig({ KALENDS_DATA_DIR: '/nowhere' });
    const deps = { inspectStorage: async () => ({ state: 'absent' }) as const, now: () => NOW };

    for (const name of ['database', 'clock'])
      assert.deepEqual(
        (await checkAll(config, deps, name)).map((check) => check.name),
        [name],
      );
    assert.deepEqual(await checkAll(config, deps, 'unknown'), []);
  });
});

describe('by a clock', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'setInterval'] }));
  afterEach(() => mock.timers.reset());

  it('the checks of doctor wait ten seconds for a database that does not answer, and say so', async () => {
    const config = loadConfig({ KALENDS_DATA_DIR: '/nowhere' });
    const checking = checkAll(config, { inspectStorage: () => never, now: () => NOW });
    let isDone = false;
    checking.finally(() => {
      isDone = true;
    });

    mock.timers.tick(9_999);
    await settle();
    assert.ok(!isDone);
    mock.timers.tick(1);
    const found = await checking;

    const database = found.find(({ name }) => name === 'database');
    assert.equal(database?.status, 'fail');
    assert.match(database?.message ?? '', /did not respond within 10 s/);
  });

  it('an instance says every 30 seconds that it lives, also after a time that failed, and is forgotten at its end', async () => {
    const noted: (readonly [seenAt: number, goneBefore: number])[] = [];
    const forgotten: string[] = [];
    const clock = { now: NOW };
    const log = collectingLog();
    const system = {
      async noteInstance({ seenAt }: Instance, goneBefore: number) {
        noted.push([seenAt, goneBefore]);
        if (noted.length === 2) throw new Error('The database is away');
      },
      async forgetInstance(instanceId: string) {
        forgotten.push(instanceId);
      },
    };
    const sealer = createSealer(Buffer.alloc(32));
    const notes = noteInstance('all', { system, sealer, log, now: () => clock.now });
    const pass = async (milliseconds: number) => {
      clock.now += milliseconds;
      mock.timers.tick(milliseconds);
      await settle();
    };

    for (let time = 0; time < 3; time += 1) await pass(30_000);
    await notes.stop();
    await pass(60_000);

    const times = [0, 30_000, 60_000, 90_000].map((after) => NOW + after);
    assert.deepEqual(
      noted,
      times.map((at) => [at, at - GONE_AFTER_MS]),
    );
    assert.equal(forgotten.length, 1);
    assert.equal(log.lines.filter((line) => line.startsWith('error ')).length, 1);
  });
});
