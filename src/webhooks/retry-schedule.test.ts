import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';

import { MOST_RETRIED_MS, nextAttemptAt } from './retry-schedule.ts';

const DAY = 24 * 3_600_000;
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
/** The circumstances of twelve failed attempts, two more than are made. */
const failures = fc.array(
  fc.record({ random, lateMs: fc.nat(DAY), retryAfterMs: fc.option(fc.nat(DAY), { nil: undefined }) }),
  { minLength: 12, maxLength: 12 },
);

describe('the schedule of a delivery that fails', () => {
  it('makes ten attempts, even if they are late and whatever Retry-After says', () => {
    fc.assert(
      fc.property(failures, (surroundings) => {
        let [attempts, now] = [0, 0];
        for (const { random, lateMs, retryAfterMs } of surroundings) {
          attempts += 1;
          const next = nextAttemptAt({ attempts, createdAt: 0, now, retryAfterMs, random });
          if (next === undefined) break;
          assert.ok(next > now);
          now = next + lateMs;
        }
        assert.equal(attempts, 10);
      }),
      { numRuns: 2_000 },
    );
  });

  it('respects Retry-After, but not beyond the time for ten attempts', () => {
    const next = (now: number) =>
      nextAttemptAt({ attempts: 8, createdAt: 0, now, retryAfterMs: DAY, random: 0 });

    assert.equal(next(0), DAY);
    assert.equal(next(MOST_RETRIED_MS - 0.9 * DAY), MOST_RETRIED_MS);
    assert.equal(next(MOST_RETRIED_MS), MOST_RETRIED_MS + 20 * 3_600_000);
  });
});
