import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { comparableAddress } from './endpoint-address.ts';

const isSameAddress = (one: string, other: string) => comparableAddress(one) === comparableAddress(other);

/** Each row: the difference, then spellings of one address. */
const SAME: readonly (readonly [string, ...(readonly string[])])[] = [
  ['the query', 'https://app.example/hooks', 'https://app.example/hooks?a=1', 'https://app.example/hooks?'],
  ['the case of the host', 'https://app.example/hooks', 'https://APP.example/hooks'],
  [
    'the case of the path',
    'https://app.example/hooks',
    'https://app.example/Hooks',
    'https://app.example/%48OOKS',
  ],
  ['the default port', 'https://app.example/hooks', 'https://app.example:443/hooks'],
  ['a dot after the host', 'https://app.example/hooks', 'https://app.example./hooks'],
  [
    'a slash at the end',
    'https://app.example/hooks',
    'https://app.example/hooks/',
    'https://app.example/hooks//',
  ],
  ['a slash at the root', 'https://app.example', 'https://app.example/', 'https://app.example//'],
  ['repeated slashes', 'https://app.example/a/hooks', 'https://app.example//a//hooks'],
  ['escapes', 'https://app.example/hooks', 'https://app.example/%68ooks', 'https://app.example/hoo%6bs'],
  [
    'escaped slashes',
    'https://app.example/a/hooks',
    'https://app.example/a%2fhooks',
    'https://app.example/a%2F/hooks',
  ],
  [
    'dots',
    'https://app.example/hooks',
    'https://app.example/./a/../hooks',
    'https://app.example/a%2f..%2Fhooks',
  ],
  [
    'escaped letters',
    'https://app.example/caf%C3%A9',
    'https://app.example/café',
    'https://app.example/caf%c3%a9',
  ],
  [
    'the name of the host',
    'https://xn--bcher-kva.example/',
    'https://bücher.example/',
    'https://BÜCHER.example/',
  ],
  [
    'names of this machine',
    'http://localhost:3000/hooks',
    'http://127.0.0.1:3000/hooks',
    'http://127.1:3000/hooks',
    'http://127.7.7.7:3000/hooks',
    'http://[::1]:3000/hooks',
    'http://[::ffff:127.0.0.1]:3000/hooks',
    'http://app.localhost:3000/hooks',
    'http://LOCALHOST.:3000/hooks/',
  ],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ['https://app.example/hooks', 'https://app.example/hooks/more'],
  ['https://app.example/hooks', 'https://app.example/hook'],
  ['https://app.example/hooks', 'https://app.example:8443/hooks'],
  ['https://app.example/hooks', 'https://other.example/hooks'],
  ['https://app.example/hooks', 'https://app.example.com/hooks'],
  ['http://localhost:3000/', 'http://localhost:3001/'],
  ['https://10.0.0.5/', 'https://10.0.0.6/'],
  ['https://app.example/a/b', 'https://app.example/ab'],
  ['https://app.example/%zz', 'https://app.example/%2'],
];

describe('the address of an endpoint', () => {
  for (const [difference, first, ...others] of SAME)
    it(`is the same with a difference in ${difference}`, () => {
      for (const other of others) {
        assert.equal(isSameAddress(first ?? '', other), true, other);
        assert.equal(isSameAddress(other, first ?? ''), true, other);
      }
    });

  for (const [one, other] of DIFFERENT)
    it(`differs between ${one} and ${other}`, () => {
      assert.equal(isSameAddress(one, other), false);
    });
});
