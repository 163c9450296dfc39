/** Tests which texts the prose check finds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { findProse } from '../../scripts/check-prose.ts';

const places = (path: string, text: string): string[] =>
  findProse({ path, text }).map(({ kind, line }) => `${kind} ${line}`);

const LONG = `${'a word and '.repeat(12)}an end.`;

describe('the prose check', () => {
  it('finds comments that open with a noun clause, a fragment or an unusual verb', () => {
    const text = '/**\n * What ails in `db`.\n */\n// Of reads of calendars.\na(); // Answers the stream.\n';

    assert.deepEqual(places('src/a.ts', text), ['comments 2', 'comments 4', 'comments 5']);
  });

  it('reads each paragraph of a comment, and no quotation or directive', () => {
    const text = '/*\n * First line\n * goes on.\n *\n * Whose turn it is.\n * > What is quoted here\n */\n';

    assert.deepEqual(places('src/a.ts', text), ['comments 2', 'comments 5']);
  });

  it('finds phrases and long sentences in paragraphs, items and cells of pages, and none in code', () => {
    const text = `# Of those who\n\nIt is read\nanew.\n\n- ${LONG}\n\n| a | It is told of it |\n\n\`\`\`sh\nit is told of it\n\`\`\`\n`;

    assert.deepEqual(places('docs/a.md', text), ['documents 3', 'documents 6', 'documents 8']);
  });

  it('finds test titles, texts of commands and messages of catalogs', () => {
    const title = "it(\n  'what ails is told of once more',\n  () => {});\n";

    assert.deepEqual(places('test/a.test.ts', title), ['titles 1']);
    assert.deepEqual(places('src/cli/a.ts', "const text = 'It is read anew';\n"), ['commands 1']);
    assert.deepEqual(places('src/oauth/a.ts', "const text = 'It is read anew';\n"), []);
    assert.deepEqual(places('src/a/messages/en.json', '{\n  "a": "It is read anew"\n}\n'), ['catalogs 2']);
  });

  it('finds vague names of values and functions', () => {
    const text =
      'const told = 1;\nfunction textOf() {}\nconst nameOf = (a) => a;\nconst places = (a) => a;\n';

    assert.deepEqual(places('src/a.ts', text), ['names 1', 'names 2', 'names 3']);
    assert.deepEqual(places('test/a.ts', text), []);
  });

  it('finds nothing in plain text, the changelog, fixtures and generated pages', () => {
    const text = 'Returns the updated stream.\n';

    assert.deepEqual(places('docs/a.md', text), []);
    for (const path of ['CHANGELOG.md', 'docs/cli.md', 'test/fixtures/a.md'])
      assert.deepEqual(places(path, 'It is told of it once more.\n'), []);
  });
});
