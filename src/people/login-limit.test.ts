import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { loginLimit } from './sign-in.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('loginLimit', () => {
  const opened = () => {
    const clock = { now: 0 };
    const limit = loginLimit(() => clock.now);
    const spend = async (attempts: number) => {
      for (let attempt = 0; attempt < attempts; attempt += 1)
        assert.equal(await limit('ada@example.com'), undefined);
    };
    return { clock, limit, spend, attempt: () => limit('ada@example.com') };
  };

  it('allows twenty attempts in 15 minutes for each login', async () => {
    const { clock, limit, spend, attempt } = opened();
    await spend(19);
    clock.now = 15 * MINUTE;
    await spend(20);
    assert.equal(await attempt(), 60);
    assert.equal(await limit('ben@example.com'), undefined);
  });

  it('then allows one attempt a minute, and doubles the wait up to an hour', async () => {
    const { clock, spend, attempt } = opened();
    await spend(20);
    for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
      clock.now += minutes * MINUTE - 1;
      assert.equal(await attempt(), 1, `${minutes} minutes`);
      clock.now += 1;
      assert.equal(await attempt(), undefined, `${minutes} minutes`);
    }
  });

  it('starts over a day after the last wait', async () => {
    const { clock, spend, attempt } = opened();
    await spend(20);
    clock.now += MINUTE + 24 * HOUR - 1;
    await spend(1);
    assert.equal(await attempt(), 120);
    clock.now += 2 * MINUTE + 24 * HOUR;
    await spend(20);
    assert.equal(await attempt(), 60);
  });

  it('takes an attempt back, with the wait after it', async () => {
    const { clock, limit, spend, attempt } = opened();
    await spend(20);
    clock.now += MINUTE;
    await spend(1);
    await limit.refund('ada@example.com');
    assert.equal(await attempt(), undefined);
    assert.equal(await attempt(), 120);
  });

  it('keeps the count of a login while many others are invented', async () => {
    const { limit, spend, attempt } = opened();
    await spend(20);
    for (let invented = 0; invented < 40_000; invented += 1) await limit(`invented-${invented}@example.com`);
    assert.equal(await attempt(), 60);
  });
});
