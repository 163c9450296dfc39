import type { Database } from './database.ts';

/** The same database; `wrote` hears how many seconds each write took until it was durable, waits included. */
export function timedDatabase(db: Database, wrote: (seconds: number) => void): Database {
  const timed = async <T>(write: Promise<T>): Promise<T> => {
    const begun = performance.now();
    const result = await write;
    wrote((performance.now() - begun) / 1000);
    return result;
  };
  return {
    dialect: db.dialect,
    all: (sql, values) => db.all(sql, values),
    get: (sql, values) => db.get(sql, values),
    write: (sql, values) => timed(db.write(sql, values)),
    transaction: (work, terms) => timed(db.transaction(work, terms)),
    batch: (statement, values) =>
      statement.writes ? timed(db.batch(statement, values)) : db.batch(statement, values),
    script: (sql, after) => db.script(sql, after),
    backup: (file) => db.backup(file),
    clearLog: () => db.clearLog(),
    close: () => db.close(),
  };
}
