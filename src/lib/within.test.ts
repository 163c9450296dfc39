import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { LATE, within } from './within.ts';

describe('within', () => {
  it('returns the result of the work', async () => {
    assert.equal(await within(60_000, sleep(1, 'done')), 'done');
  });

  it('fails as the work does', async () => {
    await assert.rejects(within(60_000, Promise.reject(new Error('broken'))), /broken/);
  });

  it('returns a result that is already available, even with no time left', async () => {
    assert.equal(await within(0, Promise.resolve('there')), 'there');
  });

  it('returns LATE if the work takes longer, and ignores its later failure', async () => {
    const { promise, reject } = Promise.withResolvers<void>();

    assert.equal(await within(5, promise), LATE);

    // The failure is ignored: an unhandled rejection would fail this test.
    reject(new Error('broken later'));
    await sleep(1);
  });
});
