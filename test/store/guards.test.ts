/**
 * The contracts are worth something only if they notice: each guard is taken out of the statements in
 * turn, and the rule that stands for it has to fail. A guard that only keeps concurrent transactions
 * apart is missed on PostgreSQL alone; SQLite has one writer. So is that of a row which SQLite reads back
 * by a look-up with the same guard.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { describe, it } from 'node:test';

import { cleanUpAtEnd, postgresUrl } from '../harness/databases.ts';
import { GUARDS, type Guard } from './known-guards.ts';

/** How often a mutated contract may come through by chance before its guard counts as untested. */
const MOST_RUNS = 5;

cleanUpAtEnd();

/** Each waits for databases most of its time. */
const GUARDS_AT_ONCE = 2;

describe('a guard', { concurrency: GUARDS_AT_ONCE }, () => {
  for (const guard of GUARDS) {
    const [text = ''] = guard.without.split('=>');
    it(`${guard.store} store: without "${text.trim()}" its contract fails`, async () => {
      let output = await runContract(guard);
      // A race without its guard is lost often, not always: on a busy machine calls may not overlap.
      for (let run = 1; run < MOST_RUNS && !failsWhereItMust(guard, output); run++) {
        output = await runContract(guard);
      }

      // What is left is a sound statement: it failed for what it did, not for how it was cut.
      assert.doesNotMatch(output, /code: '?(ERR_SQLITE_ERROR|42\w{3}|22\w{3})/);
      assert.ok(failsWhereItMust(guard, output), output);
    });
  }
});

/** The rule's suite fails by its name; a mistyped rule or guard would fail nothing. */
function failsWhereItMust({ on }: Guard, output: string): boolean {
  const databases = on === undefined ? ['SQLite', 'PostgreSQL'] : [on];
  return databases.every((name) => new RegExp(`^not ok \\d+ - \\w+ on ${name}$`, 'm').test(output));
}

/** The output of the store's own test file, of the one rule, without the guard. */
async function runContract({ store, without, fails }: Guard): Promise<string> {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    KALENDS_TEST_POSTGRES_URL: await postgresUrl(),
    KALENDS_TEST_WITHOUT_GUARD: without,
  };
  const pattern = fails.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const file = path.resolve(import.meta.dirname, `${store}.test.ts`);
  const args = ['--test-reporter=tap', `--test-name-pattern=${pattern}`, file];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (_failure, stdout) => resolve(stdout));
  });
}
