import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseRetryAfter } from './retry-after.ts';

const retryAfter = (headers: Record<string, string>) => parseRetryAfter((name) => headers[name]);

describe('Retry-After', () => {
  it('is read as seconds', () => {
    assert.equal(retryAfter({ 'retry-after': ' 120 ' }), 120_000);
  });

  it('is read as a date, relative to that of the response', () => {
    const date = 'Sat, 21 Nov 2026 07:00:00 GMT';
    assert.equal(retryAfter({ 'retry-after': 'Sat, 21 Nov 2026 07:00:30 GMT', date }), 30_000);
  });

  for (const value of ['999999999', 'Fri, 21 Nov 2036 07:00:00 GMT']) {
    it(`is at most a day, whatever a faulty server sends: ${value}`, () => {
      const date = 'Sat, 21 Nov 2026 07:00:00 GMT';
      assert.equal(retryAfter({ 'retry-after': value, date }), 24 * 3_600_000);
    });
  }

  for (const value of ['', '-5', 'soon', '1.5', '9999999999', 'Sat, 21 Nov 2026 06:00:00 GMT']) {
    it(`is ignored if it is ${JSON.stringify(value)}`, () => {
      assert.equal(retryAfter({ 'retry-after': value, date: 'Sat, 21 Nov 2026 07:00:00 GMT' }), undefined);
    });
  }

  it('is undefined if it is missing', () => {
    assert.equal(retryAfter({}), undefined);
  });
});
