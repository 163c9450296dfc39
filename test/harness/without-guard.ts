/**
 * Removes one guard from every statement that a test runs, so that test/store/guards.test.ts can show that the
 * contracts notice. KALENDS_TEST_WITHOUT_GUARDS lists the texts in JSON, such as ` AND ended_at IS NULL=>`; the tests
 * of a file are then defined once for each text, on a database without it.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type {
  BatchStatement,
  Database,
  Statements,
  TransactionTerms,
} from '../../src/store/drivers/database.ts';
import { wrappedDatabase } from '../../src/store/drivers/wrapped-database.ts';

/** A text that no store's statement has, so that `guard=>replacement` is unambiguous. */
const SEPARATOR = '=>';

/** How long a transaction stays open on PostgreSQL, so that calls made at once do overlap. */
const OVERLAP_MS = 60;

/** The guards removed in this process; none except in processes that the test of the guards starts. */
export const TAKEN_OUT: readonly string[] = JSON.parse(process.env.KALENDS_TEST_WITHOUT_GUARDS ?? '[]');

/** Returns the database's name for titles of tests without the guard at `place` of the list. */
export const databaseWithout = (database: string, place: number): string =>
  `${database} without guard ${place}`;

/** Returns the database with `guard` replaced in its statements; `mutation` is `guard=>replacement`. */
export function withoutGuard(db: Database, mutation: string): Database {
  const [guard = '', replacement = ''] = mutation.split(SEPARATOR);
  // A guard is named on one line, however the statement is laid out.
  return mutated(db, (sql) => sql.replace(/\s+/g, ' ').replaceAll(guard, replacement));
}

/** Changes SQL whose caller values each engine writes differently: a guard names them as `{column}`. */
function changedSql(sql: BatchStatement['sql'], change: (sql: string) => string): BatchStatement['sql'] {
  return (supplied) =>
    change(sql({ ...supplied, value: (column) => `{${column}}` })).replace(/\{(\w+)\}/g, (_, column) =>
      supplied.value(column),
    );
}

function mutated(db: Database, mutate: (sql: string) => string): Database {
  const batches = new Map<BatchStatement, BatchStatement>();
  const changedBatch = (statement: BatchStatement): BatchStatement => {
    const { sql, precededBy = [], followedBy = [] } = statement;
    const changed = batches.get(statement) ?? {
      ...statement,
      sql: changedSql(sql, mutate),
      precededBy: precededBy.map((text) => changedSql(text, mutate)),
      followedBy: followedBy.map((text) => changedSql(text, mutate)),
    };
    batches.set(statement, changed);
    return changed;
  };
  const statements = (on: Statements): Statements => ({
    dialect: db.dialect,
    all: (sql, values) => on.all(mutate(sql), values),
    get: (sql, values) => on.get(mutate(sql), values),
    change: (sql, values) => on.change(mutate(sql), values),
  });
  const transaction = <T>(work: (tx: Statements) => Promise<T>, terms?: TransactionTerms): Promise<T> =>
    db.transaction(async (tx) => {
      const result = await work(statements(tx));
      if (db.dialect.engine === 'postgres') await sleep(OVERLAP_MS);
      return result;
    }, terms);
  return wrappedDatabase(db, {
    ...statements(db),
    write: (sql, values) => transaction((tx) => tx.all(sql, values)),
    change: (sql, values) => transaction((tx) => tx.change(sql, values)),
    storedRows: (sql, values) => db.storedRows(mutate(sql), values),
    transaction,
    batch: (statement, values) => db.batch(changedBatch(statement), values),
    batchAll: (statement, values) => db.batchAll(changedBatch(statement), values),
  });
}
