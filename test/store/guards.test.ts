/**
 * The contracts are worth something only if they notice: each guard is taken out of the statements in
 * turn, and the rule that stands for it has to fail. A guard that only keeps concurrent transactions
 * apart is missed on PostgreSQL alone; SQLite has one writer. So is that of a row which SQLite reads back
 * by a look-up with the same guard.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { before, describe, it } from 'node:test';

import { cleanUpAtEnd, postgresUrl } from '../harness/databases.ts';
import { databaseWithout } from '../harness/without-guard.ts';
import { GUARDS, type Guard } from './known-guards.ts';

/** How often a mutated contract may come through by chance before its guard counts as untested. */
const MOST_RUNS = 5;
/** The most that a contract prints. */
const MOST_OUTPUT = 64 * 1024 * 1024;
/** Each waits for databases most of its time. */
const STORES_AT_ONCE = 2;

cleanUpAtEnd();

describe('a guard', { concurrency: STORES_AT_ONCE }, () => {
  for (const [store, guards] of Map.groupBy(GUARDS, (guard) => guard.store)) {
    describe(`of the ${store} store`, () => {
      let outputs: ReadonlyMap<Guard, string>;
      before(async () => {
        outputs = await outputsWithout(store, guards);
      });

      for (const guard of guards) {
        const [text = ''] = guard.without.split('=>');
        it(`${store} store: without "${text.trim()}" its contract fails`, () => {
          const output = outputs.get(guard) ?? '';

          // The remaining statement is valid SQL: it failed for what it did, not for how it was cut.
          assert.doesNotMatch(output, /code: '?(ERR_SQLITE_ERROR|42\w{3}|22\w{3})/);
          assert.ok(failsWhereItMust(guard, output), output);
        });
      }
    });
  }
});

/** The rule's suite fails by its name; a mistyped rule or guard would fail nothing. */
function failsWhereItMust({ on }: Guard, output: string): boolean {
  const databases = on === undefined ? ['SQLite', 'PostgreSQL'] : [on];
  return databases.every((name) =>
    new RegExp(`^not ok \\d+ - \\w+ on ${name} without guard \\d+$`, 'm').test(output),
  );
}

/** Returns the output of the store's own test file without each of the guards. */
async function outputsWithout(store: string, guards: readonly Guard[]): Promise<ReadonlyMap<Guard, string>> {
  const outputs = new Map<Guard, string>();
  let missed = guards;
  // A race without its guard is lost often, not always: on a busy machine calls may not overlap.
  for (let run = 1; run <= MOST_RUNS && missed.length > 0; run++) {
    const output = await runContract(store, missed);
    for (const [at, guard] of missed.entries()) outputs.set(guard, partWithout(at, output));
    missed = missed.filter((guard) => !failsWhereItMust(guard, outputs.get(guard) ?? ''));
  }
  return outputs;
}

/** The suites of both databases without the guard at this place of the list. */
function partWithout(at: number, output: string): string {
  const suites = output.split(/^(?=# Subtest: )/m);
  const names = ['SQLite', 'PostgreSQL'].map((database) => databaseWithout(database, at));
  return suites
    .filter((suite) => names.some((name) => suite.slice(0, suite.indexOf('\n')).endsWith(` ${name}`)))
    .join('');
}

/** The output of the store's own test file, of each guard's rule without that guard, in one process. */
async function runContract(store: string, guards: readonly Guard[]): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    KALENDS_TEST_POSTGRES_URL: await postgresUrl(),
    KALENDS_TEST_WITHOUT_GUARDS: JSON.stringify(guards.map(({ without }) => without)),
  };
  const patterns = guards.map(
    ({ fails }, at) => `--test-name-pattern=/ ${databaseWithout('', at).trim()} (.* )?${escaped(fails)}/`,
  );
  const file = path.resolve(import.meta.dirname, `${store}.test.ts`);
  const args = ['--test-reporter=tap', ...patterns, file];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, maxBuffer: MOST_OUTPUT }, (_failure, stdout) => resolve(stdout));
  });
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
