/** Tests the rules of imports and file names on small trees that each break one of them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findClosure } from '../../scripts/closures.ts';
import { importProblemsOf } from '../../scripts/import-rules.ts';
import { findLayoutProblems } from '../../scripts/layout-rules.ts';
import { LIMITS } from '../../scripts/limits.ts';
import { readSource } from '../../scripts/source-file.ts';

type Tree = Record<string, string>;

const sourcesOf = (tree: Tree) => Object.entries(tree).map(([path, text]) => readSource({ path, text }));
const problemsIn = (tree: Tree) =>
  [importProblemsOf, findLayoutProblems].flatMap((rules) => rules(sourcesOf(tree)));

const broken: [string, Tree, RegExp][] = [
  [
    'a folder does not import one that comes later',
    { 'src/oauth/a.ts': "import { b } from '../connect/b.ts';", 'src/connect/b.ts': '' },
    /^src\/oauth\/a\.ts: may not import src\/connect\/b\.ts, which comes later$/,
  ],
  [
    'types too follow the order',
    { 'src/lib/a.ts': "import type { B } from '../oauth/b.ts';", 'src/oauth/b.ts': '' },
    /comes later/,
  ],
  [
    'a folder within another has its own place in the order',
    { 'src/connect/flow/a.ts': "import { b } from '../pages/b.ts';", 'src/connect/pages/b.ts': '' },
    /comes later/,
  ],
  [
    'the command line does not import the dashboard',
    { 'src/cli/a.ts': "import { b } from '../dashboard/b.ts';", 'src/dashboard/b.ts': '' },
    /comes later/,
  ],
  [
    'the dashboard does not import the command line',
    { 'src/dashboard/pages/a.ts': "import { b } from '../../cli/b.ts';", 'src/cli/b.ts': '' },
    /both faces of administration stand alone/,
  ],
  [
    'the order knows every folder',
    { 'src/new/a.ts': "import { b } from '../lib/b.ts';", 'src/lib/b.ts': '' },
    /is in new, which scripts\/import-rules\.ts does not know/,
  ],
  [
    'a feature does not import an adapter',
    { 'src/oauth/a.ts': "import { b } from '../store/b.ts';", 'src/store/b.ts': '' },
    /imports the adapter/,
  ],
  [
    'the command line does not import an adapter',
    { 'src/cli/a.ts': "const b = await import('../providers/b.ts');", 'src/providers/b.ts': '' },
    /imports the adapter/,
  ],
  [
    'an adapter takes types only from a feature',
    {
      'src/store/a.ts': "import { b } from '../oauth/b.ts';",
      'src/oauth/b.ts': "import { c } from './c.ts';",
      'src/oauth/c.ts': "import { d } from 'a-package';",
    },
    /may import types only/,
  ],
  [
    "the sandbox takes types only from Kalends' own recurrence",
    {
      'sandbox/a.ts':
        "import type { B } from '../src/lib/recurrence/series.ts';\nimport '../src/lib/recurrence/zone.ts';",
      'sandbox/c.ts': "import { expandRule } from '../src/lib/recurrence/expand-rule.ts';",
      'src/lib/recurrence/series.ts': '',
      'src/lib/recurrence/zone.ts': '',
      'src/lib/recurrence/expand-rule.ts': '',
    },
    /^sandbox\/c\.ts: imports src\/lib\/recurrence\/expand-rule\.ts; .* types only$/,
  ],
  [
    'folders do not import each other in a cycle',
    {
      'sandbox/x/a.ts': "import { b } from '../y/b.ts';",
      'sandbox/y/b.ts': '',
      'sandbox/y/c.ts': "import type { D } from '../x/d.ts';",
      'sandbox/x/d.ts': '',
    },
    /^sandbox\/x: is in a cycle of folders: sandbox\/x → sandbox\/y → sandbox\/x$/,
  ],
  [
    'Fastify stays out of the domain',
    { 'src/oauth/a.ts': "import fastify from 'fastify';" },
    /imports Fastify/,
  ],
  ['so do its plugins', { 'src/sync/a.ts': "import x from '@fastify/cookie';" }, /imports Fastify/],
  [
    'node:http loads fetch if it is imported',
    { 'src/http/a.ts': "import { createServer } from 'node:http';" },
    /imports node:http; use process\.getBuiltinModule/,
  ],
  [
    'node:sqlite is for its driver',
    { 'src/store/a.ts': "import x from 'node:sqlite';" },
    /store\/drivers\/sqlite-\*\.ts may/,
  ],
  [
    'pg is for its driver',
    { 'src/store/a.ts': "import pg from 'pg';" },
    /store\/drivers\/postgres-\*\.ts may/,
  ],
  ['src/ does not import tests', { 'src/lib/a.ts': "import x from '../../test/x.ts';" }, /outside src/],
  ['the domain does not read the clock', { 'src/oauth/a.ts': 'const at = Date.now();' }, /reads the clock/],
  ['nor by new Date()', { 'src/oauth/a.ts': 'const at = new Date();' }, /reads the clock/],
  ['only config.ts reads the environment', { 'src/oauth/a.ts': 'process.env.HOME' }, /process\.env/],
  ['a file is not called utils.ts', { 'src/oauth/utils.ts': '' }, /does not say/],
  ['a folder is not called helpers', { 'test/helpers/a.ts': '' }, /does not say/],
  ['there are no barrels', { 'src/oauth/index.ts': '' }, /does not say/],
  [
    'no comment turns off a limit',
    { 'src/oauth/a.ts': '// biome-ignore lint/complexity/useMaxParams: too long' },
    /must not turn off a limit/,
  ],
  [
    'no comment turns off all rules',
    { 'src/oauth/a.ts': '// biome-ignore-all lint: too many' },
    /must not turn off a limit/,
  ],
];

const allowed: [string, Tree][] = [
  [
    'a feature imports lower layers',
    { 'src/connect/a.ts': "import { b } from '../oauth/b.ts';", 'src/oauth/b.ts': '' },
  ],
  [
    'files of one folder import each other',
    { 'src/oauth/a.ts': "import { b } from './b.ts';", 'src/oauth/b.ts': '' },
  ],
  [
    'an adapter imports types, errors and lib',
    {
      'src/store/a.ts':
        "import type { B } from '../oauth/b.ts';\nimport { E } from '../calendars/provider-error.ts';\nimport { l } from '../lib/l.ts';",
      'src/oauth/b.ts': '',
      'src/calendars/provider-error.ts': "import { x } from './x.ts';",
      'src/calendars/x.ts': '',
      'src/lib/l.ts': '',
    },
  ],
  [
    'an adapter imports a vocabulary that imports another one and lib',
    {
      'src/store/a.ts': "import { b } from '../oauth/b.ts';",
      'src/oauth/b.ts': "import { c } from './c.ts';\nimport { l } from '../lib/l.ts';",
      'src/oauth/c.ts': '',
      'src/lib/l.ts': '',
    },
  ],
  [
    'main.ts names the adapters',
    { 'src/main.ts': "import { a } from './store/a.ts';", 'src/store/a.ts': '' },
  ],
  ['types of node:http', { 'src/http/a.ts': "import type { Server } from 'node:http';" }],
  ['routes use Fastify', { 'src/oauth/token.route.ts': "import type { FastifyInstance } from 'fastify';" }],
  ['a comment is no import', { 'src/lib/a.ts': "/*\nimport x from '../oauth/x.ts';\n*/\n// Date.now()" }],
  ['an instant given as a parameter is formatted', { 'src/lib/a.ts': 'new Date(at).toISOString()' }],
  ['tests read the clock', { 'test/a.test.ts': 'Date.now()', 'src/lib/a.test.ts': 'Date.now()' }],
  [
    'a comment turns off a rule that is no limit',
    { 'src/a.ts': '// biome-ignore lint/suspicious/noDocumentCookie: it sets one' },
  ],
];

describe('the import rules', () => {
  for (const [rule, tree, problem] of broken) {
    it(`the import rules say that ${rule}`, () => {
      const problems = problemsIn(tree);

      assert.equal(problems.length, 1, problems.join('\n'));
      assert.match(problems[0] ?? '', problem);
    });
  }
  for (const [rule, tree] of allowed) {
    it(`the import rules let pass: ${rule}`, () => assert.deepEqual(problemsIn(tree), []));
  }

  it('the layout rules limit the files of a folder, small files beside their importer and large interfaces', () => {
    const { folderFiles, smallFiles, largeInterfaces, interfaceMethods } = LIMITS;
    const many = (count: number, text: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`src/lib/a${i}.ts`, text]));
    const methods = 'm(): void; '.repeat(interfaceMethods + 1);
    const small = many(smallFiles + 1, '');
    small['src/lib/a.ts'] = Object.keys(small)
      .map((name) => `import '${name.replace('src/lib', '.')}';\n`)
      .join('');

    assert.deepEqual(problemsIn(many(folderFiles, '')), []);
    assert.match(problemsIn(many(folderFiles + 1, '')).join(), /^src\/lib: has \d+ files, more than \d+$/);
    assert.match(problemsIn(small).join(), /^\d+ files with fewer than \d+ lines .*, {2}src\/lib\/a0\.ts/);
    assert.match(
      problemsIn(many(largeInterfaces + 1, `interface A { ${methods} }`)).join(),
      /^\d+ interfaces with more than \d+ methods, more than \d+, {2}src\/lib\/a0\.ts A \(\d+\)/,
    );
  });

  it('the import rules count the files that an endpoint loads, and not those it names in types', () => {
    const files = sourcesOf({
      'src/a.route.ts': "import { b } from './b.ts';\nimport type { T } from './t.ts';\nimport './c.ts';",
      'src/b.ts': "import { c } from './c.ts';\nconst d = () => import('./d.ts');",
      'src/c.ts': '',
      'src/d.ts': '',
      'src/t.ts': '',
    });

    assert.deepEqual(
      findClosure('src/a.route.ts', files).map(({ path }) => path),
      ['src/a.route.ts', 'src/b.ts', 'src/c.ts'],
    );
  });

  it('the import rules see imports of every form', () => {
    const text =
      "import a from 'a';\nimport 'b';\nexport * from 'c';\nexport type { D } from 'd';\nawait import('e');\nlet f: import('f').F;";

    const { imports } = readSource({ path: 'src/x.ts', text });

    assert.deepEqual(
      imports.map(({ specifier, kind }) => [specifier, kind]),
      [
        ['a', 'value'],
        ['b', 'value'],
        ['c', 'value'],
        ['d', 'type'],
        ['e', 'dynamic'],
        ['f', 'type'],
      ],
    );
  });
});
