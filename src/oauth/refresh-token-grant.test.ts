import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refreshExpiry } from './refresh-token-grant.ts';

describe('the expiry of a refresh token', () => {
  const grant = { createdAt: 1_000_000, refreshedAt: 3_000_000 };
  const expiries: readonly (readonly [string, number, number, number | undefined])[] = [
    ['none without a lifetime', 0, 0, undefined],
    ['the idle lifetime after the last refresh', 1, 0, 3_001_000],
    ['the lifetime after the approval', 0, 1, 1_001_000],
    ['the earlier of both, here the idle lifetime', 10, 3000, 3_010_000],
    ['the earlier of both, here the lifetime', 3000, 10, 1_010_000],
  ];
  for (const [name, refreshIdleLifetime, refreshLifetime, expiry] of expiries)
    it(`is ${name}`, () =>
      assert.equal(refreshExpiry(grant, { refreshIdleLifetime, refreshLifetime }), expiry));
});
