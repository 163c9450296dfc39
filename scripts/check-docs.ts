/** Checks what documents and comments refer to: `node scripts/check-docs.ts`, part of `npm run check`. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { brokenLinks, missingPaths, unfollowedCitations, unreachablePages } from './docs-rules.ts';
import { snippetProblems } from './snippet-rules.ts';
import { DOCUMENTS, listFiles, ROOT, SOURCES } from './text-files.ts';

const documents = listFiles(DOCUMENTS);
const sources = listFiles(SOURCES);
const exists = (file: string) => existsSync(path.join(ROOT, file));
const readText = (file: string) => (exists(file) ? readFileSync(path.join(ROOT, file), 'utf8') : undefined);
const problems = [
  ...unreachablePages(documents),
  ...brokenLinks(documents, exists),
  ...missingPaths(documents, exists),
  ...unfollowedCitations(sources, documents),
  ...snippetProblems(documents, readText),
];
for (const problem of problems) console.error(problem);
console.log(
  `Documents: ${documents.length}, comments of ${sources.length} files, ${problems.length} problem(s).`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
