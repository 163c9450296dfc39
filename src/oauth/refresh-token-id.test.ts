import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { deriveSuccessor, FAMILY_NUMBERS, newTokenIn, parseFamilyId } from './refresh-token-id.ts';

const UUID_V8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the id of a refresh token', () => {
  for (const family of [0, 1, 0xabc_def, FAMILY_NUMBERS - 1]) {
    it(`a refresh token’s id is a UUIDv8 of RFC 9562 that names its family: ${family}`, () => {
      const [one, two] = [newTokenIn(family), newTokenIn(family)];

      for (const id of [one, two]) {
        assert.match(id, UUID_V8);
        assert.equal(parseFamilyId(id), family);
      }
      assert.notEqual(one, two);
    });

    it(`a derived successor is such an id too, the same one for the same id and key alone: ${family}`, () => {
      const [id, other] = [newTokenIn(family), newTokenIn(family)];
      const [key, otherKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];

      const successor = deriveSuccessor(id, key);

      assert.match(successor, UUID_V8);
      assert.equal(parseFamilyId(successor), family);
      assert.equal(deriveSuccessor(id, key), successor);
      const bound = deriveSuccessor(id, key, 'one');
      assert.equal(deriveSuccessor(id, key, 'one'), bound);
      const others = [deriveSuccessor(id, otherKey), deriveSuccessor(other, key), id, bound];
      assert.ok(![...others, deriveSuccessor(id, key, 'two')].includes(successor));
      assert.notEqual(deriveSuccessor(id, key, 'two'), bound);
    });
  }
});
