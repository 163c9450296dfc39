import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';

import fc from 'fast-check';

import { hmacKey, hmacSha256 } from './hmac.ts';

const hex = (base64url: string) => Buffer.from(base64url, 'base64url').toString('hex');

describe('HMAC-SHA256', () => {
  // RFC 4231 §4.2, §4.3, §4.7.
  const vectors = [
    [Buffer.alloc(20, 0x0b), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
    [
      'Jefe',
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    [
      Buffer.alloc(131, 0xaa),
      'Test Using Larger Than Block-Size Key - Hash Key First',
      '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
    ],
  ] as const;

  for (const [key, text, code] of vectors) {
    it(`answers the code the RFC gives for "${text}"`, () => {
      assert.equal(hex(hmacSha256(hmacKey(Buffer.from(key)), text)), code);
    });
  }

  it('equals that of node:crypto for any key and any text', () => {
    const keys = fc.integer({ min: 0, max: 200 }).map((length) => randomBytes(length));
    fc.assert(
      fc.property(keys, fc.string({ unit: 'binary', maxLength: 5000 }), (key, text) => {
        const expected = createHmac('sha256', key).update(text).digest('base64url');

        assert.equal(hmacSha256(hmacKey(key), text), expected);
      }),
      { numRuns: 500 },
    );
  });
});
