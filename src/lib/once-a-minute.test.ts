import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { onceAMinute } from './once-a-minute.ts';

describe('onceAMinute', () => {
  it('writes the first line at once, then one a minute with the count since the last', () => {
    const lines: [string, number][] = [];
    let now = 0;
    const write = onceAMinute<string>(
      (line, count) => lines.push([line, count]),
      () => now,
    );
    for (const at of [0, 1, 59_999, 60_000, 60_001, 200_000]) {
      now = at;
      write(`at ${at}`);
    }

    assert.deepEqual(lines, [
      ['at 0', 1],
      ['at 60000', 3],
      ['at 200000', 2],
    ]);
  });
});
