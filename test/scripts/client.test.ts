/** The rules of the published client, on small trees that each break one of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { clientProblemsOf } from '../../scripts/client-rules.ts';
import { readSource } from '../../scripts/source-file.ts';

const ENTRY = 'packages/client/src/kalends.ts';
const problemsIn = (tree: Record<string, string>) =>
  clientProblemsOf(
    Object.entries({ [ENTRY]: '', ...tree }).map(([path, text]) => readSource({ path, text })),
  );

describe('the rules of the published client', () => {
  const broken: [string, string, RegExp][] = [
    ['imports nothing of Node', "import { hash } from 'node:crypto';", /a\.ts: imports node:crypto;/],
    ['imports no package', "import { z } from 'zod';", /a\.ts: imports zod;/],
    [
      'imports nothing of the service',
      "import type { E } from '../../../src/calendars/event.ts';",
      /imports \.\./,
    ],
    ['imports its entry nowhere', "import { kalends } from './kalends.ts';", /a\.ts: imports the entry/],
    ['uses no global of Node', 'const key = Buffer.from(text);', /a\.ts: uses Buffer/],
  ];
  for (const [rule, text, problem] of broken)
    it(`the published client ${rule}`, () => {
      const [first = '', ...others] = problemsIn({ 'packages/client/src/a.ts': text });

      assert.match(first, problem);
      assert.deepEqual(others, []);
    });

  it('the published client has an entry', () => {
    assert.match(clientProblemsOf([])[0] ?? '', /kalends\.ts: is missing/);
  });

  it('the rules of the published client allow what is its own, and words in comments', () => {
    const text =
      "import { b } from './b.ts';\n// A Buffer would do, and process too.\nconst late = b.process;\n";

    assert.deepEqual(problemsIn({ 'packages/client/src/a.ts': text, 'packages/client/src/b.ts': '' }), []);
    assert.deepEqual(problemsIn({ 'src/a.ts': "import { hash } from 'node:crypto';" }), []);
  });
});
