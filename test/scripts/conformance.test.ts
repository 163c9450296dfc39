/** The check of docs/conformance.md refuses what would let a clause go untested. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { conformanceProblems, moduleProblems } from '../../scripts/conformance-rules.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const document = readFileSync(path.join(ROOT, 'docs/conformance.md'), 'utf8');
const sources: Readonly<Record<string, string>> = {
  'test/a.test.ts': [
    `it('spends a code once', () => {});`,
    ['it(`refuses $', '{name} of $', '{kind} (RFC 6749)`, () => {});'].join(''),
    `  // it('was switched off', () => {});`,
    `it.skip('is skipped', () => {});`,
  ].join('\n'),
};

/** Returns the problems of the real document with `rows` instead of section 9. Only their tests are looked up. */
function problemsOf(...rows: string[]): string[] {
  const others = document.split('\n').filter((line) => /^\| (?!No\.|---|9-)/.test(line));
  const always = `it('known', () => {});`;
  const otherClauses = others.map((line) => line.replace(/`[^`]+`/g, '`test/known.test.ts › known`'));
  return conformanceProblems([...otherClauses, ...rows].join('\n'), (file) =>
    file === 'test/known.test.ts' ? always : sources[file],
  );
}

describe('the conformance check', () => {
  for (const title of ['spends a code once', 'refuses a wrong secret of Basic (RFC 6749)']) {
    it(`the conformance check takes a clause held by "${title}"`, () => {
      assert.deepEqual(problemsOf(`| 9-1 | words | \`test/a.test.ts › ${title}\` |`), []);
    });
  }

  for (const [name, rows, problem] of [
    ['a clause without a test', ['| 9-1 | words |  |'], '9-1 has no test'],
    ['a section without a clause', [], 'Section 9 has no clause'],
    [
      'a gap in the numbers',
      ['| 9-2 | words | `test/a.test.ts › spends a code once` |'],
      '9-2 stands where 9-1 is due',
    ],
    [
      'a test that is not in its file',
      ['| 9-1 | words | `test/a.test.ts › spends a code` |'],
      '9-1: test/a.test.ts has no test "spends a code"',
    ],
    [
      'a test that is commented out',
      ['| 9-1 | words | `test/a.test.ts › was switched off` |'],
      '9-1: test/a.test.ts has no test "was switched off"',
    ],
    [
      'a test that is always skipped',
      ['| 9-1 | words | `test/a.test.ts › is skipped` |'],
      '9-1: test/a.test.ts has no test "is skipped"',
    ],
    [
      'a file that is not there',
      ['| 9-1 | words | `test/b.test.ts › spends a code once` |'],
      '9-1: there is no test/b.test.ts',
    ],
    [
      'a file that is no test',
      ['| 9-1 | words | `src/app.ts › spends a code once` |'],
      '9-1: src/app.ts is no test file',
    ],
    ['a row it cannot read', ['| nine | words |'], 'A row that is no clause: | nine | words |'],
  ] as const) {
    it(`the conformance check refuses ${name}`, () => {
      assert.ok(problemsOf(...rows).includes(problem), problemsOf(...rows).join('\n'));
    });
  }
});

describe('the check of the FAPI 2.0 modules', () => {
  const source = "it('happy-flow, refresh-token: succeeds', () => {});";
  const problemsIn = (tests: string) =>
    moduleProblems(`| happy-flow, refresh-token | a request | succeeds | ${tests} |`, (file) =>
      file === 'test/a.test.ts' ? source : undefined,
    );

  it('the check of the modules takes a test whose title names them', () => {
    assert.deepEqual(problemsIn('`test/a.test.ts › happy-flow, refresh-token: succeeds`'), []);
  });

  it('the check of the modules leaves out the rows of the comparison', () => {
    const document = '## Compared with oidc-provider\n\n| no proof | `200` | `400` | stricter |';
    assert.deepEqual(
      moduleProblems(`\n${document}`, () => undefined),
      [],
    );
  });

  for (const [name, tests, problem] of [
    ['a title without a module', '`test/a.test.ts › happy-flow: succeeds`', 'refresh-token has no test'],
    ['a test that does not exist', '`test/a.test.ts › refresh-token`', 'happy-flow has no test'],
    ['no tests', ' ', 'happy-flow has no test'],
    ['a module that is not tested yet', 'not yet', 'happy-flow has no test'],
    ['a file that does not exist', '`test/b.test.ts › happy-flow`', 'there is no test/b.test.ts'],
  ] as const)
    it(`the check of the modules refuses ${name}`, () => {
      assert.ok(problemsIn(tests).join('\n').includes(problem), problemsIn(tests).join('\n'));
    });
});
