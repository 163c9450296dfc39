import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseDuration, renderDuration } from './duration.ts';

describe('durations', () => {
  it('a number with a unit is that many milliseconds', () => {
    const texts = ['0', '90s', '30m', '24h', '7d'];
    assert.deepEqual(texts.map(parseDuration), [0, 90_000, 1_800_000, 86_400_000, 604_800_000]);
  });

  it('another text, and a time of more than 999,999 days, is invalid', () => {
    for (const text of ['', '5', '1w', '1.5h', '-1h', ' 1h', '1H', '1000000d', '9999999999s'])
      assert.equal(parseDuration(text), undefined, text);
  });

  it('seconds are rendered in the largest unit that divides them, and parsed again', () => {
    const rendered = [1, 3600, 5400, 5401, 2_592_000, 1_234_567].map(renderDuration);
    assert.deepEqual(rendered, ['1s', '1h', '90m', '5401s', '30d', '1234567s']);
    assert.equal(parseDuration('1234567s'), 1_234_567_000);
  });
});
