import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { isFromRequestPage } from './page-form.ts';

describe('isFromRequestPage', () => {
  const form = { token: 'secret', secFetchSite: undefined, origin: undefined, host: 'cal.example.com' };
  const cases = [
    ['takes the request’s own token', {}, true],
    ['refuses a missing token', { token: undefined }, false],
    ['refuses another token', { token: 'secreT' }, false],
    ['takes a same-origin post', { secFetchSite: 'same-origin' }, true],
    ['refuses a cross-site post', { secFetchSite: 'cross-site' }, false],
    ['refuses a same-site post of another origin', { secFetchSite: 'same-site' }, false],
    ['takes Origin: null, which no-referrer pages send', { origin: 'null' }, true],
    ['takes the public origin', { origin: 'https://cal.example.com' }, true],
    [
      'takes the origin that was asked under another name',
      { origin: 'http://127.0.0.1:8080', host: '127.0.0.1:8080' },
      true,
    ],
    ['refuses a foreign origin', { origin: 'https://evil.example' }, false],
    ['refuses an origin that cannot be read', { origin: 'nonsense', host: undefined }, false],
  ] as const;
  for (const [rule, change, expected] of cases) {
    it(`the check of a page’s form ${rule}`, () => {
      assert.equal(isFromRequestPage({ ...form, ...change }, 'secret', 'https://cal.example.com'), expected);
    });
  }
});
