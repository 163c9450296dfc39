/** Checks the rules of sources: `node scripts/check-sources.ts`, part of `npm run check`. */
import { clientProblemsOf } from './client-rules.ts';
import { countLines, ENDPOINTS, findClosure, findClosureProblems } from './closures.ts';
import { importProblemsOf } from './import-rules.ts';
import { findLayoutProblems } from './layout-rules.ts';
import { LIMITS } from './limits.ts';
import { findMigrationProblems } from './migration-rules.ts';
import { readSource } from './source-file.ts';
import { listFiles } from './text-files.ts';

const sources = listFiles('{src,scripts,test,sandbox,bench,packages/client/src}/**/*.ts').map(readSource);
if (process.argv.includes('--closures')) {
  for (const { name, route } of ENDPOINTS) {
    const max = LIMITS.closures[name];
    const closure = findClosure(route, sources);
    const counts = `${closure.length} files (at most ${max.files}), ${countLines(closure)} lines (at most ${max.lines})`;
    console.log(`${name}: ${counts}\n  ${closure.map(({ path }) => path).join('\n  ')}`);
  }
} else {
  const problems = [
    ...importProblemsOf(sources),
    ...findLayoutProblems(sources),
    ...findClosureProblems(sources),
    ...clientProblemsOf(sources),
    ...findMigrationProblems(listFiles('src/store/migrations/*.sql')),
  ];
  for (const problem of problems) console.error(problem);
  console.log(`${sources.length} files, ${problems.length} problem(s).`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
