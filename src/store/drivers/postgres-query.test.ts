import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import pg from 'pg';

import { DatabaseAwayError, type DatabaseProblem } from '../../lib/database-away-error.ts';
import { isRefusal } from './postgres-query.ts';

const failure = (code: string): pg.DatabaseError =>
  Object.assign(new pg.DatabaseError('It failed', 9, 'error'), { code });

describe('isRefusal', () => {
  const unusable: [code: string, problem: DatabaseProblem][] = [
    ['25006', 'read_only'],
    ['53100', 'full'],
    ['53200', 'away'],
    ['53300', 'away'],
    ['57P01', 'away'],
    ['57P02', 'away'],
    ['57P03', 'away'],
  ];
  for (const [code, problem] of unusable)
    it(`treats SQLSTATE ${code} as a problem of the server: ${problem}`, () => {
      assert.equal(isRefusal(failure(code)), false);
      assert.equal(new DatabaseAwayError(failure(code)).problem, problem);
    });

  it('treats any other SQLSTATE as a refused statement, and an error without one as a lost connection', () => {
    const codes = ['23505', '25001', '40001', '53000', '53400', '57014'];

    assert.deepEqual(
      codes.map((code) => isRefusal(failure(code))),
      codes.map(() => true),
    );
    assert.equal(isRefusal(new Error('Connection terminated')), false);
  });
});
