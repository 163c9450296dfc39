import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { retryAfterOf } from './retry-after.ts';

const retryAfter = (headers: Record<string, string>) => retryAfterOf((name) => headers[name]);

describe('Retry-After', () => {
  it('Retry-After is seconds', () => {
    assert.equal(retryAfter({ 'retry-after': ' 120 ' }), 120_000);
  });

  it('Retry-After is a date, counted from the date of the answer', () => {
    const date = 'Sat, 21 Nov 2026 07:00:00 GMT';
    assert.equal(retryAfter({ 'retry-after': 'Sat, 21 Nov 2026 07:00:30 GMT', date }), 30_000);
  });

  for (const value of ['999999999', 'Fri, 21 Nov 2036 07:00:00 GMT']) {
    it(`Retry-After is a day at most, whatever a broken server says: ${value}`, () => {
      const date = 'Sat, 21 Nov 2026 07:00:00 GMT';
      assert.equal(retryAfter({ 'retry-after': value, date }), 24 * 3_600_000);
    });
  }

  for (const value of ['', '-5', 'soon', '1.5', '9999999999', 'Sat, 21 Nov 2026 06:00:00 GMT']) {
    it(`Retry-After says nothing as ${JSON.stringify(value)}`, () => {
      assert.equal(retryAfter({ 'retry-after': value, date: 'Sat, 21 Nov 2026 07:00:00 GMT' }), undefined);
    });
  }

  it('Retry-After says nothing where it is missing', () => {
    assert.equal(retryAfter({}), undefined);
  });
});
