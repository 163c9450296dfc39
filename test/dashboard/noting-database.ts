/** A database that notes its queries, for tests of what a page reads. */
import type { Database, Statements, Values } from '../../src/store/drivers/database.ts';

/** The text of each query with its last values. */
export type Noted = Map<string, Values>;

/** Returns the database, which notes each of its queries in `noted`. */
export function noting(db: Database, noted: Noted): Database {
  const statements = (on: Statements): Statements => ({
    dialect: db.dialect,
    all(sql, values = {}) {
      noted.set(sql, values);
      return on.all(sql, values);
    },
    get(sql, values = {}) {
      noted.set(sql, values);
      return on.get(sql, values);
    },
    change: (sql, values) => on.change(sql, values),
  });
  return Object.assign(Object.create(db) as Database, {
    ...statements(db),
    ...boundTo(db),
    transaction: ((work, terms) =>
      db.transaction((tx) => work(statements(tx)), terms)) as Database['transaction'],
  });
}

/** Binds methods that use the database's private fields. */
const boundTo = (db: Database): Partial<Database> => ({
  write: db.write.bind(db),
  batch: db.batch.bind(db),
  script: db.script.bind(db),
  close: db.close.bind(db),
});
