/** Databases that measure or trace another one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { currentTrace } from '../../lib/current-trace.ts';
import type { Database } from './database.ts';

/** Returns a database that reports to `wrote` the seconds until each write was durable, waits included. */
export function timedDatabase(db: Database, wrote: (seconds: number) => void): Database {
  const timed = async <T>(write: Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await write;
    wrote((performance.now() - begun) / 1000);
    return result;
  };
  return wrappedDatabase(db, {
    write: (sql, values) => timed(db.write(sql, values)),
    change: (sql, values) => timed(db.change(sql, values)),
    transaction: (work, terms) => timed(db.transaction(work, terms)),
    batch: (statement, values) =>
      statement.writes ? timed(db.batch(statement, values)) : db.batch(statement, values),
    batchAll: (statement, values) =>
      statement.writes ? timed(db.batchAll(statement, values)) : db.batchAll(statement, values),
  });
}

/** Returns a database whose transactions run in the trace of their caller, although they run later and together. */
export const tracedDatabase = (db: Database): Database =>
  wrappedDatabase(db, {
    transaction: (work, terms) =>
      db.transaction(currentTrace.getStore() === undefined ? work : AsyncLocalStorage.bind(work), terms),
  });

/** Returns the same database with some of its methods replaced. */
export const wrappedDatabase = (db: Database, changed: Partial<Database>): Database => ({
  dialect: db.dialect,
  server: db.server,
  all: (sql, values) => db.all(sql, values),
  get: (sql, values) => db.get(sql, values),
  write: (sql, values) => db.write(sql, values),
  change: (sql, values) => db.change(sql, values),
  storedRows: (sql, values) => db.storedRows(sql, values),
  transaction: (work, terms) => db.transaction(work, terms),
  batch: (statement, values) => db.batch(statement, values),
  batchAll: (statement, values) => db.batchAll(statement, values),
  script: (sql, after) => db.script(sql, after),
  backup: (file) => db.backup(file),
  clearLog: () => db.clearLog(),
  close: () => db.close(),
  ...changed,
});
