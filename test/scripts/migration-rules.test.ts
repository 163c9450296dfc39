/** Tests the rules of new migrations. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findMigrationProblems } from '../../scripts/migration-rules.ts';

const findIn = (name: string, text: string) =>
  findMigrationProblems([{ path: `src/store/migrations/${name}`, text }]);

describe('the rules of migrations', () => {
  it('a new migration may not update, empty or index an existing table', () => {
    const texts = [
      "-- Why.\nUPDATE account SET name = ';' WHERE 1 = 1",
      'DELETE FROM account',
      'CREATE INDEX i ON account (name)',
      'CREATE UNIQUE INDEX i\n ON account (name)',
    ];
    for (const text of texts) {
      const [problem] = findIn('0064-x.sql', text);
      assert.match(problem ?? '', /0064-x\.sql: ".*" changes an existing table: move it to a \.online\.sql/);
    }
  });

  it('a new migration may change existing tables if it declares that versions do not mix', () => {
    assert.deepEqual(findIn('0064-x.sql', '-- Versions do not mix.\nUPDATE account SET name = 1'), []);
  });

  it('a new migration may add columns, and create and fill tables', () => {
    const text = `
      ALTER TABLE account ADD COLUMN x BIGINT;
      CREATE TABLE t (key BIGINT);
      UPDATE t SET key = 1;
      CREATE INDEX i ON t (key)`;
    assert.deepEqual(findIn('0064-x.sql', text), []);
  });

  it('an online migration has only statements that can be repeated, in parts of 1,000 rows', () => {
    const repeatable = `
      CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON account (name);
      UPDATE account SET name = 1 WHERE key IN (
        SELECT key FROM account WHERE name IS NULL LIMIT 1000);
      DROP INDEX CONCURRENTLY IF EXISTS i`;
    assert.deepEqual(findIn('0064-x.online.sql', repeatable), []);
    for (const text of ['UPDATE account SET name = 1', 'CREATE INDEX i ON account (name)', 'DROP INDEX i'])
      assert.match(findIn('0064-x.online.sql', text)[0] ?? '', /cannot run online/);
  });

  it('migrations from before the rule are not checked', () => {
    assert.deepEqual(findIn('0063-x.sql', 'UPDATE account SET name = 1'), []);
  });
});
