import type { Database } from './database.ts';

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
