import assert from 'node:assert/strict';
import { it } from 'node:test';

import { clockSkew, clockTolerance } from 'oauth4webapi';

import { clockOptions } from './clock-skew.ts';

it('times are checked by the clock that is given, give or take five minutes', () => {
  const options = clockOptions(Date.now() + 3_600_000);

  assert.ok(Math.abs(options[clockSkew] - 3600) <= 1);
  assert.equal(options[clockTolerance], 300);
});
