import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { FAMILY_NUMBERS, familyOf, newTokenIn } from './refresh-token-id.ts';

describe('the id of a refresh token', () => {
  for (const family of [0, 1, 0xabc_def, FAMILY_NUMBERS - 1]) {
    it(`a refresh token’s id is a UUIDv8 of RFC 9562 that names its family: ${family}`, () => {
      const [one, two] = [newTokenIn(family), newTokenIn(family)];

      for (const id of [one, two]) {
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        assert.equal(familyOf(id), family);
      }
      assert.notEqual(one, two);
    });
  }
});
