import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { numbered } from './statement-text.ts';

describe('Named parameters', () => {
  it('named parameters are numbered in the order they first come in, each once', () => {
    assert.deepEqual(numbered('SELECT :b, :a, :b', '$'), {
      text: 'SELECT $1, $2, $1',
      parameters: ['b', 'a'],
    });
    assert.equal(numbered('SELECT :a', '?').text, 'SELECT ?1');
  });

  it('named parameters are not looked for in quotes, comments and casts', () => {
    const sql = `SELECT ':a', ":b", 'it''s :c', :d::TEXT[] -- it's :e\n, :f`;

    assert.deepEqual(numbered(sql, '$'), {
      text: `SELECT ':a', ":b", 'it''s :c', $1::TEXT[] -- it's :e\n, $2`,
      parameters: ['d', 'f'],
    });
  });
});
