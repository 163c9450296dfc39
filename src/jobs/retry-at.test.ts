import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { retryAt } from './retry-at.ts';

describe('the next try of a job that failed', () => {
  it('is later each time, spread out, and half an hour off at most', () => {
    const failure = { kind: 'unavailable', message: '' } as const;

    assert.equal(retryAt(failure, { attempts: 0, now: 0, random: 0 }), 7_500);
    assert.equal(retryAt(failure, { attempts: 0, now: 0, random: 1 }), 15_000);
    assert.equal(retryAt(failure, { attempts: 3, now: 0, random: 1 }), 120_000);
    assert.equal(retryAt(failure, { attempts: 5_000, now: 0, random: 1 }), 1_800_000);
  });

  it('is never before the time the provider set', () => {
    const failure = { kind: 'rate_limited', message: '', retryAt: 100_000 } as const;

    assert.ok(retryAt(failure, { attempts: 0, now: 50_000 }) >= 100_000);
  });

  it('leaves a refused password alone for half an hour at least', () => {
    assert.ok(retryAt({ kind: 'unauthorized', message: '' }, { attempts: 0, now: 0 }) >= 30 * 60_000);
  });
});
