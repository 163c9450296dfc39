import { AsyncLocalStorage } from 'node:async_hooks';

import { currentTrace } from '../../lib/current-trace.ts';
import type { Database } from './database.ts';

/** The same database, in whose transactions the trace of who asked for them is known: they are run later, for several together. */
export function tracedDatabase(db: Database): Database {
  return {
    dialect: db.dialect,
    all: (sql, values) => db.all(sql, values),
    get: (sql, values) => db.get(sql, values),
    write: (sql, values) => db.write(sql, values),
    transaction: (work, terms) =>
      db.transaction(currentTrace.getStore() === undefined ? work : AsyncLocalStorage.bind(work), terms),
    batch: (statement, values) => db.batch(statement, values),
    script: (sql, after) => db.script(sql, after),
    backup: (file) => db.backup(file),
    clearLog: () => db.clearLog(),
    close: () => db.close(),
  };
}
