/** The counter of what happens, before a store that fails. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type ActivityCount, HOUR_MS } from '../../src/activity/activity.ts';
import { startActivityCounter } from '../../src/activity/activity-counter.ts';
import { recordingLog } from '../servers/recording-log.ts';

const HOUR = Date.UTC(2026, 10, 15, 12);

/** A counter with a store that does as `write` says first. */
function open(write: () => Promise<void> = async () => {}) {
  const { log, entries } = recordingLog();
  const kept: (ActivityCount & { readonly hour: number })[] = [];
  const addCounts = async (counts: readonly ActivityCount[], hour: number) => {
    await write();
    kept.push(...counts.map((one) => ({ ...one, hour })));
  };
  const counter = startActivityCounter({ activity: { addCounts }, log, now: () => HOUR + HOUR_MS / 2 });
  return { counter, kept, entries };
}

describe('the counter of what happens', () => {
  it('writes what happened as sums of the hour, and what nobody known did not at all', async () => {
    const { counter, kept } = open();

    for (let count = 0; count < 3; count++) counter.answered({ clientId: 'acme' }, false);
    counter.answered({ clientId: 'acme', isRefused: true }, true);
    counter.answered(undefined, true);
    counter.add('other', 'flow_started');
    await counter.stop();

    assert.deepEqual(kept, [
      { clientId: 'acme', activity: 'calls', count: 3, hour: HOUR },
      { clientId: 'acme', activity: 'refusals', count: 1, hour: HOUR },
      { clientId: 'other', activity: 'flow_started', count: 1, hour: HOUR },
    ]);
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
