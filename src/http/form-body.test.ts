import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { formOf } from './form-body.ts';

const fieldsOf = (text: string) => Object.entries(formOf(text));

describe('a form', () => {
  it('decodes UTF-8 and plus signs', () => {
    assert.deepEqual(fieldsOf('name=Ada+L.&city=Z%C3%BCrich&empty=&bare'), [
      ['name', 'Ada L.'],
      ['city', 'Zürich'],
      ['empty', ''],
      ['bare', ''],
    ]);
  });

  it('returns a list for a repeated field', () => {
    assert.deepEqual(fieldsOf('a=1&b=2&a=3&a='), [
      ['a', ['1', '3', '']],
      ['b', '2'],
    ]);
  });

  it('treats names of Object.prototype as ordinary fields', () => {
    assert.deepEqual(fieldsOf('__proto__=a&constructor=b'), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('leaves invalid encoding unchanged', () => {
    assert.deepEqual(fieldsOf('a=100%&b=%zz&&=&=c'), [
      ['a', '100%'],
      ['b', '%zz'],
      ['', ['', 'c']],
    ]);
    assert.deepEqual(fieldsOf(''), []);
  });

  it('reads 100,000 equal names as quickly as different ones', () => {
    assert.equal(formOf('a=&'.repeat(100_000)).a?.length, 100_000);
  });
});
