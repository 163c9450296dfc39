import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { familyOf, firstOfFamily, successorOf } from './refresh-token-id.ts';

describe('the id of a refresh token', () => {
  it('is a UUIDv8 of RFC 9562 that its successors share the family with', () => {
    const first = firstOfFamily();
    const next = successorOf(first);

    for (const id of [first, next]) {
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    assert.equal(familyOf(next), familyOf(first));
    assert.notEqual(next, first);
  });

  it('numbers families in the order they begin in, each once', () => {
    const families = Array.from({ length: 1000 }, () => familyOf(firstOfFamily()));

    assert.deepEqual(
      families,
      families.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(families).size, 1000);
    assert.ok(families.every((family) => Number.isInteger(family) && family >= 0 && family < 2 ** 48));
  });

  it('has families begin that lie together when they begin together', () => {
    const [a, b] = [familyOf(firstOfFamily()), familyOf(firstOfFamily())];

    assert.ok(b - a < 10_000_000, 'more than ten seconds between two calls');
  });
});
