/** What the documents promise about themselves. */
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

/** The anchors a renderer makes of a document's headings. */
function anchorsOf(text: string): string[] {
  const headings = text.matchAll(/^#{1,6} (.+)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const withoutCode = (text: string) => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

describe('the documents', () => {
  it('list every dependency and no other', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json'));

    const [, atRunTime = '', inDevelopment = ''] = read('docs/dependencies.md').split(/^## /m);
    const listed = (section: string) =>
      [...section.matchAll(/^\| (.+?) \|/gm)].flatMap(([, cell = '']) =>
        [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
      );
    assert.deepEqual(listed(atRunTime).sort(), Object.keys(dependencies).sort());
    assert.deepEqual(listed(inDevelopment).sort(), Object.keys(devDependencies).sort());
  });

  for (const name of documents) {
    it(`point only where something is: ${name}`, () => {
      const links = [...withoutCode(read(name)).matchAll(/\]\(([^)\s]+)\)/g)].map(
        ([, target = '']) => target,
      );

      for (const link of links.filter((target) => !/^[a-z]+:/.test(target))) {
        const [file = '', anchor] = link.split('#');
        const target = file === '' ? name : path.join(path.dirname(name), file);
        if (anchor === undefined) read(target);
        else assert.ok(anchorsOf(read(target)).includes(anchor), `${name}: ${link}`);
      }
    });
  }

  it('have the heading that each comment in the source names', () => {
    const comments = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((file) =>
      [...read(file).matchAll(/docs\/([\w/-]+\.md)(?:#([\w-]+))?/g)].map(([, name = '', anchor]) => ({
        file,
        name,
        anchor,
      })),
    );

    for (const { file, name, anchor } of comments) {
      const text = read(`docs/${name}`);
      if (anchor !== undefined)
        assert.ok(anchorsOf(text).includes(anchor), `${file}: docs/${name}#${anchor}`);
    }
    assert.ok(comments.length > 0);
  });

  it('keep decisions below 60 lines', () => {
    for (const name of documents.filter((file) => file.includes('decisions/'))) {
      assert.ok(read(name).split('\n').length <= 60, name);
    }
  });

  it('show the same limits and settings as the program has', () => {
    const configuration = read('docs/configuration.md');

    const named = documents.flatMap((name) =>
      [...read(name).matchAll(/\bKALENDS_(?!TEST_)[A-Z_]+\b/g)].map(([variable]) => variable),
    );
    for (const variable of new Set(named)) {
      assert.ok(configuration.includes(`\`${variable.replace(/_FILE$/, '')}\``), variable);
    }
  });
});
