/** Targets that documents and comments may have, on small trees that each break one of the rules. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readComments } from '../../scripts/comments.ts';
import {
  brokenLinks,
  missingPaths,
  unfollowedCitations,
  unreachablePages,
} from '../../scripts/docs-rules.ts';

type Tree = Record<string, string>;

const filesOf = (tree: Tree) => Object.entries(tree).map(([path, text]) => ({ path, text }));

describe('the pages under docs/', () => {
  it('the pages under docs/ are reached from README.md by links, over several pages', () => {
    const documents = filesOf({
      'README.md': '[docs](docs/README.md)',
      'docs/README.md': '[a](a.md#top) [b](decisions/0001-b.md)',
      'docs/a.md': '# Top',
      'docs/decisions/0001-b.md': '[back](../a.md)',
    });

    assert.deepEqual(unreachablePages(documents), []);
  });

  it('the pages under docs/ are named when no link leads there, code being none', () => {
    const documents = filesOf({
      'README.md': '`[a](docs/a.md)`\n```\n[a](docs/a.md)\n```',
      'docs/a.md': '[self](a.md)',
    });

    assert.deepEqual(unreachablePages(documents), ['docs/a.md: no link from README.md leads here']);
  });
});

it('the files and folders that documents name are there', () => {
  const documents = filesOf({ 'docs/a.md': '`src/lib/a.ts` `src/gone.ts` `sandbox/KIND/` `src/{a,b}`' });

  assert.deepEqual(
    missingPaths(documents, (file) => file === 'src/lib/a.ts'),
    ['docs/a.md: src/gone.ts is not there'],
  );
});

describe('the links of documents', () => {
  const tree = {
    'README.md':
      '[a](docs/a.md#one-two) [lib](src/lib/a.ts) [site](https://example.com/#x) [up](#same)\n# Same',
    'docs/a.md': '## One: two\n## Same\n## Same\n[second](#same-1) [top](../README.md)',
  };

  it('the links of documents lead to files, folders and headings', () => {
    assert.deepEqual(
      brokenLinks(filesOf(tree), (file) => file === 'src/lib/a.ts'),
      [],
    );
  });

  for (const [rule, link, problem] of [
    ['a file that is not there', '[c](c.md)', 'c.md leads nowhere'],
    ['a heading that is not there', '[a](a.md#three)', 'a.md#three names no heading of docs/a.md'],
    ['a heading in a block of code', '[b](#x)\n```\n# x\n```', '#x names no heading of docs/b.md'],
  ] as const) {
    it(`the links of documents do not lead to ${rule}`, () => {
      const documents = filesOf({ ...tree, 'docs/b.md': link });

      const problems = brokenLinks(documents, (file) => file === 'src/lib/a.ts');

      assert.deepEqual(problems, [`docs/b.md: ${problem}`]);
    });
  }
});

const DOCUMENTS = filesOf({
  'docs/wire.md':
    '## 1 Requests\n### 1.7 GET /events\n### 1.10 Rules\n### O4.1 GET /authorize\n### C3 Scopes',
  'docs/security.md': '### T3 Whose calendar',
  'docs/departures.md': '### code-is-user-id',
});

const citationsIn = (text: string, path = 'src/a.ts') =>
  unfollowedCitations([{ path, text }], DOCUMENTS).map((problem) => problem.replace(/^[^ ]+ /, ''));

describe('the citations of comments', () => {
  for (const text of [
    '/** The window (docs/wire.md 1.7). */',
    '// docs/wire.md O4.1, 1.7 to 1.10, C3 and docs/security.md T3',
    '/**\n * Long before it, docs/wire.md\n * 1.7, and on it goes.\n */',
    '// See docs/departures.md#code-is-user-id.',
    '// All requests: docs/wire.md 1.',
    "const text = 'wire 1.7 (k)'; // the wire has 7 lanes",
    'const any = all.filter((k) => k > 1); /* an unconfirmed threat */',
    'const globs = ["src/**/*.ts"]; const form = /[/*"]/; const more = `// wire 1.7`;',
  ]) {
    it(`a citation may be: ${text.replaceAll('\n', '⏎')}`, () => assert.deepEqual(citationsIn(text), []));
  }

  for (const [text, problem] of [
    ['/** docs/nothing.md says so. */', 'cites docs/nothing.md, which is not there'],
    ['// docs/wire.md 1.8', 'cites docs/wire.md 1.8, which is no heading'],
    ['// docs/wire.md 1.7, 1.8', 'cites docs/wire.md 1.8, which is no heading'],
    ['// docs/wire.md O1.7', 'cites docs/wire.md O1.7, which is no heading'],
    ['// docs/security.md T4', 'cites docs/security.md T4, which is no heading'],
    ['// docs/departures.md#other', 'cites docs/departures.md#other, which is no heading'],
    ['// As wire 1.7 has it', 'cites "wire 1.7"'],
    ['/** Wire C3. */', 'cites "Wire C3"'],
    ['/** active on the wire\n * (2.2) */', 'cites "wire (2.2"'],
    ['// the requirement §4.1', 'cites "requirement §4.1"'],
    ['// the requirement (§2.8)', 'cites "requirement (§2.8"'],
    ['/* threat T3 */', 'cites "threat T3"'],
    ['// lessons 17 and 18', 'cites "lessons 17"'],
    ['// Google’s limit (k).', 'cites "(k)"'],
  ] as const) {
    it(`a citation may not be: ${text.replaceAll('\n', '⏎')}`, () => {
      const problems = citationsIn(text);

      assert.equal(problems.length, 1, problems.join('\n'));
      assert.ok(problems[0]?.startsWith(problem), problems.join());
    });
  }

  it('citations are looked for in styles and SQL too, and told with their lines', () => {
    const sources = filesOf({
      'src/a.css': 'a { content: "/* wire 1 */"; }\n/* wire 4.2 */',
      'src/b.sql': "SELECT '-- wire 1';\n\n-- threat\n-- T3",
    });

    const places = unfollowedCitations(sources, DOCUMENTS).map((problem) => problem.replace(/ .*/, ''));

    assert.deepEqual(places, ['src/a.css:2:', 'src/b.sql:3:']);
  });
});

describe('the comments of a file', () => {
  it('the comments of a file are found behind templates, whatever is in their braces', () => {
    const text = [
      'const a = `x $',
      '{f(/[`"{]/g, `y $',
      '{1}`)} // no`; // yes\nb({ c: "}" }); /* too */',
    ].join('');

    assert.deepEqual(
      readComments({ path: 'a.ts', text }).map(({ lines }) => lines.join(' ').trim()),
      ['yes', 'too'],
    );
  });

  it('reads each comment by line, and neighboring line comments as one', () => {
    const text = '/**\n * One\n *   two.\n */\nconst url = "https://a"; // three\n// four\n';

    assert.deepEqual(readComments({ path: 'a.ts', text }), [
      { line: 1, lines: ['', 'One', 'two.', ''] },
      { line: 5, lines: ['three', 'four'] },
    ]);
  });
});
