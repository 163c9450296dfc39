import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isBoundToOther } from './authorization-code-store.ts';

describe('a code', () => {
  const cases: readonly (readonly [string, string | undefined, string | null | undefined, boolean])[] = [
    ['that is bound is not redeemed with another key', 'key', 'other', true],
    ['that is bound is not redeemed without a proof', 'key', null, true],
    ['that is bound is redeemed with its key', 'key', 'key', false],
    ['that is bound is not compared without a sender constraint', 'key', undefined, false],
    ['that is not bound is redeemed with any key', undefined, 'other', false],
    ['that is not bound is redeemed without a proof', undefined, null, false],
  ];
  for (const [name, dpopJkt, presented, isOther] of cases)
    it(name, () =>
      assert.equal(
        isBoundToOther({ dpopJkt }, presented === undefined ? {} : { dpopJkt: presented }),
        isOther,
      ),
    );
});
