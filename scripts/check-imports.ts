/** Holds the repository to its import rules: `node scripts/check-imports.ts`, part of `npm run check`. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { clientProblemsOf } from './client-rules.ts';
import { problemsOf, type SourceFile } from './import-rules.ts';

const ROOT = path.resolve(import.meta.dirname, '..');

function sourceFiles(folder: string): SourceFile[] {
  return readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .map((file) => ({
      path: path.relative(ROOT, file).replaceAll(path.sep, '/'),
      text: readFileSync(file, 'utf8'),
    }));
}

const files = ['src', 'scripts', 'test', 'sandbox', 'packages/client/src'].flatMap(sourceFiles);
const problems = [...problemsOf(files), ...clientProblemsOf(files)];
for (const problem of problems) console.error(problem);
console.log(`Import rules: ${files.length} files, ${problems.length} problem(s).`);
process.exitCode = problems.length === 0 ? 0 : 1;
