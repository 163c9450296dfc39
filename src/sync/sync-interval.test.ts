import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { syncIntervalMs } from './sync-interval.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

describe('the interval between syncs of an account', () => {
  const minutes = (provider: 'google' | 'caldav', followed: boolean, quietMinutes: number) =>
    syncIntervalMs(
      { provider, followed, changedAt: NOW - quietMinutes * MINUTE, watched: 'little', renewAt: Infinity },
      NOW,
    ) / MINUTE;

  it('is 15 minutes without an endpoint or reader of changes', () => {
    assert.equal(minutes('caldav', false, 0), 15);
    assert.equal(minutes('google', false, 0), 15);
  });

  it('is one minute at servers without limits while someone waits, and grows the longer nothing changes', () => {
    assert.equal(minutes('caldav', true, 0), 1);
    assert.equal(minutes('caldav', true, 60), 1);
    assert.equal(minutes('caldav', true, 150), 2.5);
    assert.equal(minutes('caldav', true, 100_000), 5);
  });

  it('is five minutes at providers that limit requests', () => {
    assert.equal(minutes('google', true, 0), 5);
  });

  it('is twelve hours if watches cover everything, one hour if most, and shorter before a renewal', () => {
    const facts = { provider: 'google', followed: true, changedAt: 0 } as const;
    const hours = (watched: 'all' | 'most', renewAt: number) =>
      syncIntervalMs({ ...facts, watched, renewAt }, NOW) / MINUTE / 60;
    assert.equal(hours('all', Infinity), 12);
    assert.equal(hours('most', Infinity), 1);
    assert.equal(hours('all', NOW + 2 * 60 * MINUTE), 2);
    assert.equal(hours('all', NOW), 1 / 60);
  });
});
