import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { familyOf, firstOfFamily, successorOf } from './refresh-token-id.ts';

const NOW = Date.parse('2026-11-21T12:00:00.000Z');
/** Families begun in one second. */
const drawn = (count: number, now = NOW) => Array.from({ length: count }, () => familyOf(firstOfFamily(now)));

describe('the id of a refresh token', () => {
  it('is a UUIDv8 of RFC 9562 that its successors share the family with', () => {
    const first = firstOfFamily(NOW);
    const next = successorOf(first);

    for (const id of [first, next]) {
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    assert.equal(familyOf(next), familyOf(first));
    assert.notEqual(next, first);
  });

  it('names a family after those that began in earlier seconds', () => {
    const earlier = Math.max(...drawn(100, NOW - 1));
    const later = Math.min(...drawn(100, NOW + 1000));

    assert.ok(drawn(100).every((family) => earlier < family && family < later));
  });

  it('tells families of one second apart by chance', () => {
    // Of 100 draws among 2^17, two meet in 4 % of all cases; four, never.
    assert.ok(new Set(drawn(100)).size > 96);
  });

  it('names families in 48 bits at any time', () => {
    for (const now of [0, NOW, Date.parse('2038-01-20'), Date.parse('9999-12-31')]) {
      const [family = -1] = drawn(1, now);
      assert.ok(Number.isInteger(family) && family >= 0 && family < 2 ** 48);
    }
  });
});
