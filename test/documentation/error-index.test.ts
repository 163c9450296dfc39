/** docs/errors.md lists every row of every table of errors. That each error thrown is a row, the types prove. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

import { ERROR_GROUPS } from '../../src/documentation/error-index.ts';

const SRC = path.resolve(import.meta.dirname, '../../src');
const sources = globSync('**/*.ts', { cwd: SRC, exclude: (name) => name.endsWith('.test.ts') })
  .filter((file) => !file.includes('documentation'))
  .map((file) => ({ file: path.join(SRC, file), text: readFileSync(path.join(SRC, file), 'utf8') }));

/** The codes of all tables that are exported anywhere. */
async function codesOfTables(): Promise<string[]> {
  const codes = sources.flatMap(({ file, text }) =>
    [...text.matchAll(/^(?:export )?const (\w+) = errorTable\(/gm)].map(async ([, table = '']) =>
      Object.values<{ code: string }>((await import(file))[table]).map(({ code }) => code),
    ),
  );
  return (await Promise.all(codes)).flat();
}

describe('the index of errors', () => {
  const indexed = ERROR_GROUPS.flatMap(({ errors }) => errors.map(({ code }) => code));

  it('lists every code of every table once', async () => {
    assert.deepEqual(indexed.toSorted(), (await codesOfTables()).toSorted());
    assert.equal(new Set(indexed).size, indexed.length);
  });

  it('lists no code that nothing uses', () => {
    const all = sources.map(({ text }) => text).join('\n');

    // A row's own line in its table is no use.
    const unused = indexed.filter((code) => !new RegExp(`[.']${code}\\b(?!\\.ts)`).test(all));

    assert.deepEqual(unused, []);
  });
});
