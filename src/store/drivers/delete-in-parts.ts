/** Deletes many rows in parts, so that other writes need not wait long. */
import type { Database, Values } from './database.ts';

const ROWS_PER_PART = 1000;

/**
 * Runs `sql`, a `DELETE … WHERE key IN (SELECT … LIMIT :limit)`, until nothing is left. Returns the number of deleted
 * rows. The next run continues an interrupted one.
 */
export const deleteInParts = (db: Database, sql: string, values: Values): Promise<number> =>
  inParts(async (limit) => db.change(sql, { ...values, limit }));

type DeletePart = (limit: number) => Promise<number>;

/** Calls `deletePart`, which returns how many rows it deleted, until they are fewer than `limit`. Returns the sum. */
export async function inParts(deletePart: DeletePart, limit = ROWS_PER_PART): Promise<number> {
  for (let deleted = 0; ; ) {
    const part = await deletePart(limit);
    deleted += part;
    if (part < limit) return deleted;
  }
}
