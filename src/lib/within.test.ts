import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { LATE, within } from './within.ts';

describe('a wait of so many milliseconds', () => {
  it('a limited wait answers what the work does', async () => {
    assert.equal(await within(60_000, sleep(1, 'done')), 'done');
  });

  it('a limited wait fails as the work does', async () => {
    await assert.rejects(within(60_000, Promise.reject(new Error('broken'))), /broken/);
  });

  it('a limited wait takes what is there already, though there is no time', async () => {
    assert.equal(await within(0, Promise.resolve('there')), 'there');
  });

  it('a limited wait is late when the work takes longer, and a failure that comes after is nobody’s', async () => {
    const { promise, reject } = Promise.withResolvers<void>();

    assert.equal(await within(5, promise), LATE);

    // Nobody hears of it: an unhandled rejection would fail this test.
    reject(new Error('broken later'));
    await sleep(1);
  });
});
