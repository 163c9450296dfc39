import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { answerCache } from './answer-cache.ts';

const answer = (text: string) => Buffer.from(text);

describe('cached responses', () => {
  it('cached responses are found while their version is the same', () => {
    const cache = answerCache();
    cache.keep('a', '1', answer('one'));

    assert.equal(cache.find('a', '1')?.toString(), 'one');
    assert.equal(cache.find('a', '2'), undefined);
    assert.equal(cache.find('a', '1'), undefined);
    assert.equal(cache.find('b', '1'), undefined);
  });

  it('cached responses stay within their memory limit: the least recently used are dropped', () => {
    const cache = answerCache(10);
    cache.keep('a', '1', answer('aaaa'));
    cache.keep('b', '1', answer('bbbb'));
    cache.find('a', '1');
    cache.keep('c', '1', answer('cccc'));

    assert.deepEqual(
      ['a', 'b', 'c'].map((key) => cache.find(key, '1')?.toString()),
      ['aaaa', undefined, 'cccc'],
    );
    cache.keep('d', '1', answer('d'.repeat(11)));
    assert.equal(cache.find('d', '1'), undefined);
  });
});
