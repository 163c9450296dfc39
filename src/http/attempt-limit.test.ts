import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { attemptLimit } from './attempt-limit.ts';

describe('a limit of attempts', () => {
  it('counts each key separately and returns how long to wait', async () => {
    const limit = attemptLimit(2, 60);
    await limit('a');
    await limit('a');

    assert.equal(await limit('b'), undefined);
    const wait = await limit('a');
    assert.ok(wait !== undefined && wait > 0 && wait <= 60, String(wait));
  });

  it('takes back a refunded attempt', async () => {
    const limit = attemptLimit(1, 60);
    await limit('a');
    await limit.refund('a');

    assert.equal(await limit('a'), undefined);
    assert.equal(typeof (await limit('a')), 'number');
  });

  it('drops the key whose window began first when it has too many keys', async () => {
    const limit = attemptLimit(1, 60, { mostKeys: 2 });
    await limit('a');
    await limit('b');
    await limit('c');

    assert.equal(typeof (await limit('b')), 'number');
    assert.equal(await limit('a'), undefined);
  });

  it('starts again at zero when the window of the first attempt has ended', async () => {
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
