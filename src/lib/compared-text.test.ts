import assert from 'node:assert/strict';
import { it } from 'node:test';

import fc from 'fast-check';

import { byBytes } from './compared-text.ts';

it('byBytes orders any two texts by their UTF-8 bytes', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'B', '_', 'é', '\ud7ff', '\ue000', '\uffee', '😀', '𝒜'),
    maxLength: 4,
  });
  const sign = (difference: number) => Math.sign(difference);

  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(sign(byBytes(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 2_000 },
  );
});
