/** The gate itself: what `npm test` ends with. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { selectQuickTests } from '../../scripts/quick-tests.ts';

/** The run starts and stops a PostgreSQL. */
const OWN_POSTGRES = { KALENDS_TEST_POSTGRES_URL: '' };
const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/test.ts');

describe('npm test', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'kalends-gate-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Returns the exit code and output of a run over one file with this test, on the PostgreSQL of the whole run if any. */
  const runOver = async (text: string, variables: Record<string, string> = {}) => {
    const file = path.join(folder, 'one.test.mjs');
    await writeFile(file, `import { it } from 'node:test';\n${text}\n`);
    // Leaves out variables of the current run, such as its runner's mark.
    const { NODE_TEST_CONTEXT: _, KALENDS_TEST_ALL: __, ...env } = process.env;
    const child = spawn(process.execPath, [SCRIPT, file], { env: { ...env, ...variables } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part));
    const [exitCode] = await once(child, 'close');
    return { exitCode, output };
  };

  const runs: [string, string, Record<string, string>, number][] = [
    ['0 when every test passes, and starts a PostgreSQL', "it('passes', () => {});", OWN_POSTGRES, 0],
    ['1 when a test fails', "it('fails', () => { throw new Error('no'); });", {}, 1],
    ['1 when a test file cannot be loaded', "import './nothing.mjs';", {}, 1],
    ['0 when a test is skipped', "it.skip('is skipped', () => {});", {}, 0],
    [
      '1 when a test is skipped under KALENDS_TEST_ALL',
      "it.skip('is skipped', () => {});",
      { KALENDS_TEST_ALL: '1' },
      1,
    ],
  ];
  for (const [what, text, variables, expected] of runs) {
    it(`npm test ends with ${what}`, async () => {
      const { exitCode, output } = await runOver(text, variables);

      assert.equal(exitCode, expected, output);
      assert.match(output, /^ℹ tests 1$/m);
    });
  }

  it('npm test -- --quick runs the tests of changed features, or one file of each', () => {
    const files = [
      'src/oauth/a.test.ts',
      'src/oauth/drivers/b.test.ts',
      'test/e2e/c.test.ts',
      'test/oauth/d.test.ts',
      'test/oauth/fuzz.test.ts',
      'test/scripts/e.test.ts',
      'test/store/f.test.ts',
    ];

    assert.deepEqual(selectQuickTests(files, []), [files[0], files[5], files[6]]);
    assert.deepEqual(selectQuickTests(files, ['README.md', 'test/e2e/c.test.ts']), [
      files[0],
      files[5],
      files[6],
    ]);
    assert.deepEqual(selectQuickTests(files, ['src/oauth/x.ts', 'scripts/y.ts']), [
      files[0],
      files[1],
      files[3],
      files[5],
    ]);
  });
});
