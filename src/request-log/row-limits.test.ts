import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { rowLimit } from './row-limits.ts';

const LIMITS = { ofApplication: 4, successesInSecond: 2, ofAddress: 2, ofStrangers: 3 };
const MINUTE = 60_000;

const kept = (times: number, take: () => boolean) =>
  Array.from({ length: times }, take).filter(Boolean).length;

describe('the limits of rows', () => {
  it('the limits of rows count each application for itself, minute by minute', () => {
    const limit = rowLimit(LIMITS);

    assert.equal(
      kept(9, () => limit.keepsOfApplication('acme', 0)),
      4,
    );
    assert.equal(
      kept(9, () => limit.keepsOfApplication('other', MINUTE - 1)),
      4,
    );
    assert.equal(
      kept(9, () => limit.keepsOfApplication('acme', MINUTE)),
      4,
    );
  });

  it('the limits of rows let successes of a second through, which take nothing from refusals', () => {
    const limit = rowLimit(LIMITS);

    assert.equal(
      kept(9, () => limit.keepsSuccess('acme', 0)),
      2,
    );
    assert.equal(
      kept(9, () => limit.keepsSuccess('acme', 1000)),
      2,
    );
    assert.equal(
      kept(9, () => limit.keepsOfApplication('acme', 1000)),
      4,
    );
  });

  it('the limits of rows hold for strangers by address and together', () => {
    const limit = rowLimit(LIMITS);

    assert.equal(
      kept(9, () => limit.keepsOfStranger('a', 0)),
      2,
    );
    assert.equal(
      kept(9, () => limit.keepsOfStranger('b', 0)),
      1,
    );
    assert.equal(
      kept(9, () => limit.keepsOfStranger('c', 0)),
      0,
    );
    assert.equal(
      kept(9, () => limit.keepsOfStranger('c', MINUTE)),
      2,
    );
  });
});
