/** How many bytes the database takes. */
import type { Database } from './database.ts';

const SIZE = {
  sqlite: 'SELECT page_count * page_size AS "bytes" FROM pragma_page_count(), pragma_page_size()',
  postgres: 'SELECT pg_database_size(current_database()) AS "bytes"',
};

/** SQLite's log beside the file is not counted. */
export async function databaseSize(db: Database): Promise<number> {
  return (await db.get<{ bytes: number }>(SIZE[db.dialect.engine]))?.bytes ?? 0;
}
