import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sameEtag } from './etag.ts';

describe('comparing etags', () => {
  const rows: [string | undefined, string | undefined, boolean][] = [
    ['"1"', 'W/"1"', true],
    ['"1"', '"1-gzip"', true],
    ['"1"', '"1"-gzip', true],
    ['"1"', '1', true],
    ['"1"', '"2"', false],
    ['"1-2"', '"1"', false],
    ['"1"', undefined, false],
    [undefined, undefined, false],
  ];
  for (const [one, other, expected] of rows)
    it(`finds that ${one} and ${other} ${expected ? 'match' : 'do not match'}`, () => {
      assert.equal(sameEtag(one, other), expected);
    });
});
