import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { inTurns } from '../../src/lib/in-turns.ts';

describe('a long loop in turns', () => {
  it('looks at every item, in order', async () => {
    const items = Array.from({ length: 2500 }, (_, index) => index);
    const seen: number[] = [];

    await inTurns(items, (item) => seen.push(item));

    assert.deepEqual(seen, items);
  });

  it('lets others have a turn after every thousand', async () => {
    let count = 0;
    const seenByOthers: number[] = [];
    const look = () => {
      seenByOthers.push(count);
      if (count < 5000) setImmediate(look);
    };
    setImmediate(look);

    await inTurns(Array(5000).keys(), () => {
      count += 1;
    });

    const steps = seenByOthers.map((seen, index) => seen - (seenByOthers[index - 1] ?? 0));
    assert.ok(steps.length >= 5 && Math.max(...steps) <= 1000, steps.join());
  });
});
