import type { Database } from './database.ts';
import { wrappedDatabase } from './wrapped-database.ts';

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
