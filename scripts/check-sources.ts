/** Holds the repository to the rules of its sources: `node scripts/check-sources.ts`, part of `npm run check`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { clientProblemsOf } from './client-rules.ts';
import { closureOf, closureProblemsOf, ENDPOINTS } from './closures.ts';
import { importProblemsOf } from './import-rules.ts';
import { findLayoutProblems } from './layout-rules.ts';
import { readSource, type Source } from './source-file.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const FOLDERS = ['src', 'scripts', 'test', 'sandbox', 'bench', 'packages/client/src'];

function sourcesIn(folder: string): Source[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) =>
      readSource({
        path: path.relative(ROOT, file).replaceAll(path.sep, '/'),
        text: readFileSync(file, 'utf8'),
      }),
    );
}

const sources = FOLDERS.flatMap(sourcesIn);
if (process.argv.includes('--closures')) {
  for (const { name, route, most } of ENDPOINTS) {
    const closure = closureOf(route, sources);
    console.log(`${name}: ${closure.length} files (at most ${most})\n  ${closure.join('\n  ')}`);
  }
} else {
  const problems = [
    ...importProblemsOf(sources),
    ...findLayoutProblems(sources),
    ...closureProblemsOf(sources),
    ...clientProblemsOf(sources),
  ];
  for (const problem of problems) console.error(problem);
  console.log(`${sources.length} files, ${problems.length} problem(s).`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
