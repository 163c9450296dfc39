/** The counter of what happens, before a store that fails. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type ActivityCount, type AttemptCount, HOUR_MS } from '../../src/activity/activity.ts';
import { startActivityCounter } from '../../src/activity/activity-counter.ts';
import { recordingLog } from '../servers/recording-log.ts';

const HOUR = Date.UTC(2026, 10, 15, 12);

/** A counter with a store that does as `write` says first. */
function open(write: () => Promise<void> = async () => {}) {
  const { log, entries } = recordingLog();
  const kept: (ActivityCount & { readonly hour: number })[] = [];
  const attempts: AttemptCount[] = [];
  const addCounts = async (
    counts: readonly ActivityCount[],
    hour: number,
    ofEndpoints: readonly AttemptCount[] = [],
  ) => {
    await write();
    attempts.push(...ofEndpoints);
    kept.push(...counts.map((one) => ({ ...one, hour })));
  };
  const counter = startActivityCounter({ activity: { addCounts }, log, now: () => HOUR + HOUR_MS / 2 });
  return { counter, kept, attempts, entries };
}

describe('the counter of what happens', () => {
  it('writes what happened as sums of the hour, and what nobody known did not at all', async () => {
    const { counter, kept } = open();

    for (let count = 0; count < 3; count++) counter.answered({ clientId: 'acme' }, false, 0.4);
    counter.answered({ clientId: 'acme', isRefused: true }, true, 1.2);
    counter.answered(undefined, true, 50);
    counter.add('other', 'flow_started');
    await counter.stop();

    assert.deepEqual(kept, [
      { clientId: 'acme', activity: 'calls', count: 3, hour: HOUR },
      { clientId: 'acme', activity: 'call_ms', count: 2, hour: HOUR },
      { clientId: 'acme', activity: 'refusals', count: 1, hour: HOUR },
      { clientId: 'other', activity: 'flow_started', count: 1, hour: HOUR },
    ]);
  });

  it('counts each sync of an application with its duration, also if the clock was set back', async () => {
    const { counter, kept } = open();
    const now = HOUR + HOUR_MS / 2;

    for (const startedAt of [now - 1_500, now - 200, now + 60_000])
      counter.synced({ clientId: 'acme', startedAt });
    await counter.stop();

    assert.deepEqual(kept, [
      { clientId: 'acme', activity: 'syncs', count: 3, hour: HOUR },
      { clientId: 'acme', activity: 'sync_ms', count: 1_700, hour: HOUR },
    ]);
  });

  it('counts an attempt of a delivery for its application and for its endpoint', async () => {
    const { counter, kept, attempts } = open();

    for (const isFailure of [true, false, true])
      counter.addAttempt({ clientId: 'acme', endpointId: 'we_1' }, isFailure);
    counter.addAttempt({ clientId: 'acme', endpointId: 'we_2' }, false);
    await counter.stop();

    assert.deepEqual(
      kept.map(({ activity, count }) => [activity, count]),
      [
        ['failed', 2],
        ['delivered', 2],
      ],
    );
    assert.deepEqual(attempts, [
      { endpointId: 'we_1', attempts: 3, failures: 2 },
      { endpointId: 'we_2', attempts: 1, failures: 0 },
    ]);
  });

  it('writes attempts that could not be written with the next ones', async () => {
    let isDown = true;
    const { counter, attempts } = open(async () => {
      if (isDown) throw new Error('down');
    });
    for (let count = 0; count < 300; count += 1)
      counter.addAttempt({ clientId: 'acme', endpointId: `we_${count}` }, true);

    await counter.write();
    counter.addAttempt({ clientId: 'acme', endpointId: 'we_299' }, false);
    isDown = false;
    await counter.stop();

    assert.equal(attempts.length, 300);
    const last = attempts.find(({ endpointId }) => endpointId === 'we_299');
    assert.deepEqual(last, { endpointId: 'we_299', attempts: 2, failures: 1 });
  });

  it('keeps what could not be written for the next time, and says so', async () => {
    let isDown = true;
    const { counter, kept, entries } = open(async () => {
      if (isDown) throw new Error('down');
    });
    for (let count = 0; count < 300; count++) counter.add(`app-${count}`, 'calls');

    await counter.write();
    counter.add('app-0', 'calls');
    isDown = false;
    await counter.stop();

    assert.equal(kept.length, 300);
    assert.equal(kept.find(({ clientId }) => clientId === 'app-0')?.count, 2);
    assert.match(entries[0]?.message ?? '', /could not be counted/);
  });
});
