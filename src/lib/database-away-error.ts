/** The database does not answer: what was asked for may be asked again, and none of it is the caller's fault. */

/** Whether a write that fails so was made is not known. */
export class DatabaseAwayError extends Error {
  constructor(cause: unknown) {
    // A host with several addresses of which none answers fails with a list and no message.
    const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    super(first instanceof Error ? first.message : String(first), { cause });
    this.name = 'DatabaseAwayError';
  }
}

/** SQLite's result codes for a file that is locked, read-only, on a failing or full disk, or gone. */
const SQLITE_AWAY: ReadonlySet<number> = new Set([5, 8, 10, 13, 14]);
/** What wraps an error wraps it a few times at most; a circle of causes ends here too. */
const MOST_CAUSES = 8;

/** Whether the database's absence is behind an error, whatever it was wrapped in. */
export function isDatabaseAway(reason: unknown): boolean {
  for (let error = reason, depth = 0; error instanceof Error && depth < MOST_CAUSES; depth++) {
    if (error instanceof DatabaseAwayError) return true;
    // The primary result code is the low byte of an extended one.
    if ('errcode' in error && SQLITE_AWAY.has(Number(error.errcode) & 0xff)) return true;
    error = error.cause;
  }
  return false;
}
