import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { queryWithout, receivedQuery, scalar, scalarSpelling, values } from './received-query.ts';

describe('a received query', () => {
  it('uses the first value of a repeated parameter and treats an empty one as absent', () => {
    const query = receivedQuery('/authorize?scope=&scope=read&scope=read-write&lng=');

    assert.equal(scalar(query, 'scope'), 'read');
    assert.equal(scalar(query, 'lng'), undefined);
    assert.equal(scalar(query, 'state'), undefined);
  });

  it('decodes both spellings of a space', () => {
    const query = receivedQuery('/authorize?user_id=a+b%20c');

    assert.equal(scalar(query, 'user_id'), 'a b c');
  });

  it('lists every value of a repeated parameter in order', () => {
    assert.deepEqual(values(receivedQuery('/?p=a&x=1&p=b,c'), 'p'), ['a', 'b,c']);
  });

  it('keeps the spelling of all other parameters when some are removed', () => {
    const query = receivedQuery("/authorize?a=%7e+&transaction=x&b&=c&a=1&redirect%5Furi=y&s=%zz%FF'");

    assert.equal(queryWithout(query, 'transaction', 'redirect_uri'), "a=%7e+&b&=c&a=1&s=%zz%FF'");
    assert.equal(scalarSpelling(query, 's'), "%zz%FF'");
  });

  it('encodes characters that are not allowed in a query', () => {
    const query = receivedQuery('/authorize?state=a"b<c>#d\\e\u00c3\u00a9');

    assert.equal(scalarSpelling(query, 'state'), 'a%22b%3Cc%3E%23d%5Ce%C3%A9');
    assert.equal(scalar(query, 'state'), 'a"b<c>#d\\eé');
  });

  it('is empty without a question mark', () => {
    assert.deepEqual(receivedQuery('/authorize'), []);
    assert.deepEqual(receivedQuery('/authorize?&&'), []);
  });
});
