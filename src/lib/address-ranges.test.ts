import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { addressRanges } from './address-ranges.ts';

describe('ranges of addresses', () => {
  for (const [range, inside, outside] of [
    [
      '10.0.0.0/8',
      ['10.0.0.0', '10.255.255.255', '::ffff:10.1.2.3'],
      ['9.255.255.255', '11.0.0.0', '::a00:1'],
    ],
    ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7'], ['192.0.2.8']],
    ['2001:db8::/32', ['2001:db8::1', '2001:db8:ffff::'], ['2001:db9::', '32.1.13.184']],
    ['2001:db8::1', ['2001:db8::1'], ['2001:db8::2']],
    ['loopback', ['127.0.0.1', '127.9.9.9', '::1'], ['128.0.0.1', '::2']],
    ['uniquelocal', ['10.0.0.1', '172.31.0.1', '192.168.9.9', 'fd00::1'], ['172.32.0.1', 'fe80::1']],
  ] as const)
    it(`${range} contains its first and last address and none outside`, () => {
      const includes = addressRanges(['203.0.113.0/24', range]);

      assert.deepEqual(inside.filter(includes), inside);
      assert.deepEqual(['', 'unknown', ...outside].filter(includes), []);
    });

  for (const range of [
    '',
    '10/8',
    '10.0.0.0/33',
    '10.0.0.0/',
    '300.0.0.1',
    '2001:db8::/129',
    'private',
    '1.2.3.4/8/9',
  ])
    it(`"${range}" is refused`, () => {
      assert.throws(() => addressRanges([range]));
    });
});
