/** Databases that measure or trace another one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { currentTrace } from '../../lib/current-trace.ts';
import type { Database } from './database.ts';

/** The same database; `wrote` hears how many seconds each write took until it was durable, waits included. */
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

/** The same database, in whose transactions the trace of who asked for them is known: they are run later, for several together. */
export const tracedDatabase = (db: Database): Database =>
  wrappedDatabase(db, {
    transaction: (work, terms) =>
      db.transaction(currentTrace.getStore() === undefined ? work : AsyncLocalStorage.bind(work), terms),
  });

/** The same database, but for some of what it does. */
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
