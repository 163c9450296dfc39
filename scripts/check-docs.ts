/** Holds documents and comments to what they point at: `node scripts/check-docs.ts`, part of `npm run check`. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import {
  brokenLinks,
  missingPaths,
  type TextFile,
  unfollowedCitations,
  unreachablePages,
} from './docs-rules.ts';
import { snippetProblems } from './snippet-rules.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const DOCUMENTS = ['*.md', 'docs/**/*.{md,json}', 'packages/*/*.md', 'examples/*/*.md'];
const SOURCES = '{src,sandbox,packages,test,scripts,bench}/**/*.{ts,js,css,sql}';

function filesOf(pattern: string | string[]): TextFile[] {
  return globSync(pattern, { cwd: ROOT, exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name) })
    .sort()
    .map((name) => ({
      path: name.replaceAll(path.sep, '/'),
      text: readFileSync(path.join(ROOT, name), 'utf8'),
    }));
}

const documents = filesOf(DOCUMENTS);
const sources = filesOf(SOURCES);
const textOf = (file: string) => (isThere(file) ? readFileSync(path.join(ROOT, file), 'utf8') : undefined);
const isThere = (file: string) => existsSync(path.join(ROOT, file));
const problems = [
  ...unreachablePages(documents),
  ...brokenLinks(documents, isThere),
  ...missingPaths(documents, isThere),
  ...unfollowedCitations(sources, documents),
  ...snippetProblems(documents, textOf),
];
for (const problem of problems) console.error(problem);
console.log(
  `Documents: ${documents.length}, comments of ${sources.length} files, ${problems.length} problem(s).`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
