import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { attemptLimit, networkLimit } from './attempt-limit.ts';

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

  it('remembers the keys that reached it, however many others follow', async () => {
    const limit = attemptLimit(2, 60, { mostKeys: 2 });
    await limit('a');
    await limit('a');
    for (const key of ['b', 'c', 'd']) await limit(key);

    assert.equal(typeof (await limit('a')), 'number');
    assert.deepEqual([await limit('b'), await limit('b')], [undefined, undefined]);
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

describe('a limit of attempts by network', () => {
  /** Returns how many of 200 attempts are allowed. `toKeys` returns the networks of each. */
  const allowedFrom = async (toKeys: (at: number) => readonly [string, string, string]) => {
    const limit = networkLimit(1, 60, toKeys);
    let allowed = 0;
    for (let at = 0; at < 200; at += 1) if ((await limit(at)) === undefined) allowed += 1;
    return allowed;
  };

  it('allows one address, ten addresses of a site, and a hundred of a wide network', async () => {
    assert.equal(await allowedFrom(() => ['w', 's', 'h']), 1);
    assert.equal(await allowedFrom((at) => ['w', 's', `${at}`]), 10);
    assert.equal(await allowedFrom((at) => ['w', `${at}`, `${at}`]), 100);
    assert.equal(await allowedFrom((at) => [`${at}`, `${at}`, `${at}`]), 200);
  });

  it('counts the refused and refunded attempts of an address in none of its networks', async () => {
    const limit = networkLimit(1, 60, (host: string) => ['w', 's', host]);
    for (let at = 0; at < 200; at += 1) await limit('busy');
    for (let at = 0; at < 200; at += 1) {
      await limit('right');
      await limit.refund('right');
    }

    assert.equal(await limit('other'), undefined);
  });
});
