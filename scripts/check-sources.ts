/** Checks the rules of sources: `node scripts/check-sources.ts`, part of `npm run check`. */
import { clientProblemsOf } from './client-rules.ts';
import { closureOf, closureProblemsOf, ENDPOINTS } from './closures.ts';
import { importProblemsOf } from './import-rules.ts';
import { findLayoutProblems } from './layout-rules.ts';
import { readSource } from './source-file.ts';
import { listFiles } from './text-files.ts';

const sources = listFiles('{src,scripts,test,sandbox,bench,packages/client/src}/**/*.ts').map(readSource);
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
