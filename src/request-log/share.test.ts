import assert from 'node:assert/strict';
import { it } from 'node:test';

import { isInShare, ONE_IN } from './request-recorder.ts';

const COUNT = 200_000;

it('the sample has one in a hundred requests, also of every second, third or hundredth one, and is stable', () => {
  for (const start of ['7e3328e65862', 'aaaaaaaaaaaa', '000000000000'])
    for (const step of [1, 2, 3, 36, 100]) {
      const ids = Array.from({ length: COUNT }, (_, index) => `${start}-${(index * step).toString(36)}`);

      const share = ids.filter(isInShare).length / COUNT;

      assert.ok(Math.abs(share * ONE_IN - 1) < 0.2, `${share} of ${start} by ${step}`);
    }
  assert.deepEqual(['r1', 'r1'].map(isInShare), ['r1', 'r1'].map(isInShare));
});
