/** Promises of the documents about themselves. scripts/check-docs.ts checks their links. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }),
];

describe('the documents', () => {
  it('the documents list every dependency and no other', () => {
    const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));

    const [, atRunTime = '', inDevelopment = ''] = read('docs/dependencies.md').split(/^## /m);
    const listed = (section: string) =>
      [...section.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
      );
    assert.deepEqual(
      listed(atRunTime).sort(),
      Object.keys({ ...dependencies, ...optionalDependencies }).sort(),
    );
    assert.deepEqual(listed(inDevelopment).sort(), Object.keys(devDependencies).sort());
  });

  it('the documents keep decisions below 60 lines', () => {
    for (const name of documents.filter((file) => file.includes('decisions/'))) {
      assert.ok(read(name).split('\n').length <= 60, name);
    }
  });

  it('the documents show the same limits and settings as the program has', () => {
    const configuration = read('docs/configuration.md');

    const named = documents.flatMap((name) =>
      [...read(name).matchAll(/\bKALENDS_(?!TEST_)[A-Z_]+\b/g)].map(([variable]) => variable),
    );
    for (const variable of new Set(named)) {
      assert.ok(configuration.includes(`\`${variable.replace(/_FILE$/, '')}\``), variable);
    }
  });
});
