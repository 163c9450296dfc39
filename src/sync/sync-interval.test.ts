import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { syncIntervalMs } from './sync-interval.ts';

const NOW = 1_800_000_000_000;
const MINUTE = 60_000;

describe('how often an account is looked at', () => {
  const minutes = (provider: 'google' | 'caldav', followed: boolean, quietMinutes: number) =>
    syncIntervalMs(
      { provider, followed, changedAt: NOW - quietMinutes * MINUTE, watched: 'little', renewAt: Infinity },
      NOW,
    ) / MINUTE;

  it('is every quarter of an hour while nobody waits for its changes', () => {
    assert.equal(minutes('caldav', false, 0), 15);
    assert.equal(minutes('google', false, 0), 15);
  });

  it('is every minute where a server is asked and somebody waits, and less often the longer nothing changes', () => {
    assert.equal(minutes('caldav', true, 0), 1);
    assert.equal(minutes('caldav', true, 60), 1);
    assert.equal(minutes('caldav', true, 150), 2.5);
    assert.equal(minutes('caldav', true, 100_000), 5);
  });

  it('is every five minutes at providers that limit it', () => {
    assert.equal(minutes('google', true, 0), 5);
  });

  it('is twice a day where all is told by the provider, every hour where most is, and in time for what ends', () => {
    const facts = { provider: 'google', followed: true, changedAt: 0 } as const;
    const hours = (watched: 'all' | 'most', renewAt: number) =>
      syncIntervalMs({ ...facts, watched, renewAt }, NOW) / MINUTE / 60;
    assert.equal(hours('all', Infinity), 12);
    assert.equal(hours('most', Infinity), 1);
    assert.equal(hours('all', NOW + 2 * 60 * MINUTE), 2);
    assert.equal(hours('all', NOW), 1 / 60);
  });
});
