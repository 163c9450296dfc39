import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { parseForm } from './form-body.ts';

const parseFields = (text: string) => Object.entries(parseForm(text));

describe('a form', () => {
  it('decodes UTF-8 and plus signs', () => {
    assert.deepEqual(parseFields('name=Ada+L.&city=Z%C3%BCrich&empty=&bare'), [
      ['name', 'Ada L.'],
      ['city', 'Zürich'],
      ['empty', ''],
      ['bare', ''],
    ]);
  });

  it('returns a list for a repeated field', () => {
    assert.deepEqual(parseFields('a=1&b=2&a=3&a='), [
      ['a', ['1', '3', '']],
      ['b', '2'],
    ]);
  });

  it('treats names of Object.prototype as ordinary fields', () => {
    assert.deepEqual(parseFields('__proto__=a&constructor=b'), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('leaves invalid encoding unchanged', () => {
    assert.deepEqual(parseFields('a=100%&b=%zz&&=&=c'), [
      ['a', '100%'],
      ['b', '%zz'],
      ['', ['', 'c']],
    ]);
    assert.deepEqual(parseFields(''), []);
  });

  it('reads 100,000 equal names as quickly as different ones', () => {
    assert.equal(parseForm('a=&'.repeat(100_000)).a?.length, 100_000);
  });
});
