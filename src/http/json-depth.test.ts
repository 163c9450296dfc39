import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isDeeperThan } from './json-depth.ts';

describe('the depth of JSON', () => {
  for (const [text, depth] of [
    ['1', 0],
    ['[]', 1],
    ['{"a":[{}]}', 3],
    ['[[],[],[]]', 2],
    ['["[[[[", "\\"[[[[", "{{\\\\"]', 1],
    ['{"[[":1,"b":["]]"]}', 2],
  ] as const) {
    it(`of ${text} is ${depth} levels`, () => {
      assert.equal(isDeeperThan(text, depth), false);
      if (depth > 0) assert.equal(isDeeperThan(text, depth - 1), true);
    });
  }

  it('is defined for invalid JSON too', () => {
    assert.equal(isDeeperThan('[[[', 2), true);
    assert.equal(isDeeperThan(']]][[', 2), false);
    assert.equal(isDeeperThan('"never ends [[[', 0), false);
    assert.equal(isDeeperThan('"\\', 0), false);
  });

  it('is read no further than necessary in a text of a million brackets', () => {
    assert.equal(isDeeperThan('['.repeat(1_000_000), 64), true);
    assert.equal(isDeeperThan('[],'.repeat(1_000_000), 64), false);
  });
});
