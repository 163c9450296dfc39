import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { rowLimit } from './row-limits.ts';

const LIMITS = { ofApplication: 4, burst: 6, ofEqual: 5, successesInSecond: 2, ofAddress: 2, ofStrangers: 3 };
const MINUTE = 60_000;

const countStored = (times: number, take: () => boolean) =>
  Array.from({ length: times }, take).filter(Boolean).length;

describe('the limits of rows', () => {
  it('the limits of rows allow each application a burst, which refills evenly', () => {
    const limit = rowLimit(LIMITS);
    const ofAcme = (at: number) => countStored(9, () => limit.keepsOfApplication('acme', at));

    assert.equal(ofAcme(0), 6);
    assert.equal(
      countStored(9, () => limit.keepsOfApplication('other', 0)),
      6,
    );
    assert.equal(ofAcme(MINUTE / 4 - 1), 0);
    assert.equal(ofAcme(MINUTE / 4), 1);
    assert.equal(ofAcme(MINUTE), 3);
    assert.equal(ofAcme(60 * MINUTE), 6);
  });

  it('the limits of rows recover at once after the clock was set back', () => {
    const limit = rowLimit(LIMITS);
    const ofAcme = (at: number) => countStored(9, () => limit.keepsOfApplication('acme', at));

    assert.equal(ofAcme(60 * MINUTE), 6);
    assert.equal(ofAcme(0), 6);
    assert.equal(ofAcme(MINUTE), 4);
  });

  it('the limits of rows store equal requests up to their limit in each minute', () => {
    const limit = rowLimit(LIMITS);
    const equal = (at: number) => countStored(9, () => limit.keepsEqual('group', at));

    assert.deepEqual([equal(0), equal(MINUTE - 1), equal(MINUTE)], [5, 0, 5]);
  });

  it('the limits of rows count successes per second, apart from errors', () => {
    const limit = rowLimit(LIMITS);

    assert.equal(
      countStored(9, () => limit.keepsSuccess('acme', 0)),
      2,
    );
    assert.equal(
      countStored(9, () => limit.keepsSuccess('acme', 1000)),
      2,
    );
    assert.equal(
      countStored(9, () => limit.keepsOfApplication('acme', 1000)),
      6,
    );
  });

  it('the limits of rows limit unknown callers by address and in total', () => {
    const limit = rowLimit(LIMITS);

    assert.equal(
      countStored(9, () => limit.keepsOfStranger('a', 0)),
      2,
    );
    assert.equal(
      countStored(9, () => limit.keepsOfStranger('b', 0)),
      1,
    );
    assert.equal(
      countStored(9, () => limit.keepsOfStranger('c', 0)),
      0,
    );
    assert.equal(
      countStored(9, () => limit.keepsOfStranger('c', MINUTE)),
      2,
    );
  });
});
