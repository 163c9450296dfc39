import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { hostOfUrl } from './host-of-url.ts';

describe('the host of an address', () => {
  it('is the same for all ports and spellings of a name', () => {
    for (const address of ['https://dav.example/ada/', 'https://DAV.example:8443/', 'http://dav.example./x'])
      assert.equal(hostOfUrl(address), 'dav.example');
  });

  it('is empty for text that is no URL', () => {
    assert.equal(hostOfUrl('ada@mail.example'), '');
  });
});
