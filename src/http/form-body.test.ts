import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { formOf } from './form-body.ts';

const fieldsOf = (text: string) => Object.entries(formOf(text));

describe('a form', () => {
  it('a form is read by its encoding, in UTF-8 and with spaces as plus signs', () => {
    assert.deepEqual(fieldsOf('name=Ada+L.&city=Z%C3%BCrich&empty=&bare'), [
      ['name', 'Ada L.'],
      ['city', 'Zürich'],
      ['empty', ''],
      ['bare', ''],
    ]);
  });

  it('a form gives a list for a field that is repeated', () => {
    assert.deepEqual(fieldsOf('a=1&b=2&a=3&a='), [
      ['a', ['1', '3', '']],
      ['b', '2'],
    ]);
  });

  it('a form takes any name for what it is', () => {
    assert.deepEqual(fieldsOf('__proto__=a&constructor=b'), [
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('a form refuses nothing: what is no encoding stays as it is', () => {
    assert.deepEqual(fieldsOf('a=100%&b=%zz&&=&=c'), [
      ['a', '100%'],
      ['b', '%zz'],
      ['', ['', 'c']],
    ]);
    assert.deepEqual(fieldsOf(''), []);
  });

  it('a form of a hundred thousand equal names is read as quickly as of others', () => {
    assert.equal(formOf('a=&'.repeat(100_000)).a?.length, 100_000);
  });
});
