import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { retryAt } from './retry-at.ts';

describe('the retry of a failed job', () => {
  it('is delayed more each time, with jitter, by at most half an hour', () => {
    const failure = { kind: 'unavailable', message: '' } as const;

    assert.equal(retryAt(failure, { attempts: 0, now: 0, random: 0 }), 7_500);
    assert.equal(retryAt(failure, { attempts: 0, now: 0, random: 1 }), 15_000);
    assert.equal(retryAt(failure, { attempts: 3, now: 0, random: 1 }), 120_000);
    assert.equal(retryAt(failure, { attempts: 5_000, now: 0, random: 1 }), 1_800_000);
  });

  it('is never before the time that the provider set', () => {
    const failure = { kind: 'rate_limited', message: '', retryAt: 100_000 } as const;

    assert.ok(retryAt(failure, { attempts: 0, now: 50_000 }) >= 100_000);
  });

  it('is delayed by at least half an hour after a rejected password', () => {
    assert.ok(retryAt({ kind: 'unauthorized', message: '' }, { attempts: 0, now: 0 }) >= 30 * 60_000);
  });
});
