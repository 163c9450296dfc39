import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { neverBack } from './open-storage.ts';

describe('neverBack', () => {
  it('keeps its time on a step back of up to 5 seconds, and follows a larger step', () => {
    let clock = 0;
    const now = neverBack(() => clock);
    const read = (at: number): number => {
      clock = at;
      return now();
    };

    assert.deepEqual(
      [100_000, 95_000, 99_999, 100_001, 95_000].map(read),
      [100_000, 100_000, 100_000, 100_001, 95_000],
    );
  });
});
