import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type AnswerCache, answerCache } from './answer-cache.ts';

const entry = (key: string, answer: string, clientId = 'acme') => ({
  clientId,
  key,
  version: '1',
  answer: Buffer.from(answer),
});

const stored = (cache: AnswerCache, keys: readonly string[]) =>
  keys.filter((key) => cache.find(key, '1') !== undefined);

describe('cached responses', () => {
  it('cached responses are found while their version is the same', () => {
    const cache = answerCache();
    cache.keep(entry('a', 'one'));

    assert.equal(cache.find('a', '1')?.toString(), 'one');
    assert.equal(cache.find('a', '2'), undefined);
    assert.equal(cache.find('a', '1'), undefined);
    assert.equal(cache.find('b', '1'), undefined);
  });

  it('cached responses stay within their memory limit: the least recently used are dropped', () => {
    const cache = answerCache(100_000);
    const text = 'x'.repeat(40_000);
    cache.keep(entry('a', text));
    cache.keep(entry('b', text));
    cache.find('a', '1');
    cache.keep(entry('c', text));

    assert.deepEqual(stored(cache, ['a', 'b', 'c']), ['a', 'c']);
    cache.keep(entry('d', 'x'.repeat(100_000)));
    assert.deepEqual(stored(cache, ['d']), []);
  });

  it('the memory limit includes keys, versions and what each entry takes besides', () => {
    const long = 'x'.repeat(20_000);
    const keys = (suffix: string) => Array.from({ length: 200 }, (_, i) => `${i}${suffix}`);
    const [small, large] = [answerCache(100_000), answerCache(100_000)];
    for (const key of keys('')) small.keep(entry(key, ''));
    for (const key of keys(long)) large.keep(entry(key, ''));
    assert.equal(stored(small, keys('')).length, 96);
    assert.equal(stored(large, keys(long)).length, 2);

    const versions = answerCache(100_000);
    for (const key of keys('')) versions.keep({ ...entry(key, ''), version: long });
    assert.equal(keys('').filter((key) => versions.find(key, long) !== undefined).length, 2);
  });

  it('a response holds no memory besides its own', () => {
    const cache = answerCache();
    cache.keep(entry('a', 'one'));

    assert.equal(cache.find('a', '1')?.buffer.byteLength, 3);
  });

  it('an application that holds more than half drops its own responses, even if others are older', () => {
    const cache = answerCache(100_000);
    const text = 'x'.repeat(20_000);
    cache.keep(entry('other', text, 'other'));
    for (const key of ['a', 'b', 'c', 'd', 'e']) cache.keep(entry(key, text));
    assert.deepEqual(stored(cache, ['other', 'a', 'b', 'c', 'd', 'e']), ['other', 'c', 'd', 'e']);

    for (const key of ['f', 'g']) cache.keep(entry(key, text, 'third'));
    assert.deepEqual(stored(cache, ['other', 'c', 'd', 'e', 'f', 'g']), ['other', 'e', 'f', 'g']);
  });
});
