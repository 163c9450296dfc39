/** Holds docs/conformance.md to the tests there are; part of `npm run check`. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { clauseCount, conformanceProblems } from './conformance-rules.ts';

const ROOT = path.resolve(import.meta.dirname, '..');
const document = readFileSync(path.join(ROOT, 'docs/conformance.md'), 'utf8');

const problems = conformanceProblems(document, (file) => {
  const full = path.join(ROOT, file);
  return existsSync(full) ? readFileSync(full, 'utf8') : undefined;
});
if (problems.length > 0) {
  console.error(`docs/conformance.md does not hold:\n  ${problems.join('\n  ')}`);
  process.exitCode = 1;
} else {
  console.log(`${clauseCount(document)} clauses of the requirement, each with a test that exists.`);
}
