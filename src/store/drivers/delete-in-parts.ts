/** Deletes many rows in parts, so that other writes need not wait long. */
import type { Database, Values } from './database.ts';

const ROWS_PER_PART = 1000;

/**
 * Runs `sql`, a `DELETE … WHERE key IN (SELECT … LIMIT :limit) RETURNING …`, until it finds nothing
 * more. Answers how many rows it deleted. The next run deletes what an interrupted one left.
 */
export async function deleteInParts(db: Database, sql: string, values: Values): Promise<number> {
  for (let deleted = 0; ; ) {
    const part = await db.write(sql, { ...values, limit: ROWS_PER_PART });
    deleted += part.length;
    if (part.length < ROWS_PER_PART) return deleted;
  }
}
