import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { attemptLimit } from './attempt-limit.ts';

describe('a limit of attempts', () => {
  it('a limit counts each key for itself, and says how long to wait', async () => {
    const limit = attemptLimit(2, 60);
    await limit('a');
    await limit('a');

    assert.equal(await limit('b'), undefined);
    const wait = await limit('a');
    assert.ok(wait !== undefined && wait > 0 && wait <= 60, String(wait));
  });

  it('a limit takes an attempt back', async () => {
    const limit = attemptLimit(1, 60);
    await limit('a');
    await limit.refund('a');

    assert.equal(await limit('a'), undefined);
    assert.equal(typeof (await limit('a')), 'number');
  });

  it('a limit remembers so many keys, and forgets first the one that began first', async () => {
    const limit = attemptLimit(1, 60, { mostKeys: 2 });
    await limit('a');
    await limit('b');
    await limit('c');

    assert.equal(typeof (await limit('b')), 'number');
    assert.equal(await limit('a'), undefined);
  });

  it('a limit counts from zero again when the window of the first attempt has ended', async () => {
    let now = 0;
    const limit = attemptLimit(1, 60, { now: () => now });
    await limit('a');
    now = 59_001;
    const before = [await limit('a'), await limit('b')];
    now = 60_000;
    await limit.refund('a');

    assert.deepEqual(before, [1, undefined]);
    assert.equal(await limit('a'), undefined);
    assert.deepEqual([await limit('a'), await limit('b')], [60, 60]);
  });
});
