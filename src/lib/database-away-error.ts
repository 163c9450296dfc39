/** Errors of a database that cannot be used: the request may be tried again. */

import { errorCode } from './error-code.ts';

/** Why the database refuses: it cannot be reached, takes no writes, or its disk is full. */
export type DatabaseProblem = 'away' | 'read_only' | 'full';

/** A failed statement of a database that cannot be used now. If it was a write, its outcome is unknown. */
export class DatabaseAwayError extends Error {
  readonly problem: DatabaseProblem;

  constructor(cause: unknown) {
    // A host with several unreachable addresses fails with a list and no message.
    const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    super(first instanceof Error ? first.message : String(first), { cause });
    this.name = 'DatabaseAwayError';
    this.problem = POSTGRES[errorCode(cause) ?? ''] ?? 'away';
  }
}

type Problems = Readonly<Record<string | number, DatabaseProblem>>;
/** By SQLSTATE: read_only_sql_transaction and disk_full. */
const POSTGRES: Problems = { 25006: 'read_only', 53100: 'full' };
/** By SQLite's primary result code: the file is locked, read-only, on a failing or full disk, or missing. */
const SQLITE: Problems = { 5: 'away', 8: 'read_only', 10: 'away', 13: 'full', 14: 'away' };
/** Limits how deep causes are followed. Errors are wrapped a few times at most; a cycle of causes ends here too. */
const MOST_CAUSES = 8;

/** Returns the problem of the database that caused `reason`, however it was wrapped, or undefined if there is none. */
export function databaseProblem(reason: unknown): DatabaseProblem | undefined {
  for (let error = reason, depth = 0; error instanceof Error && depth < MOST_CAUSES; depth++) {
    if (error instanceof DatabaseAwayError) return error.problem;
    // The primary result code is the low byte of an extended one.
    const problem = 'errcode' in error ? SQLITE[Number(error.errcode) & 0xff] : undefined;
    if (problem !== undefined) return problem;
    error = error.cause;
  }
  return undefined;
}

/** Whether a problem of the database caused `reason`. */
export const isDatabaseAway = (reason: unknown): boolean => databaseProblem(reason) !== undefined;
