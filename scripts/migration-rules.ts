/**
 * Checks that new migrations do not stop older instances. A migration that updates or indexes an existing table runs
 * online (`NNNN-name.online.sql`), unless its first line begins with `-- Versions do not mix`.
 */
import path from 'node:path';

import { splitStatements } from '../src/store/drivers/apply-migration.ts';
import type { TextFile } from './docs-rules.ts';
import type { Problem } from './source-file.ts';

/** The last migration from before this rule. */
const LAST_UNCHECKED = 63;
const DO_NOT_MIX = '-- Versions do not mix';
const ONLINE = '.online.sql';
const CREATES = /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/;
const CHANGES =
  /^(?:UPDATE|DELETE FROM|CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?\w+\s+ON) (\w+)/;
/** An online statement can run again, and a change of rows runs until it changes none. */
const CAN_RUN_ONLINE = [
  /^(?:UPDATE|DELETE|INSERT)\b[\s\S]*\bLIMIT 1000\b/,
  /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS /,
  /^DROP INDEX CONCURRENTLY IF EXISTS /,
];

/** Returns a line for each statement that may not be in its migration. */
export function findMigrationProblems(files: readonly TextFile[]): Problem[] {
  return files
    .filter(({ path: file }) => Number.parseInt(path.basename(file), 10) > LAST_UNCHECKED)
    .filter(({ text }) => !text.startsWith(DO_NOT_MIX))
    .flatMap(({ path: file, text }) => {
      const statements = splitStatements(text);
      const problems = file.endsWith(ONLINE) ? findOffline(statements) : findBlocking(statements);
      return problems.map((problem) => `${file}: ${problem}`);
    });
}

const findOffline = (statements: readonly string[]): Problem[] =>
  statements
    .filter((statement) => !CAN_RUN_ONLINE.some((form) => form.test(statement)))
    .map(
      (statement) =>
        `"${firstLine(statement)}" cannot run online: use LIMIT 1000, CREATE INDEX CONCURRENTLY IF NOT EXISTS or DROP INDEX CONCURRENTLY IF EXISTS`,
    );

function findBlocking(statements: readonly string[]): Problem[] {
  const created = statements.map((statement) => CREATES.exec(statement)?.[1]);
  return statements
    .filter((statement) => {
      const table = CHANGES.exec(statement)?.[1];
      return table !== undefined && !created.includes(table);
    })
    .map(
      (statement) =>
        `"${firstLine(statement)}" changes an existing table: move it to a ${ONLINE} file, or begin this one with "${DO_NOT_MIX}"`,
    );
}

const firstLine = (statement: string): string => statement.split('\n')[0] ?? '';
