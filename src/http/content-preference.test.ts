import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { prefersPage } from './content-preference.ts';

describe('prefersPage', () => {
  const cases: [accept: string | undefined, page: boolean][] = [
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', true],
    ['text/html', true],
    ['application/json;q=0.5, text/html', true],
    ['TEXT/HTML', true],
    ['text/*', true],
    ['application/json', false],
    ['application/json, text/html;q=0.9', false],
    ['application/json, text/plain, */*', false],
    ['text/html;q=0', false],
    ['*/*', false],
    ['', false],
    [undefined, false],
    [';;q=,,', false],
  ];
  for (const [accept, page] of cases) {
    it(`Accept ${JSON.stringify(accept)} is answered with ${page ? 'a page' : 'JSON'}`, () => {
      assert.equal(prefersPage(accept), page);
    });
  }
});
