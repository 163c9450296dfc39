import assert from 'node:assert/strict';
import { it } from 'node:test';

import { differingFields } from './differing-fields.ts';

it('leaves out equal fields, and returns nothing without a difference', () => {
  assert.deepEqual(differingFields({ a: 1, b: ['x'], c: null }, { a: 2, b: ['x'], c: null }), {
    before: { a: 1 },
    after: { a: 2 },
  });
  assert.deepEqual(differingFields({ a: 1 }, { a: 1, b: true }), { before: {}, after: { b: true } });
  assert.equal(differingFields({ a: ['x'] }, { a: ['x'] }), undefined);
});
