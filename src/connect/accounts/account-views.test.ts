import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { firstCharacter, maskedName } from './account-views.ts';

describe('maskedName', () => {
  const cases = [
    ['jane@example.com', 'j•••@e•••.com'],
    ['a@b.co.uk', 'a•••@b•••.uk'],
    ['jane@example.com (dav.example.com:8443)', 'j•••@e•••.com'],
    ['ada (dav.example.com)', 'a•••'],
    ['ada@localhost', 'a•••@l•••'],
    ['ada', 'a•••'],
    ['@handle', '@•••'],
    ['👩‍🚀x@ex.org', '👩‍🚀•••@e•••.org'],
    ['', '•••'],
  ] as const;
  for (const [name, masked] of cases) {
    it(`shows ${JSON.stringify(name)} as ${masked}`, () => {
      assert.equal(maskedName(name), masked);
    });
  }
});

describe('firstCharacter', () => {
  it('returns the first character as people see it, without leading space', () => {
    assert.deepEqual(['  Acme', 'éclair', '👨‍👩‍👧 family', ''].map(firstCharacter), ['A', 'é', '👨‍👩‍👧', '']);
  });
});
