import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { NewRequestEntry } from './request-entry.ts';
import { WaitingEntries } from './request-recorder.ts';

const entry = (requestId: string, status = 200): NewRequestEntry => ({
  ...{ requestId, at: 0, method: 'GET', route: '/events', status, durationMs: 1 },
  ...{ clientId: 'acme', userId: undefined, network: undefined, body: undefined, repeated: 1 },
  isClaimed: false,
});
const listIds = (entries: readonly NewRequestEntry[]) => entries.map(({ requestId }) => requestId);

describe('waiting entries', () => {
  it('drops the oldest successes first, then the oldest errors, beyond the limit', () => {
    const waiting = new WaitingEntries(3);
    for (const [id, status] of [
      ['s1', 200],
      ['f1', 404],
      ['s2', 200],
      ['f2', 500],
      ['f3', 429],
      ['f4', 401],
    ] as const)
      waiting.add(entry(id, status));

    assert.equal(waiting.takeDropped(), 3);
    assert.equal(waiting.takeDropped(), 0);
    assert.deepEqual(listIds(waiting.take(10)), ['f2', 'f3', 'f4']);
    assert.equal(waiting.size, 0);
  });

  it('drops errors of unknown callers before those of applications', () => {
    const waiting = new WaitingEntries(2);
    waiting.add(entry('f1', 401));
    waiting.add({ ...entry('u1', 404), clientId: undefined });
    waiting.add({ ...entry('c1', 401), isClaimed: true });
    waiting.add(entry('f2', 403));

    assert.deepEqual(listIds(waiting.take(10)), ['f1', 'f2']);
    assert.equal(waiting.takeDropped(), 2);
  });

  it('puts returned entries before newer ones, and drops them first', () => {
    const waiting = new WaitingEntries(3);
    for (const id of ['s1', 's2']) waiting.add(entry(id));
    const claimed = waiting.take(1);
    for (const id of ['s3', 's4']) waiting.add(entry(id));

    waiting.takeBack(claimed);

    assert.deepEqual(listIds(waiting.take(10)), ['s2', 's3', 's4']);
    assert.equal(waiting.takeDropped(), 1);
  });
});
