import { AsyncLocalStorage } from 'node:async_hooks';

import { currentTrace } from '../../lib/current-trace.ts';
import type { Database } from './database.ts';
import { wrappedDatabase } from './wrapped-database.ts';

/** The same database, in whose transactions the trace of who asked for them is known: they are run later, for several together. */
export const tracedDatabase = (db: Database): Database =>
  wrappedDatabase(db, {
    transaction: (work, terms) =>
      db.transaction(currentTrace.getStore() === undefined ? work : AsyncLocalStorage.bind(work), terms),
  });
