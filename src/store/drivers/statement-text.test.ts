import assert from 'node:assert/strict';
import { constants, DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';

import { numbered, sqliteText } from './statement-text.ts';

describe('Named parameters', () => {
  it('numbers named parameters in the order of their first use', () => {
    assert.deepEqual(numbered('SELECT :b, :a, :b', '$'), {
      text: 'SELECT $1, $2, $1',
      parameters: ['b', 'a'],
    });
    assert.equal(numbered('SELECT :a', '?').text, 'SELECT ?1');
  });

  it('ignores quotes, comments and casts', () => {
    const sql = `SELECT ':a', ":b", 'it''s :c', :d::TEXT[] -- it's :e\n, :f`;

    assert.deepEqual(numbered(sql, '$'), {
      text: `SELECT ':a', ":b", 'it''s :c', $1::TEXT[] -- it's :e\n, $2`,
      parameters: ['d', 'f'],
    });
  });

  it('lets SQLite plan once for all values of a limit', () => {
    const db = new DatabaseSync(':memory:');
    db.exec('CREATE TABLE number (n INTEGER); INSERT INTO number VALUES (1), (2), (3)');
    let planned = 0;
    db.setAuthorizer(() => {
      planned += 1;
      return constants.SQLITE_OK;
    });
    const { text, parameters } = sqliteText('SELECT n FROM number WHERE n > :n ORDER BY n LIMIT :limit');
    const statement = db.prepare(text);
    const once = planned;

    const counts = [1, 2, 3].map((limit) => statement.all(0, limit).length);

    assert.deepEqual(parameters, ['n', 'limit']);
    assert.deepEqual(counts, [1, 2, 3]);
    assert.equal(planned, once);
    db.close();
  });
});
