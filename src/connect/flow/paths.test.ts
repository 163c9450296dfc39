import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { ownPath } from './paths.ts';

const HERE = 'https://calendars.example';

describe('the return path of a form', () => {
  it('is a path of this origin with its query', () => {
    assert.equal(
      ownPath('/connect/consent?transaction=T&a=%2F', HERE),
      '/connect/consent?transaction=T&a=%2F',
    );
  });

  for (const text of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/a/..\\\\evil.example',
    'connect/consent',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/connect\r\nset-cookie: a=b',
    '',
  ]) {
    it(`is refused for ${JSON.stringify(text)}`, () => {
      assert.equal(ownPath(text, HERE), undefined);
    });
  }
});
